// Recognizes HTTP requests in a text: request lines, requests in words, GraphQL operations, and URLs that act when they are opened.
import { beginningOf } from '../first-of.ts';
import { type Fragment, fragmentOf, sentOutside, type Span, unknownCode } from './code.ts';
import { endOfDocument, type GraphDocument, graphDocument, IN_GRAPH } from './graphql.ts';
import { graphOperation, withSettings } from './http-body.ts';
import { actOfUrl, isOutside, isUrl, MAX_URL, METHODS, requestFragment } from './http.ts';
import { isDestroying } from './names.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { sqlFragments } from './sql.ts';
import type { Piece, Place, ReadAt } from './start.ts';

/** The number of pieces between a method in words and its address. */
const MAX_BETWEEN = 6;
const MAX_BODY = 2_000;
const REQUEST = /^(?:requests?|calls?)$/;
const isTarget = (text: string): boolean => /^["'<]?\/[\w{:*_.-]/.test(text) || isUrl(text);
const bare = (text: string): string => text.replace(/^["'<]|[>"',.;]+$/g, '');

interface Body {
  readonly body: string;
  /** The offset after its last bracket. */
  readonly end: number;
  /** It goes on beyond what is read. */
  readonly isCut: boolean;
}

/** Whether a bracket is open at the end of some code, not counting those in strings. */
function isOpen(code: string): boolean {
  const bare = code.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '');
  return (bare.match(/[{[]/g) ?? []).length > (bare.match(/[}\]]/g) ?? []).length;
}

/** The body after a request: from its first brace or its data to the end of the paragraph. */
function bodyAfter(text: string, from: number): Body {
  const { kept: rest, isCut: goesOn } = beginningOf(text.slice(from, from + MAX_BODY + 1), MAX_BODY);
  const start = rest.search(/[{[]|\b\w{1,40}=/);
  // Blanks or headers may hide where it begins.
  if (start < 0) return { body: '', end: from, isCut: goesOn && (rest.trim() === '' || HEADERS.test(rest)) };
  const next = rest.slice(start).search(/\s(?:GET|POST|PUT|PATCH|DELETE)\s/);
  const first = rest.slice(start, next < 0 ? undefined : start + next);
  // The name of a method in a string begins no request.
  const body = isOpen(first) ? rest.slice(start) : first;
  const isCut = goesOn && (isOpen(body) || !/\s/.test(body) || HEADERS.test(rest));
  return { body, end: from + start + Math.max(body.lastIndexOf('}'), body.lastIndexOf(']')) + 1, isCut };
}
/** Nothing but lines of headers, the last of which may be cut. */
const HEADERS = /^[^\n]{0,200}\n(?:[A-Za-z][\w-]{0,60}:[^\n]*\n)+[^\n]*$/;

const MAX_CARRIED = 80;
const EMPTY_IN_WORDS = /\b(?:empty|blank)\s{1,3}(?:array|list|object|body|document|payload|string|json)\b/i;
/** Words after a request that say what it carries. */
const CARRIES = /^\W{0,3}\s{0,3}(?:with|containing|carrying|including)\s{1,3}(?![\s{["'])/i;

const ENDPOINT = /^(?:endpoint|route|api|resource|url|webhook)s?[.,;:!?]?$/;
const LEADS_TO = /^(?:to|on|at|against|the|with|via|via|using|of)$/;
const NEAR_ENDPOINT = 8;

/** The path of an endpoint that the words around a method name: `issue a POST to the charges endpoint`, `call the payouts API with POST`. */
function namedEndpoint(pieces: readonly Piece[], at: number): string | undefined {
  const near = pieces.slice(Math.max(0, at - NEAR_ENDPOINT), at + NEAR_ENDPOINT + 1);
  const end = near.findIndex(({ lower }) => ENDPOINT.test(lower));
  const beside = [pieces[at - 1], pieces[at + 1]].some((piece) => piece !== undefined && LEADS_TO.test(piece.lower));
  if (end < 1 || !beside) return undefined;
  const name = near[end - 1]?.lower.replace(/[^a-z_-]/g, '') ?? '';
  return name === '' || LEADS_TO.test(name) ? '/' : `/${name}`;
}

/** `LOCK /files/a.txt HTTP/1.1`, or a method of WebDAV that a header follows. */
const REQUEST_LINE = /[A-Z]{3,20}[ \t]+\S{1,2000}(?:[ \t]+HTTP\/\d|[ \t]*\r?\n[A-Z][\w-]{1,40}:[ \t])/y;

function isRequestLine(text: string, at: number): boolean {
  REQUEST_LINE.lastIndex = at;
  return REQUEST_LINE.test(text);
}

const VERSION = /[ \t]+HTTP\/\d[.\d]*/y;
/** A header whose value may be plain. */
const HEADER =
  /[ \t]*\r?\n([A-Za-z][\w-]{0,60}):[ \t]*((?:[\w.,:*/+="'{}$<>@%? -]|; ?[a-z-]{1,20}=){0,500})(?=\r?\n|$)/y;

/** The offset after the headers of a request line that say only how, or in whose name, it is sent. Who asks is no secret inside. */
function endOfHeaders(text: string, from: number, isInside: boolean, lexicon: Lexicon): number {
  const { plainHeaders, callerHeaders } = lexicon.codeWords;
  const isPlain = (name: string) => plainHeaders.has(name) || (isInside && callerHeaders.has(name));
  VERSION.lastIndex = from;
  let end = from + (VERSION.exec(text)?.[0].length ?? 0);
  for (;;) {
    HEADER.lastIndex = end;
    const [line = '', name = '', value = ''] = HEADER.exec(text) ?? [];
    const destroys = value.split(/[^a-z]+/i).some((word) => isDestroying(word.toLowerCase(), lexicon));
    if (line === '' || destroys || !isPlain(name.toLowerCase())) return end;
    end += line.length;
  }
}

const HOST = /^host:[ \t]*([^\s/]{1,253})/gim;

/** The address of a request, with a host that stands in a header if that is outside. */
function addressOf(url: string, headers: string, lexicon: Lexicon): string {
  if (!url.startsWith('/')) return url;
  const absolute = Array.from(headers.matchAll(HOST), ([, host = '']) => `https://${host}${url}`);
  return absolute.find((address) => isOutside(address, lexicon)) ?? url;
}

/** A request: `DELETE /v1/users/7`, `send a DELETE request to /v1/users`. */
export function httpAt({ text, pieces, at, lexicon }: Place): ReadAt | undefined {
  const head = pieces[at];
  const method = head?.text.toUpperCase() ?? '';
  const isCapital = head?.text === method;
  if (!head || !(METHODS.has(method) || (isCapital && isRequestLine(text, head.at)))) return undefined;
  const inWords = REQUEST.test(pieces[at + 1]?.lower ?? '');
  if (!isCapital && !inWords) return undefined;
  const most = inWords ? MAX_BETWEEN + 1 : isCapital && !isTarget(pieces[at + 1]?.text ?? '') ? 3 : 1;
  const next = pieces.slice(at + 1, at + 1 + most).find(({ text: word }) => isTarget(word));
  const named = next || !isCapital ? undefined : namedEndpoint(pieces, at);
  if (!next && !(inWords && isCapital) && named === undefined) return undefined;
  const last = next ?? (named !== undefined && !inWords ? head : (pieces[at + 1] ?? head));
  const end = last.at + last.text.length;
  const headers = text.slice(end, end + MAX_BODY);
  const isLong = text.length > end + MAX_BODY;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const { body, ...after } = hasBody ? bodyAfter(text, end) : { body: '', end, isCut: isLong && HEADERS.test(headers) };
  const hasHeaders = next !== undefined && isCapital;
  const target = next ? bare(next.text) : (named ?? '/');
  const url = hasHeaders ? addressOf(target, headers, lexicon) : target;
  const nothing = EMPTY_IN_WORDS.test(text.slice(end, end + MAX_CARRIED)) ? '[]' : body;
  const carries = isOutside(url, lexicon) && CARRIES.test(text.slice(end, end + MAX_CARRIED));
  const read = requestFragment(
    { method, url, body: nothing, headers, carries, isCut: after.isCut },
    { at: head.at, end },
    lexicon,
  );
  const fragment = carries && read.action === 'send' ? sentOutside(read, '', true) : read;
  const until = hasHeaders ? endOfHeaders(text, end, !isOutside(url, lexicon), lexicon) : end;
  const whole = { at: fragment.at, end: Math.max(until, after.end) };
  // What is read goes on after the headers, because the body may hold code.
  return {
    fragments: [fragment.isWhole ? fragmentOf(whole, fragment) : fragment],
    end: until,
  };
}

/** Arguments that are given code. */
const STATEMENT = /\b(?:sql|statement)\s{0,3}:\s{0,3}"([^"]+)"/gi;
const OPERATION_HEAD = /^mutation(?:\s+\w+)?\s*(?:\([^{}]*)?\{/i;
const GRAPH_HEAD = /^(?:query|mutation|subscription|fragment)\b/;
/** Without a word before it, only a text that is nothing else, with a selection in a selection: `{ order(id: 3) { total } }`. */
const NAMELESS = /^\s*\{[^{}"]*\{/;

/** The code after a piece; within a string of JSON its quotes are escaped. */
const codeAfter = ({ text, pieces, at }: Place): string => {
  const from = pieces[at]?.at ?? 0;
  return text.slice(from, from + MAX_BODY).replaceAll('\\"', ' "');
};

/** An operation of GraphQL that is all there. */
function wholeGraphAt(place: Place, code: string): ReadAt | undefined {
  const { text, pieces, at, lexicon } = place;
  const isNamed = GRAPH_HEAD.test(pieces[at]?.lower ?? '');
  if (!isNamed && !(at === 0 && NAMELESS.test(code))) return undefined;
  const length = endOfDocument(code);
  const span = { at: pieces[at]?.at ?? 0, end: (pieces[at]?.at ?? 0) + length };
  if (length === 0 || (!isNamed && text.slice(span.end).trim() !== '')) return undefined;
  const own = code.slice(0, length);
  const read = graphDocument(own, lexicon);
  if (read === undefined) return undefined;
  const doing = withSettings(read.doing, own, lexicon);
  return { fragments: graphFragments(own, span, doing, read, lexicon), end: span.end };
}

function graphFragments(
  code: string,
  span: Span,
  doing: Doing,
  { object, domain }: Pick<GraphDocument, 'object' | 'domain'>,
  lexicon: Lexicon,
): Fragment[] {
  const verb = doing.effect === 'read' ? 'query' : 'mutation';
  // Arguments may hold code: `execute(sql: "DROP TABLE users")`.
  const statements = [...code.matchAll(STATEMENT)].flatMap(([, sql = '']) =>
    sqlFragments(sql, { at: 0, end: sql.length }, lexicon).map((one) => ({ ...one, ...span })),
  );
  return [fragmentOf(span, { verb, ...doing, object, domain, language: 'http' }), ...statements];
}

/** An operation of GraphQL; one that is cut, or not whole, is not understood. */
export function graphAt(place: Place): ReadAt | undefined {
  const { pieces, at, lexicon } = place;
  const head = pieces[at];
  if (head === undefined || !(at === 0 || GRAPH_HEAD.test(head.lower))) return undefined;
  const code = codeAfter(place);
  const whole = wholeGraphAt(place, code);
  if (whole || !OPERATION_HEAD.test(code)) return whole;
  const close = code.lastIndexOf('}');
  const span = { at: head.at, end: head.at + (close < 0 ? code.length : close + 1) };
  const doing = graphOperation(code, lexicon);
  const cut = unknownCode(span, { ...IN_GRAPH, language: 'http' });
  return { fragments: [...(doing ? graphFragments(code, span, doing, IN_GRAPH, lexicon) : []), cut], end: span.end };
}

/** An address that does something when it is opened: `open https://console.example/projects/42/destroy?ok=1`. */
export function urlAt({ pieces, at, lexicon }: Place): ReadAt | undefined {
  const piece = pieces[at];
  if (!piece || !isTarget(piece.text)) return undefined;
  const isCalled = pieces
    .slice(Math.max(0, at - 3), at)
    .some(({ lower }) => lexicon.codeWords.opensUrls.has(lower.replace(/[^a-z]/g, '')));
  const url = bare(piece.text);
  const isThing = /\/(?:\d[\w-]*|[\da-f-]{8,})\/[a-z_-]+\/?(?:\?|$)|[?&](?:confirm|ok|yes|force|action|op)=/i.test(url);
  if (!isCalled || (isUrl(url) && !isThing)) return undefined;
  const span = { at: piece.at, end: piece.at + piece.text.length };
  const acts = url.length > MAX_URL || actOfUrl(url, lexicon)?.entry.effect === 'destructive';
  return acts ? { fragments: [requestFragment({ method: 'GET', url }, span, lexicon)], end: span.end } : undefined;
}
