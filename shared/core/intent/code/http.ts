// Reads HTTP requests: request lines, requests in words, the arguments of curl and of fetch, GraphQL operations.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { type Fragment, fragmentOf, gravity, type Span, unknownCode } from './code.ts';
import { disablesSomething, doingOfName, EMPTIES, emptiesSetting, isMoney, partsOf } from './commands.ts';
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
const DISABLING: ReadonlySet<string> = new Set(['disable', 'deactivate', 'suspend', 'lock', 'ban', 'block']);
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

/**
 * The action that a URL itself requests, whatever its method: `/users/1/delete`, `/admin/delete_user`, `?action=purge`. Undefined for names
 * of things: `GET /users/deleted` and `GET /orders/7/refund` only read.
 */
export function actOfUrl(url: string, lexicon: Lexicon): { entry: VerbEntry; object: string } | undefined {
  const [location = '', query = ''] = url.slice(0, 2_048).split(/\?(.*)/s, 2);
  const names = location
    .replace(/^["']?[a-z]+:\/\/[^/]*/i, '')
    .split('#', 1)[0]
    ?.split('/')
    .filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part))
    .slice(-MAX_NAMES);
  const commanded = /(?:^|&)_?(?:action|act|do|op|operation|cmd|command|method)=([a-z_-]{1,40})/i.exec(query)?.[1];
  const candidates = commanded === undefined ? (names ?? []) : [...(names ?? []), commanded];
  for (const [at, name] of candidates.entries()) {
    const [word = '', ...rest] = name.toLowerCase().replace(/^_+/, '').split(/[_-]+/);
    const entry = lexicon.verbs.get(word);
    if (DISABLING.has(word) && at > 0 && at === candidates.length - 1 && rest.length === 0)
      return { entry: DISABLES, object: (candidates[at - 1] ?? 'url').toLowerCase().replaceAll('-', '_') };
    if (!entry || entry.weak || !(entry.effect === 'destructive' || ACTING.has(entry.action))) continue;
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

const OPERATION =
  /["']?_?(?:op|operation|action|act|do|cmd|command|method|type)["']?\s{0,3}[:=]\s{0,3}["']([a-z_-]{2,40})["']/gi;
/** What something becomes: `"status": "deleted"`. */
const STATE = /["']?(?:status|state|lifecycle|phase)["']?\s{0,3}[:=]\s{0,3}["']?([a-z]{3,40})/gi;
/** A role with power over others: `"role": "owner"`. */
const GRANTS =
  /\b(?:roles?|permissions?|access_?level|privileges?)["']?\s{0,3}[:=]\s{0,3}[["'{\s]{0,4}(?:admin|owner|superuser|root|maintain|write|editor|operator)/i;
const GRANT: Doing = { action: 'grant', effect: 'write', traits: ['privileged'] };
const EXPOSES =
  /\bprivate["']?\s{0,3}[:=]\s{0,3}false|\b(?:is_)?public["']?\s{0,3}[:=]\s{0,3}true|\bvisibility["']?\s{0,3}[:=]\s{0,3}["']?public/i;
/** `<contents of .env>` */
const CONTENTS = /\bcontents? of\b/i;
const EXPANDS = /\$(?:\{|\(|[A-Z_a-z])|`/;
const AMOUNT = /["']?(?:amount|sum|total|value)["']?\s{0,3}[:=]/i;

/** What a body asks for, whatever the method: `{"op":"destroy"}`, a GraphQL mutation, a setting that empties. */
function actOfBody(body: string, isUpdate: boolean, lexicon: Lexicon): Doing | undefined {
  const named = [...body.matchAll(OPERATION)].flatMap(([, name = '']) => doingOfName(name, lexicon) ?? []);
  for (const [, state = ''] of body.matchAll(STATE)) {
    const become = lexicon.participles.get(state.toLowerCase());
    if (become?.effect === 'destructive') named.push(become);
  }
  const graph = graphOperation(body, lexicon);
  if (graph) named.push(graph);
  if (emptiesSetting(body, lexicon) || (isUpdate && disablesSomething(body, lexicon))) named.push(EMPTIES);
  if (GRANTS.test(body)) named.push(GRANT);
  if (isUpdate && EXPOSES.test(body)) named.push({ ...GRANT, traits: ['privileged', 'external'] });
  return named.reduce<Doing | undefined>((a, b) => (a === undefined || gravity(b) > gravity(a) ? b : a), undefined);
}

const MAX_GRAPH = 4_000;
const GRAPH_FIELD = /[{}]|\b([A-Za-z_]\w{1,60})\s{0,3}(?=[({:])/g;

/** What a GraphQL operation does: the fields of a mutation, by the verbs in their names. */
export function graphOperation(text: string, lexicon: Lexicon): Doing | undefined {
  const code = text.slice(0, MAX_GRAPH);
  // First, because a body names its operation `query` whatever it is.
  const head = /\b(mutation)\b(?=[^{}]{0,300}\{)/.exec(code) ?? /\b(query|subscription)\b(?=[^{}]{0,300}\{)/.exec(code);
  if (!head) return undefined;
  if (head[1] !== 'mutation') return { action: 'read', effect: 'read', traits: [] };
  const fields = [...text.slice(head.index + 8, head.index + MAX_GRAPH).matchAll(GRAPH_FIELD)];
  const found = fields.flatMap(([, name]) => (name === undefined ? [] : (doingOfName(name, lexicon) ?? [])));
  if (emptiesSetting(code, lexicon) || disablesSomething(code, lexicon)) return EMPTIES;
  if (GRANTS.test(code)) return GRANT;
  const write: Doing = { action: 'update', effect: 'write', traits: [] };
  return found.reduce((a, b) => (gravity(b) > gravity(a) ? b : a), write);
}

/** Whether a URL leads outside of the organisation. */
export function isOutside(url: string, lexicon: Lexicon): boolean {
  const host = hostOf(url.replace(/^["']/, ''));
  return host !== undefined && isExternalHost(host, lexicon.internalHosts);
}

/** Whether creating something at this path moves money: `POST /v1/transfers`. */
function movesMoney(url: string, body: string, lexicon: Lexicon): boolean {
  const name = lastPathName(url);
  if (isMoney(name, lexicon)) return true;
  return lexicon.verbs.get(singular(name, lexicon.plurals))?.action === 'transfer' && AMOUNT.test(body);
}

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

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})|[:=]\s{0,3}(?:\[\s{0,3}\]|\{\s{0,3}\})/;

/** What a request does: by its method, or graver by its URL or its body. */
export function requestFragment(parts: HttpParts, span: Span, lexicon: Lexicon): Fragment {
  const { url, body = '', carries = false } = parts;
  const method = methodOf(parts);
  // Another method says itself what it does (`PURGE`), or is not understood.
  const listed = METHODS.get(method.toUpperCase());
  const other = listed === undefined ? doingOfName(method.toLowerCase(), lexicon) : undefined;
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
  const said = own === 'read' ? graphOperation(body, lexicon) : actOfBody(body, own === 'update', lexicon);
  if (said) asks.push(said);
  if (own !== 'read' && own !== 'delete' && movesMoney(url, body, lexicon))
    asks.push({ action: 'transfer', effect: 'write', traits: ['financial'] });
  const doing = asks.reduce((a, b) => (gravity(b) > gravity(a) ? b : a));
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

const METHOD_OPTIONS = /^(?:-X|--req[a-z]*|--meth[a-z]*|-met[a-z]*|-Met[a-z]*)$/;
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

/** The words of a command line of curl with its clusters of options apart: `-sXDELETE` is `-s -X DELETE`. */
export function curlWords(words: readonly string[]): string[] {
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
  const isHttpie = /^(?:https?|xh)$/.test(words[0] ?? '');
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
