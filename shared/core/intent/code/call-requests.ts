// Reads the calls of programs that make HTTP requests: fetch and its like.
import { argumentsIn, type Call, LITERAL } from './call-syntax.ts';
import { type Fragment, sentOutside, unknownCode } from './code.ts';
import { isOutside, METHODS, RELEASES, requestFragment } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';

const METHOD = /["']?(?:method|type|verb)["']?\s{0,3}[:=]\s{0,3}["'`](\w{2,10})["'`]/i;
/** A method by the name of a constant: `HttpMethod.DELETE`, `http.MethodDelete`, `Method::PUT`. */
const CONSTANT = /\b(?:Http|Request)?Method(?:s)?(?:\.|::)?_?(get|head|delete|put|patch|post)\b/i;
/** A method that is known only at run time. */
const DYNAMIC_METHOD =
  /(?:["']?\bmethod\b["']?\s{0,3}[:=]\s{0,3}(?!["'`\s=])|[{,]\s{0,3}method\s{0,3}[,}]|\.\.\.\s{0,3}\w)/i;
/** Calls whose first argument is the method. */
const TAKES_METHOD = /^(?:request|newrequest|newrequestwithcontext|send_request|exchange|method|open|httprequest)$/;
const CARRIES = /\bopen\(|\benviron\b|process\.env|readFile|read_text|getenv|\bfs\./;

/** Methods of requests that carry something. */
const SENDS = /^(?:post|put|patch)$/i;

const VARIABLE = /^[A-Za-z_$][\w$.]*$/;
const OPTIONS =
  /^[A-Za-z_$.][\w$.]*(?:req|request|opts|options|config|settings|init)$|^(?:req|opts|options|config|init)$/i;

/** Whether the method of a request is in a variable, or in options that are: `fetch(url, options)`. In Python a second argument has a name. */
function isMethodOpen(last: string, args: string): boolean {
  const [first = '', second = ''] = argumentsIn(args);
  if (DYNAMIC_METHOD.test(args) || VARIABLE.test(second)) return true;
  if (second === '')
    return OPTIONS.test(first) || (/^(?:axios|ajax|request|\$http)$/.test(last) && VARIABLE.test(first));
  return TAKES_METHOD.test(last) && VARIABLE.test(first);
}

/** Whether the query of an address is put together with data: `"https://x/?d=" + token`. */
function carriesInAddress(args: string): boolean {
  const [address = ''] = argumentsIn(args);
  const query = address.search(/[?&][\w-]{1,30}=(?:["'`]|\$?\{)/);
  return query >= 0 && /^[fr]?["'`]/.test(address) && SENSITIVE.test(address.slice(query));
}
const SENSITIVE =
  /cookie|token|secret|passw|credential|session|environ|\benv\b|key\b|localstorage|users?\b|customers?|emails?|rows?\b|dump|data\b|open\(|stringify|dumps/i;

/** An object with a value that is only known when the program runs: `{ text }`, `{"customers": rows}`. */
const HOLDS_UNSEEN =
  /[{,]\s?(?!headers\b|params\b)(?:[A-Za-z_$][\w$]*\s?[,}]|["'`]?[\w-]+["'`]?\s?:\s?(?!true\b|false\b|null\b|undefined\b|None\b|True\b|False\b)[A-Za-z_$][\w$.]*\s?[,})])/;

/** A body that is only known when the program runs: `json=event`, `{ body: JSON.stringify(rows) }`, or as a second argument. */
const isUnseenBody = (argument: string, at: number): boolean =>
  (at === 1 &&
    argument.startsWith('{') &&
    !/[{,]\s?(?:method|headers|body|params)\b/.test(argument) &&
    HOLDS_UNSEEN.test(argument)) ||
  (/^(?:json|data)\s?=\s?\{/.test(argument) && HOLDS_UNSEEN.test(argument)) ||
  /^(?:json|data|content|files)\s?=\s?(?:[\w.]{0,20}dumps\(\s?)?(?!None\b)[A-Za-z_][\w.]*(?:\)|$)/.test(argument) ||
  /[{,]\s?body\s?(?::\s?(?:JSON\.stringify\(\s?)?[A-Za-z_$][\w$.]*\s?[,})]|[,}])/.test(argument) ||
  (at === 1 &&
    /^(?:JSON\.stringify\(|json\.dumps\()?(?!(?:null|undefined|None)\b)[A-Za-z_$][\w$.]*\)?$/.test(argument));

export function fetchOf({ path, arguments: args, at, end }: Call, lexicon: Lexicon): Fragment | undefined {
  const clients = lexicon.codeWords.httpClients;
  const names = path.map((name) => name.toLowerCase());
  const [root = '', last = ''] = [names[0], names.at(-1)];
  const byName = METHODS.has(last.toUpperCase()) ? last : undefined;
  const literal = LITERAL.exec(args)?.[2] ?? '';
  const direct = TAKES_METHOD.test(last) && METHODS.has(literal.toUpperCase()) ? literal : undefined;
  const constant = CONSTANT.exec(args)?.[1];
  const isRequest = byName !== undefined && /^(?:\/|https?:)/.test(literal);
  if (!(clients.has(root) || clients.has(last) || isRequest || direct !== undefined || constant !== undefined))
    return undefined;
  const stated = METHOD.exec(args)?.[1] ?? byName ?? direct ?? constant;
  if (stated === undefined && !(names.length === 1 || clients.has(last))) return undefined;
  if (stated === undefined && (isMethodOpen(last, args) || (last === 'urlopen' && /\bdata\s*=(?!\s*None)/.test(args))))
    return unknownCode({ at, end }, { domain: 'web', language: 'http' });
  // An address that is known only at run time may be anywhere.
  const isDynamic = /^\s*[\w$]/.test(args) && (CARRIES.test(args) || SENDS.test(stated ?? ''));
  const target = isDynamic ? 'https://host.invalid/' : (/["'`]((?:https?:\/\/|\/)[^"'`]*)/.exec(args)?.[1] ?? '/');
  const [, ...rest] = argumentsIn(args);
  const handsOver =
    !isDynamic && SENDS.test(stated ?? '') && isOutside(target, lexicon) && argumentsIn(args).some(isUnseenBody);
  const carries = handsOver || carriesInAddress(args) || CARRIES.test(isDynamic ? rest.join() : args);
  const sent = requestFragment(
    { method: stated ?? 'GET', url: target, body: args, headers: args, carries },
    { at, end },
    lexicon,
  );
  // Nobody sees what goes where; and what is approved at an unseen address may be a payment.
  const isUnseen = rest.length > 0 && !rest.some((one) => /["'`]/.test(one));
  if (isDynamic && !carries && (isUnseen || RELEASES.test(args)))
    return unknownCode({ at, end }, { domain: 'web', language: 'http', object: sent.object, traits: sent.traits });
  const what = handsOver
    ? ({ object: 'data', domain: 'data' } as const)
    : ({ object: 'file', domain: 'files' } as const);
  return carries && sent.action === 'send'
    ? sentOutside({ ...sent, ...what }, args, /\benviron\b|process\.env|\$\{|select|dump/i.test(args))
    : sent;
}
