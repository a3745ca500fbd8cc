// Redaction of results (`redact_fields`): members with the names of the fields become unreadable. What may have their content where it can't
// be found by name is withheld.
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { wordsOfName } from '../../shared/core/tools/name-words.ts';

const REDACTED = '[redacted]';
const WITHHELD = '[withheld: only JSON can be redacted]';
const WITHHELD_TEXT = '[withheld: the text names a field that is redacted]';
const WITHHELD_ERROR =
  'The server answered with an error, whose message was withheld because fields have to be redacted.';

/** Members that have the content of a field beside its name: `{"name": "email", "value": "ada@example.com"}`. */
const CONTENT_NAMES = new Set('address body content data number text v val value'.split(' ').map(bare));
/** Members with the cells of one row, or with one cell. */
const ROW_NAMES = new Set('cell data record row v value'.split(' '));
const CELL_NAMES = new Set(['v', 'value']);
/** No longer name of a member is read. */
const MAX_NAME_LENGTH = 1_024;
/** With separators: `E - m a i l`. */
const MOST_SIGNS_PER_LETTER = 4;
/** Names whose meaning is kept. */
const MAX_KNOWN = 10_000;

function wordsOf(name: string): string[] {
  return wordsOfName(name.normalize('NFKC'));
}

/** `phoneNumber`, `Phone-Numbers` and `phone_number` are one name: servers differ in their spellings. */
function bare(name: string): string {
  return (wordsOf(name).join('') || name).replace(/(?<=.)s$/, '');
}

/** The last part of a path such as `user.email`. */
function lastPart(name: string): string {
  return name.split(/[./:[\]]+/).findLast((part) => part !== '') ?? '';
}

const escaped = (letter: string): string => letter.replace(/[$()*+./?[\\\]^{|}-]/, '\\$&');

/** A pattern of any of these between two others; of none, one that never matches. */
function anyOf(patterns: readonly string[], before: string, after: string): RegExp {
  return new RegExp(patterns.length === 0 ? '(?!)' : `${before}(?:${patterns.join('|')})${after}`, 'iu');
}

interface Name {
  readonly bare: string;
  readonly isField: boolean;
}

const NO_NAME: Name = { bare: '', isField: false };
/** In patterns: what separates the parts of a name, and its letters. */
const SEPARATOR = '[^\\p{L}\\p{N}]';

/** The fields of one call. */
class Fields {
  private readonly names: ReadonlySet<string>;
  private readonly whole: RegExp;
  private readonly mention: RegExp;
  /** A longer value is none of the names, however it is spelt. */
  private readonly maxLength: number;
  private readonly known = new Map<string, Name>();

  constructor(fields: readonly string[]) {
    const all = fields.flatMap((name) => [name, lastPart(name)]).filter((name) => name !== '');
    this.names = new Set(all.map(bare));
    this.maxLength = MOST_SIGNS_PER_LETTER * Math.max(0, ...fields.map(({ length }) => length));
    const spelt = [...this.names].map((name) => `${Array.from(name, escaped).join(`${SEPARATOR}*`)}s?`);
    this.whole = anyOf(spelt, `^${SEPARATOR}*`, `${SEPARATOR}*$`);
    const phrases = all.map((name) => wordsOf(name).join(`${SEPARATOR}{0,3}`)).filter((phrase) => phrase !== '');
    this.mention = anyOf(phrases, '(?<![\\p{L}\\p{N}])', 's?(?![\\p{L}\\p{N}])');
  }

  nameOf(name: string): Name {
    if (name.length > MAX_NAME_LENGTH) return NO_NAME;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const whole = bare(name);
    const read = { bare: whole, isField: this.names.has(whole) || this.names.has(bare(lastPart(name))) };
    if (this.known.size < MAX_KNOWN) this.known.set(name, read);
    return read;
  }

  /** Whether a text is the name of a field and nothing else. */
  has(text: string): boolean {
    return text.length <= this.maxLength && this.whole.test(text.normalize('NFKC'));
  }

  areMentionedIn(text: string): boolean {
    return this.mention.test(text.normalize('NFKC'));
  }
}

/** What was seen of a result. A table has rows without names, and names its columns elsewhere. */
interface Seen {
  rows: boolean;
  /** The name of a field in a text. */
  name: boolean;
}

interface Redaction {
  readonly fields: Fields;
  /** Whether text that is not JSON may be shown. */
  readonly isTextShown: boolean;
  readonly seen: Seen;
}

