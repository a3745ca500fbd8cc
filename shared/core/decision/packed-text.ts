// Canonical JSON with usual texts replaced by control characters, which it never contains. Any text can be read back byte for byte;
// one that says what decisions usually say takes less than half of its bytes.
import { Buffer } from 'node:buffer';

/** Where the beginning of a value, or all of it, often follows from a value that stands before it. A value ends at the next quote. */
export interface Rule {
  /** The member that has the other value. */
  readonly from: string;
  /** What may follow from it, the first that does counts; undefined or empty: nothing. */
  readonly by: readonly ((value: string) => string | undefined)[];
}
/** By member. */
export type Rules = Readonly<Record<string, Rule>>;

/** Stands after a code for what follows from an earlier value: once by the first way of its rule, twice by the second. */
const FOLLOWS = 0x01;
/** Begins a code of two characters. */
const SECOND = 0x1f;
const FIRST_OF_SECOND = 0x21;
const SPACE = 0x20;
const QUOTE = 0x22;
/** PostgreSQL texts hold no NUL, and a line feed separates the values of a column (columns.ts). */
const SINGLE = Array.from({ length: SECOND }, (_, code) => code).filter((code) => code > 1 && code !== 0x0a);

interface Entry {
  readonly text: string;
  /** Its UTF-16 code units. */
  readonly units: Uint16Array;
  readonly code: string;
  /** What the value after this text often follows from. */
  readonly rule: { readonly from: number; readonly by: Rule['by'] } | undefined;
  /** The number of the member whose value is after this text, where others follow from it; -1: none does. */
  readonly gives: number;
}

export interface TextPacker {
  /**
   * Undefined when the text has a control character, so is not canonical JSON, and when it has more than MAX_CHARACTERS. Takes 3 to 5
   * microseconds for 1,200 characters.
   */
  pack(text: string): string | undefined;
  /**
   * Undefined for a code that `pack` does not write, and for more than `maxCharacters`, which altered codes could become.
   * @param maxCharacters UTF-16 code units
   */
  unpack(packed: string, maxCharacters: number): string | undefined;
  /** The code of each text of the table. */
  readonly codes: readonly { readonly code: string; readonly text: string }[];
}

/** The longest text that is packed, in UTF-16 code units. */
export const MAX_CHARACTERS = 32_768;

/** Entries are searched by their first character and the fourth, which is mostly the first of a member's name. */
const PROBE = 3;
const slotOf = (first: number, probe: number): number => ((first << 5) ^ probe) & 0x3ff;

/** The member whose value follows a text. */
const MEMBER = /"(\w+)":"$/;

/** The value at the beginning of a text, when it ends before `next` or with its first character. */
function valueIn(text: string, next: string): string | undefined {
  const end = text.indexOf('"');
  if (end >= 0) return text.slice(0, end);
  return next.startsWith('"') ? text : undefined;
}

/**
 * The code units of the text that is packed, with zeros after it, and of the packed one, which is never longer: a code, and what says that a
 * value follows, take at most two each, and a usual text has at least four. From texts packing took twice the time. It is synchronous, so all
 * packers share both.
 */
const GIVEN = new Uint16Array(MAX_CHARACTERS + PROBE);
const MADE = new Uint16Array(MAX_CHARACTERS);
const GIVEN_BYTES = Buffer.from(GIVEN.buffer);
const MADE_BYTES = Buffer.from(MADE.buffer);
/** Node reads and writes code units in little-endian order. */
const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

function readUnits(text: string): void {
  GIVEN_BYTES.write(text, 'utf16le');
  if (IS_BIG_ENDIAN) GIVEN_BYTES.subarray(0, 2 * text.length).swap16();
  GIVEN.fill(0, text.length, text.length + PROBE);
}

function madeText(length: number): string {
  if (IS_BIG_ENDIAN) MADE_BYTES.subarray(0, 2 * length).swap16();
  return MADE_BYTES.toString('utf16le', 0, 2 * length);
}

/** Whether these code units stand there in the given text. */
function stands(units: Uint16Array, at: number): boolean {
  for (let i = 0; i < units.length; i += 1) if (GIVEN[at + i] !== units[i]) return false;
  return true;
}

/** The value that begins there in the given text, when it ends before `past`; undefined also when it begins nowhere. */
function givenValue(text: string, begin: number, past: number): string | undefined {
  if (begin < 0) return undefined;
  let end = begin;
  while (end <= past && GIVEN[end] !== QUOTE) end += 1;
  return end > past ? undefined : text.slice(begin, end);
}

