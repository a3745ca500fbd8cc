// Reads HTTP requests: request lines, requests in words, the arguments of curl and of fetch, GraphQL operations.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import {
  type Fragment,
  fragmentOf,
  gravest,
  gravity,
  NOT_UNDERSTOOD,
  readsOnly,
  type Span,
  unknownCode,
} from './code.ts';
import { doingOfName, isDestroying, isMoney, partsOf, withNouns, MOVES } from './names.ts';
import { doingOfSettings, EMPTIES, hasLongString } from './settings.ts';
import { actOfBody, AMOUNT, CONTENTS, EXPANDS, GRANT, graphOperation } from './http-body.ts';
import { carriesEncodedText, orderOfQuery, parametersOf } from './http-query.ts';
import { statementsIn } from './sql-start.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Doing, Lexicon, VerbEntry } from '../lexicon/types.ts';
import { K } from '../lexicon/word-kinds.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import { wordMap, wordSet } from '../text/word-set.ts';

export const METHODS: ReadonlyMap<string, ActionClass> = wordMap({
  read: 'GET HEAD OPTIONS PROPFIND',
  create: 'POST',
  update: 'PUT PATCH',
  delete: 'DELETE',
});

/** How much of a URL is read: the time for some patterns grows faster than its length. */
export const MAX_URL = 2_048;

interface UrlParts {
  readonly path: string;
  /** The names in the path. */
  readonly names: readonly string[];
  readonly query: string;
}