function jsonIn(text: string): object | undefined {
  // Most texts are none, and an exception for each of them is slow.
  if (!/^[ \t\r\n]*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function redactedText(text: string, { fields, isTextShown, seen }: Redaction): string {
  const inside = jsonIn(text);
  if (inside !== undefined) return JSON.stringify(redacted(inside, { fields, isTextShown, seen }));
  const isName = fields.has(text);
  const isMentioned = isName || fields.areMentionedIn(text);
  seen.name ||= isMentioned;
  // The name alone is no content.
  if (isName) return text;
  if (!isTextShown) return WITHHELD;
  return isMentioned ? WITHHELD_TEXT : text;
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function redacted(value: unknown, how: Redaction): unknown {
  const { fields, seen } = how;
  if (typeof value === 'string') return redactedText(value, how);
  if (Array.isArray(value)) {
    seen.rows ||= value.some((element) => Array.isArray(element));
    return value.map((element) => redacted(element, how));
  }
  const object = objectOf(value);
  if (object === undefined) return value;
  const members = Object.entries(object).map(([name, member]) => ({ name, member, ...fields.nameOf(name) }));
  const isNamed = members.some(({ member }) => typeof member === 'string' && fields.has(member));
  seen.rows ||= members.some(({ member, bare: name }) =>
    Array.isArray(member)
      ? ROW_NAMES.has(name) && member.some(isScalar)
      : members.length === 1 && CELL_NAMES.has(name) && isScalar(member),
  );
  return Object.fromEntries(
    members.map(({ name, member, isField, bare: plain }) => {
      const isContent = isField || (isNamed && CONTENT_NAMES.has(plain));
      return [name, isContent ? REDACTED : redacted(member, how)];
    }),
  );
}

/** Content without text that a server could repeat elsewhere in the result. */
const NO_TEXT: readonly unknown[] = ['image', 'audio', 'resource_link'];

/** Other text, images, sound and links may contain the field in a form that can't be searched, so they are withheld as a whole. */
function redactedContent(item: unknown, how: Redaction): { readonly shown: object; readonly hidesText: boolean } {
  const { type, text, resource } = objectOf(item) ?? {};
  const { uri, mimeType, text: inner } = objectOf(resource) ?? {};
  const json = type === 'text' ? text : type === 'resource' ? inner : undefined;
  if (typeof json !== 'string' || jsonIn(json) === undefined)
    return { shown: { type: 'text', text: WITHHELD }, hidesText: !NO_TEXT.includes(type) };
  const safe = redactedText(json, how);
  if (type === 'text') return { shown: { type, text: safe }, hidesText: false };
  const texts = Object.entries({ uri, mimeType }).filter(([, value]) => typeof value === 'string');
  return {
    shown: { type, resource: { ...objectOf(redacted(Object.fromEntries(texts), how)), text: safe } },
    hidesText: false,
  };
}

function redactedResult(result: Json, how: Redaction): object {
  const { content, resultType, ...others } = result;
  const items = Array.isArray(content) ? content.map((item) => redactedContent(item, how)) : [];
  // Servers repeat the text in `structuredContent`.
  const isTextShown = !items.some(({ hidesText }) => hidesText);
  return {
    ...(typeof resultType === 'string' ? { resultType } : {}),
    ...objectOf(redacted(others, { ...how, isTextShown })),
    ...(Array.isArray(content) ? { content: items.map(({ shown }) => shown) } : {}),
  };
}

/**
 * Has no member of the response but those that are redacted here.
 * @returns undefined for what can't be redacted, and for what promises a result that the guard would not see
 */
export function redactedResponse(response: Json, fieldNames: readonly string[]): object | undefined {
  const seen: Seen = { rows: false, name: false };
  const how = { fields: new Fields(fieldNames), isTextShown: true, seen };
  const shown = redactedMembers(response, how);
  // Which cells of a table are those of a field, only its columns say.
  const isTable = seen.rows && seen.name;
  return shown === undefined || isTable ? undefined : { jsonrpc: '2.0', id: response['id'], ...shown };
}

function redactedMembers(response: Json, how: Redaction): object | undefined {
  const [result, error] = [objectOf(response['result']), objectOf(response['error'])];
  if (result !== undefined) {
    const isTask = result['task'] !== undefined || result['resultType'] === 'task';
    return isTask ? undefined : { result: redactedResult(result, how) };
  }
  if (typeof error?.['code'] !== 'number') return undefined;
  const data = redacted(error['data'], { ...how, isTextShown: false });
  return { error: { code: error['code'], message: WITHHELD_ERROR, data } };
}
