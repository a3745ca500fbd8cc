// Finitely many representative values: all values between two neighbouring constants of the rules give the same results.
import { addressText } from '../../intent/text/addresses.ts';
import { parseRange } from '../values.ts';

/** The numbers that a fact may have. Absent: no bound. */
export interface NumberRange {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: true;
}

/** Each constant, a number between each two neighbours, and one beyond both ends, as far as the range admits them. */
export function numbersAround(constants: readonly number[], range: NumberRange = {}): number[] {
  const bounds = [range.min, range.max].filter((bound) => bound !== undefined);
  const marks = [...new Set([...constants, ...bounds])].sort((a, b) => a - b);
  const first = marks[0] ?? 0;
  const found = new Set<number>([Math.floor(first) - 1]);
  for (const [i, mark] of marks.entries()) {
    found.add(mark);
    const next = marks[i + 1];
    const above = next === undefined || range.integer === true ? Math.floor(mark) + 1 : (mark + next) / 2;
    if (next === undefined || above < next) found.add(above);
  }
  if (marks.length === 0) found.add(0);
  return [...found].filter(
    (value) =>
      (range.min === undefined || value >= range.min) &&
      (range.max === undefined || value <= range.max) &&
      (range.integer !== true || Number.isInteger(value)),
  );
}

const WORDS = ['example', 'quartz', 'hymn', 'zulu', 'jazz', 'vex', 'kiwi', 'wolf', 'yonder'];
const LETTERS = 'qzxjkvwyfghbmpucldrnsitoae0123456789жщюωφψ';

/** A word that equals none of the texts, and neither contains nor extends nor completes any of the parts. */
export function freshWord(texts: readonly string[], parts: readonly string[] = []): string {
  const used = new Set(parts.join(''));
  const isFree = (word: string): boolean =>
    !used.has(word.charAt(0)) &&
    !used.has(word.at(-1) ?? '') &&
    !texts.includes(word) &&
    !parts.some((part) => part !== '' && word.includes(part));
  const word = WORDS.find(isFree);
  if (word !== undefined) return word;
  const letter = [...LETTERS].find((one) => !used.has(one)) ?? '\u{10fffd}';
  for (let length = 3; ; length += 1) if (isFree(letter.repeat(length))) return letter.repeat(length);
}

export interface TextConstants {
  readonly whole: readonly string[];
  readonly starts: readonly string[];
  readonly ends: readonly string[];
}

/** Texts are distinguished by equality with a constant, else by the longest matching start and end. */
export function textsAround({ whole, starts, ends }: TextConstants): string[] {
  const fresh = freshWord(whole, [...starts, ...ends]);
  const found = new Set([fresh, ...whole]);
  for (const start of ['', ...starts]) for (const end of ['', ...ends]) found.add(`${start}${fresh}${end}`);
  return [...found];
}

/** All subsets, smaller ones first; undefined when there are too many. */
export function subsets<T>(items: readonly T[], limit = 10): T[][] | undefined {
  if (items.length > limit) return undefined;
  const all: T[][] = [];
  for (let bits = 0; bits < 1 << items.length; bits += 1) all.push(items.filter((_, i) => (bits >> i) & 1));
  return all.sort((a, b) => a.length - b.length);
}

export interface Amount {
  readonly amount: number;
  readonly currency: string;
}

const OTHER_CURRENCIES = ['CHF', 'SEK', 'NOK'];

/** Lists with at most one sum in each compared currency and in one other currency; undefined when there are too many. */
export function moneyAround(limits: readonly Amount[]): Amount[][] | undefined {
  const currencies = [...new Set(limits.map((limit) => limit.currency))];
  const other = OTHER_CURRENCIES.find((currency) => !currencies.includes(currency));
  let lists: Amount[][] = [[]];
  for (const currency of [...currencies, ...(other === undefined ? [] : [other])]) {
    const amounts = limits.filter((limit) => limit.currency === currency).map((limit) => limit.amount);
    const sums = numbersAround(amounts).map((amount) => ({ amount, currency }));
    lists = lists.flatMap((list) => [list, ...sums.map((sum) => [...list, sum])]);
    if (lists.length > 5_000) return undefined;
  }
  return lists;
}

/** A time that is so many milliseconds before the decision. */
export class Ago {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

export interface TimeMarks {
  /** Milliseconds since 1970 that times are compared with. */
  readonly instants: readonly number[];
  /** Minutes of the day at which a result may change. */
  readonly minutes: readonly number[];
  /** Whether days of the week matter. */
  readonly weekdays: boolean;
}

/** Years that RFC 3339 can express. */
const isWritable = (at: number): boolean => at > Date.parse('0001-01-01T00:00:00Z') && at < Date.UTC(9_999, 11, 20);

/** The largest number of instants that are analysed. */
const MAX_INSTANTS = 4_000;

/** From each instant on, the first occurrence of each minute of the day on each day of the week. `exact`: these are all. */
export function instantsAround(
  { instants, minutes, weekdays }: TimeMarks,
  base: number,
): { readonly values: number[]; readonly exact: boolean } {
  const starts = [base, ...instants.flatMap((at) => [at - 8 * DAY_MS, at - 1, at, at + 1])].filter(isWritable);
  const marks = [...new Set([0, ...minutes.filter((minute) => minute >= 0 && minute < 1_440)])];
  const found = new Set<number>();
  for (const start of starts) {
    if (found.size > MAX_INSTANTS) return { values: [...found], exact: false };
    found.add(start);
    const midnight = start - (((start % DAY_MS) + DAY_MS) % DAY_MS);
    for (let day = 0; day <= (weekdays ? 8 : 1); day += 1) {
      for (const mark of marks) {
        const at = midnight + day * DAY_MS + mark * MINUTE_MS;
        if (at >= start && isWritable(at)) found.add(at);
      }
    }
  }
  return { values: [...found], exact: true };
}

/** The first address of each network and the first one after it, so that every interval between two ends has a representative. */
export function addressesAround(networks: readonly string[]): string[] {
  const found = new Set(['203.0.113.7', '0.0.0.0', '2001:db8::7', '0:0:0:0:0:0:0:0']);
  for (const network of networks) {
    const range = parseRange(network);
    if (range === undefined) continue;
    const { bits, value } = range.address;
    const size = 1n << BigInt(bits - range.prefix);
    const first = (value / size) * size;
    found.add(addressText(first, bits));
    if (first + size < 1n << BigInt(bits)) found.add(addressText(first + size, bits));
  }
  return [...found];
}
