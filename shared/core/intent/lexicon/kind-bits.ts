// Small sets of word kinds, as bits: which kinds a word has, and which a slot of a phrasing or frame takes.

/** A set of kinds; each is a bit of one of three numbers, because bitwise operators have 32 bits. */
export interface KindBits {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}
const PER_NUMBER = 31;
export const MAX_KINDS = 3 * PER_NUMBER;
export const NO_KINDS: KindBits = { low: 0, middle: 0, high: 0 };
export function kindBit(at: number): KindBits {
  const bit = 1 << (at % PER_NUMBER);
  const number = Math.floor(at / PER_NUMBER);
  return { low: number === 0 ? bit : 0, middle: number === 1 ? bit : 0, high: number === 2 ? bit : 0 };
}
/** Whether the kind with this number is in the set. */
export function hasKind({ low, middle, high }: KindBits, at: number): boolean {
  const of = at < PER_NUMBER ? low : at < 2 * PER_NUMBER ? middle : high;
  return ((of >>> (at % PER_NUMBER)) & 1) === 1;
}
/** The kinds of either set. */
export const joinKinds = (a: KindBits, b: KindBits): KindBits => ({
  low: a.low | b.low,
  middle: a.middle | b.middle,
  high: a.high | b.high,
});
export function kindsOfAll(words: readonly { readonly kinds: KindBits }[]): KindBits {
  let [low, middle, high] = [0, 0, 0];
  for (const { kinds } of words) {
    low |= kinds.low;
    middle |= kinds.middle;
    high |= kinds.high;
  }
  return { low, middle, high };
}
/** The kinds of both sets. */
export const commonKinds = (a: KindBits, b: KindBits): KindBits => ({
  low: a.low & b.low,
  middle: a.middle & b.middle,
  high: a.high & b.high,
});
/** Whether two sets have a kind in common. */
export const meet = (a: KindBits, b: KindBits): boolean =>
  ((a.low & b.low) | (a.middle & b.middle) | (a.high & b.high)) !== 0;
/** Whether each of the sets has a kind in common with this one. */
export function allMeet(sets: readonly KindBits[], kinds: KindBits): boolean {
  for (const set of sets) if (!meet(set, kinds)) return false;
  return true;
}
