// Reads HTTP requests: request lines, requests in words, the arguments of curl and of fetch, GraphQL operations.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { type Fragment, fragmentOf, gravity, type Span, unknownCode, gravest } from './code.ts';
import { doingOfName, isMoney, partsOf, withNouns, MOVES } from './names.ts';
import { doingOfSettings, EMPTIES } from './settings.ts';
import { actOfBody, AMOUNT, CONTENTS, EXPANDS, GRANT, graphOperation } from './http-body.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Doing, Lexicon, VerbEntry } from '../lexicon/types.ts';
import { K } from '../lexicon/word-kinds.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import { wordMap } from '../text/word-set.ts';

/** HTTP methods with their action classes. */
export const METHODS: ReadonlyMap<string, ActionClass> = wordMap({
  read: 'GET HEAD OPTIONS PROPFIND',
  create: 'POST',
  update: 'PUT PATCH',
  delete: 'DELETE',
});

/** The last name in the path of a URL, in snake_case: `orders` for `/v1/orders/42`. */
export function lastPathName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const names = path.split('/').filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part));
  return (names.at(-1) ?? 'url').toLowerCase().replace(/-/g, '_');
}

export const isUrl = (text: string) => text.includes('://') && /^["']?https?:\/\//i.test(text);

const ACTING: ReadonlySet<string> = new Set(['execute', 'send', 'transfer', 'grant', 'revoke']);
const MAX_NAMES = 32;
/** Acts at the end of a URL that end what stands before them: `POST /users/7/disable`. */
const DISABLING: ReadonlySet<string> = new Set([
  'shutdown',
  'seal',
  'quit',
  'poweroff',
  'halt',
  'disable',
  'deactivate',
  'suspend',
  'lock',
  'ban',
  'block',
]);
const DISABLES: VerbEntry = {
  verb: 'disable',
  action: 'delete',
  effect: 'destructive',
  traits: [],
  object: undefined,
  mentions: false,
  weak: false,
  alsoNoun: false,
};

/** What a command in a query says: `do=drop_table`. */
function verbOfName(name: string, lexicon: Lexicon): VerbEntry | undefined {
  const doing = doingOfName(name, lexicon);
  return doing && { ...DISABLES, ...doing, verb: partsOf(name)[0] ?? name };
}

/**
 * The action that a URL itself requests, whatever its method: `/users/1/delete`, `/admin/delete_user`, `?action=purge`. Undefined for names
 * of things: `GET /users/deleted` and `GET /orders/7/refund` only read.
 */
export function actOfUrl(url: string, lexicon: Lexicon): { entry: VerbEntry; object: string } | undefined {
  const [location = '', query = ''] = url.slice(0, 2_048).split(/\?(.*)/s, 2);
  const names = location
    .replace(/^["']?[a-z]+:\/\/[^/]*/i, '')
    .split('#', 1)[0]
    ?.split(/[/:]/)
    .filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part))
    .slice(-MAX_NAMES);
  const commanded = /(?:^|&)_?(?:action|act|do|op|operation|cmd|command|method)=([a-z_-]{1,40})/i.exec(query)?.[1];
  const candidates = commanded === undefined ? (names ?? []) : [...(names ?? []), commanded];
  for (const [at, name] of candidates.entries()) {
    const [word = '', ...rest] = name.toLowerCase().replace(/^_+/, '').split(/[_-]+/);
    const entry = lexicon.verbs.get(word) ?? (name === commanded ? verbOfName(name, lexicon) : undefined);
    if (DISABLING.has(word) && at > 0 && at === candidates.length - 1 && rest.length === 0)
      return { entry: DISABLES, object: (candidates[at - 1] ?? 'url').toLowerCase().replaceAll('-', '_') };
    if (!entry || (entry.weak && name !== commanded) || !(entry.effect === 'destructive' || ACTING.has(entry.action)))
      continue;
    // A name that may also be a noun counts only if it is destructive and stands alone at the end.
    if (entry.alsoNoun && !(entry.effect === 'destructive' && at === candidates.length - 1 && rest.length === 0)) {
      continue;
    }
    const object = rest.length > 0 ? rest.join('_') : (candidates[at - 1] ?? candidates[at + 1] ?? 'url');
    return { entry, object: object.toLowerCase().replaceAll('-', '_') };
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
}

/** A method that a server takes in place of that of the request: `X-HTTP-Method-Override: DELETE`. */
const OVERRIDES = /\bx-(?:http-)?method(?:-override)?["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{2,10})/i;
/** The same in a form or an address: `_method=DELETE`. */
const OVERRIDES_IN_FORM = /\b_method["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{2,10})/i;

const methodOf = ({ method, url, body = '', headers = '' }: HttpParts): string =>
  OVERRIDES.exec(headers)?.[1] ?? OVERRIDES_IN_FORM.exec(body)?.[1] ?? OVERRIDES_IN_FORM.exec(url)?.[1] ?? method;

/** Whether a URL leads outside of the organisation. */
export function isOutside(url: string, lexicon: Lexicon): boolean {
  const host = hostOf(url.replace(/^["']/, ''));
  return host !== undefined && isExternalHost(host, lexicon.internalHosts);
}

const MAX_URL = 2_048;
/** Whether creating something at this path moves money: `POST /v1/transfers`. */
function movesMoney(url: string, body: string, lexicon: Lexicon): boolean {
  const name = lastPathName(url);
  if (isMoney(name, lexicon)) return true;
  // `/invoices/7/pay`, `/accounts/7/balance`
  const isOfThing = new RegExp(`/[\\w-]*[\\d:{][\\w:{}-]*/${name}/?(?:[?#]|$)`, 'i').test(
    url.slice(0, MAX_URL).replaceAll('-', '_'),
  );
  if (isOfThing && (lexicon.verbs.get(name)?.action === 'transfer' || lexicon.codeWords.sqlMoney.has(name)))
    return true;
  return lexicon.verbs.get(singular(name, lexicon.plurals))?.action === 'transfer' && AMOUNT.test(body);
}

/** A state by which a payment is made. */
const RELEASES =
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
  return (
    words.length <= MAX_WORDS && !words.some((word) => lexicon.destructiveWords.find(word.toLowerCase()) === 'word')
  );
}

/** What belongs to somebody's rights: to add or replace one is to grant. */
const GRANTED =
  /\/(?:collaborators?|memberships?|roles?|permissions?|acls?|grants?|shares?|admins?|maintainers|role_?bindings?|bindings|iam|deploy_?keys|keys|access|impersonate|login\/as)(?:\/[\w@.:{}%*-]+)?\/?(?:[?#]|$)|[?&]acl\b/i;

/**
 * What the words of an address order beside the method: `POST /backups/7/pause`, and for a GET only with values that do harm:
 * `GET /users/7/update?role=admin`, `GET /pay?amount=900`.
 */
function orderOfUrl(url: string, body: string, isRead: boolean, lexicon: Lexicon): Doing | undefined {
  const [location = '', query = ''] = url.slice(0, MAX_URL).split(/\?(.*)/s, 2);
  const names = location.split(/[/:]/).filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part));
  const last = names.at(-1) ?? '';
  const doing = doingOfName(last, lexicon);
  const set = query === '' ? undefined : doingOfSettings(query, lexicon);
  if (isRead) {
    if (query === '' || doing === undefined || doing.effect === 'read') return undefined;
    return (
      set ??
      (AMOUNT.test(query) && (doing.action === 'transfer' || movesMoney(location, query + body, lexicon))
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
    return gravest([set, { action: 'execute', effect: 'destructive', traits: [] }]);
  return gravest([set, isMeant ? graver : undefined]);
}

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})|[:=]\s{0,3}(?:\[\s{0,3}\]|\{\s{0,3}\})/;

const UNKNOWN = { action: 'unknown', effect: 'write', traits: [] } as const;

/** What a request does: by its method, or graver by its URL or its body. */
export function requestFragment(parts: HttpParts, span: Span, lexicon: Lexicon): Fragment {
  const { url, body = '', carries = false } = parts;
  const method = methodOf(parts);
  // Another method says itself what it does (`PURGE`), or is not understood.
  const listed = METHODS.get(method.toUpperCase());
  const named = listed === undefined ? doingOfName(method.toLowerCase(), lexicon) : undefined;
  // `MOVE` and `LOCK` of WebDAV are no words of a sentence.
  const other = named && gravity(named) > gravity(UNKNOWN) ? named : undefined;
  if (listed === undefined && other === undefined) return unknownCode(span, { domain: 'web', language: 'http' });
  const own = listed ?? other?.action ?? 'execute';
  const outside = isOutside(url, lexicon);
  const isPrivate = () =>
    hostOf(url.replace(/^["']/, ''))
      ?.split('.')
      .some((part) => lexicon.wordKinds.has(part, K.private_service));
  const leaks =
    outside &&
    (carries ||
      EXPANDS.test(url.slice(0, 2_048)) ||
      EXPANDS.test(body) ||
      CONTENTS.test(body) ||
      (own !== 'read' && isPrivate() === true));
  const byMethod: Doing =
    leaks && own !== 'delete'
      ? { action: 'send', effect: 'write', traits: ['external'] }
      : (other ?? { action: own, effect: effectOfAction(own), traits: [] });
  const act = actOfUrl(url, lexicon);
  const asks: Doing[] = [byMethod];
  if (act) asks.push(act.entry);
  // What is put replaces what was there.
  if (method.toUpperCase() === 'PUT' && EMPTY.test(body)) asks.push(EMPTIES);
  const ordered = orderOfUrl(url, body, own === 'read', lexicon);
  if (ordered) asks.push(ordered);
  const said =
    own === 'read'
      ? graphOperation(body, lexicon)
      : actOfBody(body, own === 'update', lexicon, url.slice(0, MAX_URL).split('/').slice(-3));
  if (said) asks.push(said);
  if (own !== 'read' && own !== 'delete' && GRANTED.test(url.slice(0, MAX_URL).replaceAll('-', '_'))) asks.push(GRANT);
  if (own === 'update' && RELEASES.test(body) && OF_PAYMENT.test(url)) asks.push(MOVES);
  if (own !== 'read' && own !== 'delete' && movesMoney(url, body, lexicon)) asks.push(MOVES);
  const doing = gravest(asks) ?? byMethod;
  const isExternal = outside && doing.action !== 'read';
  return fragmentOf(span, {
    verb: act !== undefined && doing === act.entry ? act.entry.verb : method.toLowerCase(),
    action: doing.action,
    effect: doing.effect,
    traits: [...new Set([...doing.traits, ...(isExternal ? (['external'] as const) : [])])],
    object: act !== undefined && doing === act.entry ? act.object : lastPathName(url),
    domain: 'web',
    language: 'http',
    isWhole: isOnlyText(url, body, lexicon),
  });
}

const METHOD_OPTIONS = /^(?:-X|--req[a-z]*|--meth[a-z]*|-met[a-z]*|-Met[a-z]*|-Method)$/;
const GLUED_METHOD = /^(?:-X|--(?:req|meth)[a-z]*=|-[mM]et[a-z]*:)([A-Za-z]+)$/;
const DATA_OPTIONS =
  /^(?:-d|-F|-T|--data[a-z-]*|--form[a-z-]*|--upload-file|--json|--post-data|--post-file|--field|--raw-field|--input|--body[a-z-]*|-Body|-InFile)(?:=(.*))?$/s;
const GLUED_DATA = /^-([dFT])(.+)$/s;
const HEADER_OPTIONS = /^(?:-H|--header|-Headers)$/;
const SAVES = /^(?:-[a-zA-Z]{0,6}[oO]|--output(?:=.*)?|--remote-name|-OutFile)$/;

/** The letters of curl's options that have a value. */
const CURL_VALUED = /[AbcCdDeEFHKmoPQrtTuUwxXyYz]/;
const CLUSTER = /^-[A-Za-z#]/;
/** PowerShell, where curl is another name of its own command, has options of several letters. */
const POWERSHELL = /^-(?:Method|Uri|Body|InFile|OutFile|Headers|ContentType|UseBasicParsing|Credential)\b/i;

/** Commands of PowerShell that make requests, and the options that their abbreviations stand for. */
const POWERSHELL_REQUESTS = /^(?:irm|iwr|invoke-(?:restmethod|webrequest))$/i;
const POWERSHELL_OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^-m(?!ax)[a-z]*$/i, '-Method'],
  [/^-cu[a-z]*$/i, '-Method'],
  [/^-(?:b|f)[a-z]*$/i, '-Body'],
  [/^-inf[a-z]*$/i, '-InFile'],
  [/^-o[a-z]*$/i, '-OutFile'],
  [/^-h[a-z]*$/i, '-Headers'],
];
const inFull = (word: string): string => {
  const [name = '', value] = word.split(/:(.*)/s, 2);
  const full = POWERSHELL_OPTIONS.find(([short]) => short.test(name))?.[1] ?? name;
  return value === undefined ? full : `${full}:${value}`;
};

/** The words of a command line of curl with its clusters of options apart: `-sXDELETE` is `-s -X DELETE`. */
export function curlWords(words: readonly string[]): string[] {
  if (POWERSHELL_REQUESTS.test(words[0] ?? ''))
    return words.map((word) => (word.startsWith('-') ? inFull(word) : word));
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!CLUSTER.test(word) || POWERSHELL.test(word)) {
      found.push(word);
      continue;
    }
    const valued = word.slice(1).search(CURL_VALUED) + 1;
    const flags = valued === 0 ? word.slice(1) : word.slice(1, valued + 1);
    found.push(...[...flags].map((letter) => `-${letter}`));
    // Its value follows in the same word or as the next one, which is no option then.
    if (valued > 0) found.push(valued + 1 < word.length ? word.slice(valued + 1) : (words[(at += 1)] ?? ''));
  }
  return found;
}

/** The request that a command line of curl, wget, httpie or PowerShell makes. `pipes`: another command writes its input. */
export function requestOfWords(words: readonly string[], { pipes }: { pipes: boolean }) {
  const bodies: string[] = [];
  const headers: string[] = [];
  const isGitHub = words[0] === 'gh';
  const isHttpie = /^(?:https?|xh)$/i.test(words[0] ?? '');
  let [method, url, saves, isQuery, uploads] = ['', '', false, false, isHttpie && pipes];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const data = DATA_OPTIONS.exec(word);
    const gluedData = data ? null : GLUED_DATA.exec(word);
    if (METHOD_OPTIONS.test(word)) method = words[(at += 1)] ?? '';
    else if (GLUED_METHOD.test(word)) method = GLUED_METHOD.exec(word)?.[1] ?? '';
    else if (data || (isGitHub && word === '-f')) {
      const value = data?.[1] ?? words[(at += 1)] ?? '';
      bodies.push(value);
      uploads ||= /^(?:-T|--upload-file|--post-file|--body-file|--input|-InFile)/i.test(word);
    } else if (gluedData) bodies.push(gluedData[2] ?? '');
    else if (HEADER_OPTIONS.test(word)) headers.push(words[(at += 1)] ?? '');
    else if (word.startsWith('--header=')) headers.push(word);
    else if (word === '-G' || word === '--get') isQuery = true;
    else if (word === '-I' || word === '--head') method = 'HEAD';
    else if (SAVES.test(word)) saves = true;
    else if (isHttpie && METHODS.has(word.toUpperCase())) method = word;
    else if (isUrl(word) || (url === '' && !word.startsWith('-') && /[./:]/.test(word))) url = word;
    else if (isHttpie && /^[\w.-]{1,40}(?:=|:=|@)/.test(word)) bodies.push(word);
  }
  const carries =
    uploads || bodies.some((body) => /(?:^|=)[@<]/.test(body) || /^[\w.-]{1,40}@/.test(body) || EXPANDS.test(body));
  const byDefault = bodies.length > 0 && !isQuery ? 'POST' : 'GET';
  return {
    method: method || (uploads ? 'PUT' : byDefault),
    url: /:\/\//.test(url) ? url : `http://${url}`,
    body: bodies.join('\n'),
    headers: headers.join('\n'),
    carries,
    saves,
  };
}
