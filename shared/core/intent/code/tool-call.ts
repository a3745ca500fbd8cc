// Reads a text that is nothing but calls of tools in JSON: `{"tool": "crm.search", "arguments": {"name": "Ada"}}`.
import { hostOf, isExternalHost } from '../text/entities.ts';
import { callFragment } from './calls.ts';
import { type Fragment, sentOutside, type Span, unknownCode } from './code.ts';
import { actOfUrl, isUrl, requestFragment } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';

const MAX_TEXT = 10_000;
const MAX_NODES = 2_000;
const MAX_CALLS = 20;
const JSON_TEXT = /^\s*(?:\{\s*"|\[\s*\{\s*")/;

/** Members that name what is called. */
const NAMES = /^(?:tool|tool_?name|function|fn|name|method|command|action|op|operation|call|do|verb|intent)$/i;
/** Members that hold what the call is given; a `name` beside none of them names a thing. */
const GIVEN = /^(?:args?|arguments|inputs?|params|parameters|payload|slots|kwargs|data|body)$/i;
const NAME = /^[A-Za-z_][\w.:/-]{1,79}$/;
/** Members that say where something goes. */
const GOES_TO =
  /^(?:to|cc|bcc|dest\w*|target\w*|recipients?|upload\w*|webhook\w*|callback\w*|output\w*|sink|endpoint)$/i;
const ADDRESS = /^[^@\s]+@([\w.-]+\.[a-z]{2,})$/i;

type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };
const isObject = (value: Json): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names that are called, outside of what the calls are given. */
function namesIn(value: Json, left = { nodes: MAX_NODES }): string[] {
  if (left.nodes <= 0 || typeof value !== 'object' || value === null) return [];
  left.nodes -= 1;
  if (!isObject(value)) return value.flatMap((one) => namesIn(one, left));
  const members = Object.entries(value);
  const isGiven = members.some(([member]) => GIVEN.test(member));
  // The Model Context Protocol names its own method first.
  const isProtocol = typeof value.method === 'string' && value.method === 'tools/call';
  return members.flatMap(([member, inner]) => {
    const isName = NAMES.test(member) && !(isProtocol && member === 'method');
    if (typeof inner === 'string')
      return isName && NAME.test(inner) && (isGiven || member.toLowerCase() !== 'name') ? [inner] : [];
    return GIVEN.test(member) && !isProtocol ? [] : namesIn(inner, left);
  });
}

/** All texts in a value, with the names of their members. */
function textsIn(value: Json, member = '', left = { nodes: MAX_NODES }): { member: string; text: string }[] {
  if (left.nodes <= 0) return [];
  left.nodes -= 1;
  if (typeof value === 'string') return [{ member, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name, left))
    : value.flatMap((one) => textsIn(one, member, left));
}

const isAddressOutside = (text: string, { internalHosts }: Lexicon): boolean => {
  const host = ADDRESS.exec(text)?.[1] ?? (text.includes('://') ? hostOf(text) : undefined);
  return host !== undefined && isExternalHost(host, internalHosts);
};

export interface ToolCalls {
  readonly fragments: readonly Fragment[];
  /** Texts that the calls are given, in which code may be. */
  readonly given: readonly string[];
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * The calls of a text that is nothing but such calls; undefined for any other text. A call does what its name and the values that it is
 * given say, and is not understood without a verb in its name.
 */
export function toolCallsOf(
  text: string,
  lexicon: Lexicon,
  runShell: (text: string, span: Span) => Fragment[],
): ToolCalls | undefined {
  if (text.length > MAX_TEXT || !JSON_TEXT.test(text)) return undefined;
  const value = parsed(text);
  const names = value === undefined ? [] : namesIn(value);
  if (value === undefined || names.length === 0) return undefined;
  const span = { at: 0, end: text.length };
  const texts = textsIn(value);
  const isSent = texts.some(({ member, text: to }) => GOES_TO.test(member) && isAddressOutside(to, lexicon));
  const fragments = names.slice(0, MAX_CALLS).map((name) => {
    const path = ['tool', ...name.split(/[.:/]+/).filter(Boolean)];
    const read = callFragment({ path, arguments: text, ...span }, 'program', lexicon, runShell);
    if (read === undefined) return unknownCode(span);
    const sent = isSent && read.effect !== 'destructive' ? sentOutside(read, '', false) : read;
    return { ...sent, language: 'call' as const };
  });
  if (names.length > MAX_CALLS) fragments.push(unknownCode(span));
  // An address may act when it is opened, whatever the call is named.
  for (const { text: url } of texts)
    if (isUrl(url) && actOfUrl(url, lexicon) !== undefined)
      fragments.push({ ...requestFragment({ method: 'GET', url }, span, lexicon), language: 'call' });
  const { textFields } = lexicon.codeWords;
  const given = texts.filter(({ member, text: one }) => one.includes(' ') && !textFields.has(member.toLowerCase()));
  return { fragments, given: given.map(({ text: one }) => one) };
}