function partsOfUrl(url: string): UrlParts {
  const [location = '', query = ''] = url.slice(0, MAX_URL).split(/\?(.*)/s, 2);
  const path = location.replace(/^["']?[a-z]+:\/\/[^/]*/i, '').split('#', 1)[0] ?? '';
  return { path, names: path.split(/[/:]/).filter((part) => /^[a-z_][a-z_-]+$/i.test(part)), query };
}

const snake = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** The last name in the path of a URL, in snake_case: `orders` for `/v1/orders/42`. */
export const lastPathName = (url: string): string => snake(partsOfUrl(url).names.at(-1) ?? 'url');

export const isUrl = (text: string) => text.includes('://') && /^["']?https?:\/\//i.test(text);

const ACTING: ReadonlySet<string> = new Set(['execute', 'send', 'transfer', 'grant', 'revoke']);
/** Acts at the end of a URL that end what stands before them: `POST /users/7/disable`. */
const DISABLING = wordSet('shutdown seal quit poweroff halt disable deactivate suspend lock ban block');
/** What a word of a URL asks for. */
type Act = Doing & Pick<VerbEntry, 'verb'> & Partial<VerbEntry>;
const DISABLES: Act = { verb: 'disable', action: 'delete', effect: 'destructive', traits: [] };

/** What a command in a query says: `do=drop_table`. */
function verbOfName(name: string, lexicon: Lexicon): Act | undefined {
  const doing = doingOfName(name, lexicon);
  return doing && { ...doing, verb: partsOf(name)[0] ?? name };
}

/**
 * The action that a URL itself requests, whatever its method: `/users/1/delete`, `/admin/delete_user`, `?action=purge`. Undefined for names
 * of things: `GET /users/deleted` and `GET /orders/7/refund` only read.
 */
export function actOfUrl(url: string, lexicon: Lexicon): { entry: Act; object: string } | undefined {
  const { names, query } = partsOfUrl(url);
  const commanded = /(?:^|&)_?(?:action|act|do|op|operation|cmd|command|method)=([a-z_-]{1,40})/i.exec(query)?.[1];
  const candidates = commanded === undefined ? names : [...names, commanded];
  for (const [at, name] of candidates.entries()) {
    const [word = '', ...rest] = partsOf(name);
    const entry: Act | undefined =
      lexicon.verbs.get(word) ?? (name === commanded ? verbOfName(name, lexicon) : undefined);
    if (DISABLING.has(word) && at > 0 && at === candidates.length - 1 && rest.length === 0)
      return { entry: DISABLES, object: snake(candidates[at - 1] ?? 'url') };
    if (!entry || (entry.weak && name !== commanded) || !(entry.effect === 'destructive' || ACTING.has(entry.action)))
      continue;
    // A name that may also be a noun counts only if it is destructive and stands alone at the end.
    if (entry.alsoNoun && !(entry.effect === 'destructive' && at === candidates.length - 1 && rest.length === 0)) {
      continue;
    }
    const object = rest.length > 0 ? rest.join('_') : (candidates[at - 1] ?? candidates[at + 1] ?? 'url');
    return { entry, object: snake(object) };
  }
  return undefined;
}

/** What is sent, and where. */
export interface HttpParts {
  readonly method: string;
  readonly url: string;
  /** The body, if it is in the text. */
  readonly body?: string;
  /** The header lines, or text that contains them. */
  readonly headers?: string;
  /** Data comes from a file, a variable or another command. */
  readonly carries?: boolean;
  /** The body or the headers go on beyond what is given here. */
  readonly isCut?: boolean;
}

/** A method that a server takes in place of that of the request: `X-HTTP-Method-Override: DELETE`. */
const OVERRIDES = /\bx-(?:http-)?method(?:-override)?["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{2,10})/i;
/** The same in a form or an address: `_method=DELETE`. */
const OVERRIDES_IN_FORM = /\b_method["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{2,10})/i;

const methodOf = ({ method, url, body = '', headers = '' }: HttpParts): string =>
  OVERRIDES.exec(headers)?.[1] ?? OVERRIDES_IN_FORM.exec(body)?.[1] ?? OVERRIDES_IN_FORM.exec(url)?.[1] ?? method;

/** Whether a URL leads outside of the organisation. */
export const isOutside = (url: string, lexicon: Lexicon): boolean =>
  isExternalHost(hostOf(url.replace(/^["']/, '')), lexicon.internalHosts);

/** Whether creating something at this path moves money: `POST /v1/transfers`. */
function movesMoney(url: string, body: string, lexicon: Lexicon): boolean {
  const name = lastPathName(url);
  // `/orders/bulk-refund`
  const last = partsOf(name).at(-1) ?? name;
  if (isMoney(name, lexicon) || isMoney(last, lexicon)) return true;
  // `/invoices/7/pay`, `/accounts/7/balance`
  const isOfThing = new RegExp(`/[\\w-]*[\\d:{][\\w:{}-]*/${name}/?(?:[?#]|$)`, 'i').test(
    url.slice(0, MAX_URL).replaceAll('-', '_'),
  );
  if (isOfThing && (lexicon.verbs.get(name)?.action === 'transfer' || lexicon.codeWords.sqlMoney.has(name)))
    return true;
  return lexicon.verbs.get(singular(name, lexicon.plurals))?.action === 'transfer' && AMOUNT.test(body);
}

/** A status by which something is paid, or may begin. */
export const RELEASES =
  /["']?(?:status|state)["']?\s{0,3}[:=]\s{0,3}["']?(?:released?|approved?|paid|settled|executed?|sent|submitted|confirmed|authori[sz]ed)\b/i;
const OF_PAYMENT =
  /(?:payment|payout|transfer|refund|withdrawal|disbursement|settlement|payroll|invoice|charge|bill)s?\b/i;

const FIELD = /["']?([\w-]{1,40})["']?\s{0,3}[:=]\s{0,3}(?:"((?:[^"\\]|\\.){0,1000})"|'((?:[^'\\]|\\.){0,1000})')/g;
const WORDS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const MAX_WORDS = 200;

/**
 * Whether all words that destroy are in fields that hold text for people (`"title": "Destroy the backlog"`), or what is searched for. Other
 * fields may be orders.
 */
function isOnlyText(url: string, body: string, lexicon: Lexicon): boolean {
  const { textFields, searchFields } = lexicon.codeWords;
  const searches = lexicon.commandVerbs.get(lastPathName(url).split('_').at(-1) ?? '')?.action === 'read';
  const rest = body.replace(FIELD, (field, name: string) => {
    const last = partsOf(name).at(-1) ?? '';
    return textFields.has(last) || (searches && searchFields.has(last)) ? '' : field;
  });
  const path = url.replace(/^["']?[a-z]+:\/\/[^/]*/i, '');
  const words = [...(path.match(WORDS) ?? []), ...(rest.match(WORDS) ?? [])];
  return words.length <= MAX_WORDS && !words.some((word) => isDestroying(word.toLowerCase(), lexicon));
}

/** What belongs to somebody's rights: to add or replace one is to grant. */
const GRANTED =
  /\/(?:collaborators?|memberships?|roles?|permissions?|acls?|grants?|shares?|admins?|maintainers|role_?bindings?|bindings|iam|deploy_?keys|keys|access|impersonate|login\/as)(?:\/[\w@.:{}%*-]+)?\/?(?:[?#]|$)|[?&]acl\b/i;

/**
 * What the words of an address order beside the method: `POST /backups/7/pause`, and for a GET only with values that do harm:
 * `GET /users/7/update?role=admin`, `GET /pay?amount=900`.
 */
function orderOfUrl(url: string, body: string, isRead: boolean, lexicon: Lexicon): Doing | undefined {
  const { names, query } = partsOfUrl(url);
  const last = names.at(-1) ?? '';
  const doing = doingOfName(last, lexicon);
  const set = query === '' ? undefined : doingOfSettings(query, lexicon);
  if (isRead) {
    if (query === '' || doing === undefined || doing.effect === 'read') return undefined;
    return (
      set ??
      (AMOUNT.test(query) &&
      (doing.action === 'transfer' || movesMoney(url.split('?', 1)[0] ?? '', query + body, lexicon))
        ? MOVES
        : undefined)
    );
  }
  const graver =
    doing?.action === 'execute' || doing?.action === 'update' ? withNouns(doing, names.slice(-3), lexicon) : undefined;
  // `/policies/archive` may be the name of a thing.
  const isMeant = graver !== undefined && (doing?.action === 'execute' || graver.effect === 'destructive');
  // Commands of a search engine or of a store: `/_restore`.
  if (last.startsWith('_') && lexicon.codeWords.destroyingEndpoints.has(last.slice(1)))
    return gravest([set, RUNS_UNSEEN]);
  return gravest([set, isMeant ? graver : undefined]);
}

/** A host that a variable holds. */
const HOST_IN_VARIABLE = /^["']?[a-z][\w+.-]{0,20}:\/\/\$(?:\w{1,64}|\{\w{1,64}\})(?=[/?:"']|$)/i;

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})|[:=]\s{0,3}(?:\[\s{0,3}\]|\{\s{0,3}\})/;

/** Whether a request takes data out of the organisation. */
function leaks({ url, body = '', carries = false }: HttpParts, own: ActionClass, lexicon: Lexicon): boolean {
  const host = hostOf(url.replace(/^["']/, ''));
  const isPrivate = host?.split('.').some((part) => lexicon.wordKinds.has(part, K.private_service)) ?? false;
  return (
    carries ||
    EXPANDS.test(url.slice(0, MAX_URL).replace(HOST_IN_VARIABLE, '')) ||
    EXPANDS.test(body) ||
    CONTENTS.test(body) ||
    (own !== 'read' && isPrivate)
  );
}

const PARAMETER =
  /[?&;]([\w.[\]-]{1,60})=["']?((?:[a-z][a-z\d+.-]{0,20}:[\\/]{2}|[\\/]{2}(?=[^&;\\/]*\.))[^&;\s"']{2,500})/gi;
const SCHEME = /^(?:[a-z][a-z\d+.-]{0,20}:)?[\\/]{2}/i;
const readable = (url: string): string =>
  url.replaceAll(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** A header that names an address; others only tell where a request comes from. */
const HEADER =
  /(?:^|[\n\r,{;"'])\s{0,8}["']?((?!referer|origin|link|content-|access-)[a-z]+(?:-[a-z]+)+)["']?\s{0,3}:\s{0,3}["']?([^\s"',;]{5,500})/gi;
const MAIL = /^[\w.+-]{1,64}(?:@|%40)([\w-]+(?:\.[\w-]+)+)$/i;
const MAIL_PARAMETER = /[?&;]([\w.[\]-]{1,60})=["']?([^&;\s"'@%]{1,64}(?:@|%40)[\w.-]{3,253})/gi;
const RECEIVES = wordSet('to cc bcc recipient recipients');
/** What a path names that is made to be given to somebody. */
const HANDED_OUT = /(?:^|[/_-])(?:export|dump|download|extract|backup)s?(?:[/?_-]|$)/i;

/** Whether somebody gets something by the name of a value: `deliver_to`, `notify`. Where people are looked up, `email` only says whom. */
const receives = (name: string, lexicon: Lexicon): boolean =>
  partsOf(name).some((part) => {
    const verb = lexicon.verbs.get(part);
    return RECEIVES.has(part) || (verb?.action === 'send' && !verb.alsoNoun);
  });

const isAddressOutside = (value: string, lexicon: Lexicon): boolean =>
  SCHEME.test(value) && isOutside(value.replace(SCHEME, 'https://'), lexicon);
const isMailOutside = (value: string, lexicon: Lexicon): boolean => {
  const host = MAIL.exec(value)?.[1];
  return host !== undefined && isOutside(`mailto://${host}`, lexicon);
};

/**
 * Whether the answer goes to an address outside: `GET /customers?callback=https://leads.example/in`, in any scheme or that of the request
 * (`//leads.example`), and encoded twice as well; by a header, `X-Callback-Url`; or by mail, `?deliver_to=eva@leads.example`.
 */
function answersOutside(url: string, headers: string, lexicon: Lexicon): boolean {
  const { sensitiveSettings, lookFields, searchFields, textFields } = lexicon.codeWords;
  const isSensitive = (name: string) => partsOf(name).some((part) => sensitiveSettings.has(part));
  const isPlain = (name: string) =>
    [lookFields, searchFields, textFields].some((words) => words.has(name.toLowerCase()));
  const address = readable(readable(url));
  const hands = HANDED_OUT.test(url.replace(SCHEME, '').split('?', 1)[0] ?? '');
  return (
    [...address.matchAll(PARAMETER)].some(
      ([, name = '', value = '']) => (isSensitive(name) || !isPlain(name)) && isAddressOutside(value, lexicon),
    ) ||
    [...address.matchAll(MAIL_PARAMETER)].some(
      ([, name = '', value = '']) =>
        (receives(name, lexicon) || (hands && isSensitive(name))) && isMailOutside(value, lexicon),
    ) ||
    [...headers.matchAll(HEADER)].some(
      ([, name = '', value = '']) =>
        (isSensitive(name) && isAddressOutside(value, lexicon)) ||
        (receives(name, lexicon) && isMailOutside(value, lexicon)),
    )
  );
}

const SENDS_OUTSIDE: Doing = { action: 'send', effect: 'write', traits: ['external'] };
/** An object of its own, by which `readRequest` knows it. */
const ANSWERS_OUTSIDE: Doing = { ...SENDS_OUTSIDE };

/** Addresses to which something is sent are no news of a webhook where the path says so: `POST /subscriptions {"url": ...}`. */
const SUBSCRIBES = /webhook|hook|subscri|integration|forward|callback|notif/i;

/** Whether a body names somebody outside who gets something: `{"callback_url": "https://grab.example/in"}`. */
function givesToOutside(url: string, body: string, lexicon: Lexicon): boolean {
  const { receivers } = lexicon.codeWords;
  return [...body.matchAll(FIELD)].some(([, name = '', double, single]) => {
    const value = double ?? single ?? '';
    const parts = partsOf(name);
    const receives = parts.some((part) => receivers.has(part)) || (parts.includes('url') && SUBSCRIBES.test(url));
    return receives && isAddressOutside(value, lexicon);
  });
}

const RUNS_UNSEEN: Doing = { action: 'execute', effect: 'destructive', traits: [] };

/** What the statements of SQL in an address do: `?query=DROP+TABLE+hits`. */
const statementsOfUrl = (url: string, lexicon: Lexicon): readonly Doing[] =>
  partsOfUrl(url)
    .query.split('&')
    .map((pair) => readable(pair.slice(pair.indexOf('=') + 1).replaceAll('+', ' ')))
    .flatMap((value) => (/\s/.test(value) ? statementsIn(value, lexicon) : []))
    .filter(({ effect }) => effect !== 'read')
    .map(({ action, effect, traits }) => (action === 'unknown' ? RUNS_UNSEEN : { action, effect, traits }));

/** What a request orders or takes outside whose method only reads. */
function orderedByRead(url: string, body: string, lexicon: Lexicon): Doing | typeof NOT_UNDERSTOOD | undefined {
  const { path, query } = partsOfUrl(url);
  const parameters = parametersOf(query);
  // `params={"d": "..."}` of a client.
  const named = () =>
    Array.from(body.matchAll(FIELD), ([, name = '', double, single]) => ({
      name: name.toLowerCase(),
      value: double ?? single ?? '',
    }));
  const carries = isOutside(url, lexicon) && carriesEncodedText([...parameters, ...named()], lexicon);
  return gravest([orderOfQuery(path, parameters, lexicon), carries ? NOT_UNDERSTOOD : undefined]);
}

/** What the address and the body of a request ask for beside its method. */
function askedBeside(
  { method, url, body = '', headers = '' }: HttpParts,
  own: ActionClass,
  lexicon: Lexicon,
): readonly (Doing | typeof NOT_UNDERSTOOD | undefined)[] {
  const path = url.slice(0, MAX_URL);
  const changes = own !== 'read' && own !== 'delete';
  return [
    own === 'read' ? orderedByRead(url, body, lexicon) : undefined,
    // What is put replaces what was there.
    method.toUpperCase() === 'PUT' && EMPTY.test(body) ? EMPTIES : undefined,
    orderOfUrl(url, body, own === 'read', lexicon),
    ...statementsOfUrl(url, lexicon),
    answersOutside(path, headers, lexicon) ? ANSWERS_OUTSIDE : undefined,
    changes && givesToOutside(path, body, lexicon) ? ANSWERS_OUTSIDE : undefined,
    own === 'read'
      ? graphOperation(body, lexicon)
      : actOfBody(body, own === 'update', lexicon, path.split('/').slice(-3)),
    changes && GRANTED.test(path.replaceAll('-', '_')) ? GRANT : undefined,
    own === 'update' && RELEASES.test(body) && OF_PAYMENT.test(url) ? MOVES : undefined,
    changes && movesMoney(url, body, lexicon) ? MOVES : undefined,
    // `POST /pay`: a collection would have a plural.
    own === 'create' && lexicon.verbs.get(lastPathName(url))?.action === 'transfer' ? MOVES : undefined,
  ];
}

/** What a request does: by its method, or graver by its URL or its body. What is not read of them may ask for anything. */
export function requestFragment(parts: HttpParts, span: Span, lexicon: Lexicon): Fragment {
  const read = readRequest(parts, span, lexicon);
  if (parts.url.length <= MAX_URL && parts.isCut !== true && !hasLongString(parts.body ?? '')) return read;
  const { object, traits } = read;
  const isExternal = traits.includes('external');
  const rest = unknownCode(span, { domain: 'web', language: 'http', object, traits: isExternal ? ['external'] : [] });
  return gravest([{ ...read, isWhole: false }, rest]) ?? rest;
}

/** Searches of Elasticsearch and OpenSearch, whose query is the body. */
const SEARCHES = /^\/?(?:[\w.,*-]{1,200}\/)?_(?:search|count|msearch|mget|field_caps)\/?$/;

function readRequest(parts: HttpParts, span: Span, lexicon: Lexicon): Fragment {
  const { url, body = '' } = parts;
  const method = methodOf(parts);
  if (/^(?:get|post)$/i.test(method) && SEARCHES.test(url))
    return readsOnly(span, { verb: 'search', object: '_search', domain: 'web', language: 'http' });
  // Another method says itself what it does (`PURGE`), or is not understood.
  const listed = METHODS.get(method.toUpperCase());
  const named = listed === undefined ? doingOfName(method.toLowerCase(), lexicon) : undefined;
  // `MOVE` and `LOCK` of WebDAV are no words of a sentence.
  const other = named && gravity(named) > gravity(NOT_UNDERSTOOD) ? named : undefined;
  const own = listed ?? other?.action;
  if (own === undefined) return unknownCode(span, { domain: 'web', language: 'http' });
  const outside = isOutside(url, lexicon);
  const byMethod: Doing =
    outside && own !== 'delete' && leaks(parts, own, lexicon)
      ? SENDS_OUTSIDE
      : (other ?? { action: own, effect: effectOfAction(own), traits: [] });
  const act = actOfUrl(url, lexicon);
  const doing = gravest([byMethod, act?.entry, ...askedBeside({ ...parts, method }, own, lexicon)]) ?? byMethod;
  const acts = act !== undefined && doing === act.entry ? act : undefined;
  const isExternal = outside && doing.action !== 'read';
  return fragmentOf(span, {
    verb: acts?.entry.verb ?? method.toLowerCase(),
    action: doing.action,
    effect: doing.effect,
    traits: [...new Set([...doing.traits, ...(isExternal ? (['external'] as const) : [])])],
    object: acts?.object ?? lastPathName(url),
    // It is no page of the web that leaves.
    domain: doing === ANSWERS_OUTSIDE ? 'data' : 'web',
    language: 'http',
    isWhole: isOnlyText(url, body, lexicon),
  });
}