export function createTextPacker(table: readonly string[], rules: Rules): TextPacker {
  const sources = [...new Set(Object.values(rules).map(({ from }) => from))];
  const entries = table.map((text, index): Entry => {
    const member = MEMBER.exec(text)?.[1] ?? '';
    const rule = Object.hasOwn(rules, member) ? rules[member] : undefined;
    return {
      text,
      units: Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)),
      code:
        index < SINGLE.length
          ? String.fromCharCode(SINGLE[index] ?? 0)
          : String.fromCharCode(SECOND, FIRST_OF_SECOND + index - SINGLE.length),
      rule: rule && { from: sources.indexOf(rule.from), by: rule.by },
      gives: sources.indexOf(member),
    };
  });
  /** Codes of two characters stand after those of one. */
  const byCode: (Entry | undefined)[] = [];
  for (const entry of entries)
    byCode[entry.code.charCodeAt(0) + (entry.code.length > 1 ? entry.code.charCodeAt(1) : 0)] = entry;
  const slots: Entry[][] = Array.from({ length: 0x400 }, () => []);
  // The longest text that fits is taken.
  for (const entry of [...entries].sort((a, b) => b.text.length - a.text.length))
    slots[slotOf(entry.text.charCodeAt(0), entry.text.charCodeAt(PROBE))]?.push(entry);
  const begun = new Uint8Array(0x80);
  for (const { text } of entries) begun[text.charCodeAt(0)] = 1;
  /** Where the last value of each source begins; -1: it did not occur yet. */
  const begins = new Int32Array(sources.length);
  /** The last value of each source, as far as `unpack` knows it: to search the unpacked text makes V8 copy all of it. */
  const values: (string | undefined)[] = sources.map(() => undefined);

  /** The value from which an entry's value may follow, in an unpacked text, when it ended before `past`. */
  const sourceOf = (text: string, { rule }: Entry, past: number): string | undefined => {
    const begin = rule === undefined ? -1 : (begins[rule.from] ?? -1);
    const end = begin < 0 ? -1 : text.indexOf('"', begin);
    return end < 0 || end > past ? undefined : text.slice(begin, end);
  };

  /** The longest entry that stands there in the given text. */
  const entryAt = (at: number, first: number): Entry | undefined => {
    if (first >= begun.length || begun[first] !== 1) return undefined;
    const fitting = slots[slotOf(first, GIVEN[at + PROBE] as number)] as Entry[];
    for (let i = 0; i < fitting.length; i += 1) {
      const entry = fitting[i] as Entry;
      if (stands(entry.units, at)) return entry;
    }
    return undefined;
  };

  return {
    codes: entries,
    pack(text) {
      if (text.length > MAX_CHARACTERS) return undefined;
      readUnits(text);
      begins.fill(-1);
      let end = 0;
      for (let at = 0; at < text.length; ) {
        const first = GIVEN[at] as number;
        if (first < SPACE) return undefined;
        const entry = entryAt(at, first);
        if (entry === undefined) {
          MADE[end++] = first;
          at += 1;
          continue;
        }
        const { code, rule, gives, units } = entry;
        for (let i = 0; i < code.length; i += 1) MADE[end++] = code.charCodeAt(i);
        const source = rule && givenValue(text, begins[rule.from] ?? -1, at);
        at += units.length;
        if (gives >= 0) begins[gives] = at;
        for (let way = 0; source !== undefined && way < (rule?.by.length ?? 0); way += 1) {
          const value = rule?.by[way]?.(source);
          if (!value || !text.startsWith(value, at)) continue;
          for (let i = 0; i <= way; i += 1) MADE[end++] = FOLLOWS;
          at += value.length;
          break;
        }
      }
      return madeText(end);
    },
    unpack(packed, maxCharacters) {
      begins.fill(-1);
      values.fill(undefined);
      let text = '';
      let done = 0;
      /** The member whose value stands between two codes, and what of it followed from another value. */
      let [gives, followed] = [-1, ''];
      for (let at = 0; at < packed.length; ) {
        const first = packed.charCodeAt(at);
        if (first >= SPACE) {
          at += 1;
          continue;
        }
        const entry = byCode[first === SECOND ? SECOND + packed.charCodeAt(at + 1) : first];
        if (entry === undefined) return undefined;
        const between = packed.slice(done, at);
        if (gives >= 0) values[gives] = valueIn(followed + between, entry.text);
        text += between;
        const begin = text.length;
        text += entry.text;
        at += entry.code.length;
        let ways = 0;
        while (packed.charCodeAt(at + ways) === FOLLOWS) ways += 1;
        followed = '';
        if (ways > 0) {
          const source = values[entry.rule?.from ?? -1] ?? sourceOf(text, entry, begin);
          const value = source === undefined ? undefined : entry.rule?.by[ways - 1]?.(source);
          if (value === undefined) return undefined;
          followed = value;
          at += ways;
        }
        gives = entry.gives;
        if (gives >= 0) {
          begins[gives] = text.length;
          values[gives] = undefined;
        }
        text += followed;
        if (text.length > maxCharacters) return undefined;
        done = at;
      }
      return text + packed.slice(done);
    },
  };
}
