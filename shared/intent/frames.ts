// Finds frames: kinds of words that stand close together in a sentence, in whatever words and mostly in whatever order.
import type { Frame, Kinds, Lexicon } from './lexicon.ts';
import type { SpokenWords } from './words.ts';

const NONE: Kinds = { low: 0, high: 0 };
const meets = (a: Kinds, b: Kinds): boolean => (a.low & b.low) !== 0 || (a.high & b.high) !== 0;

/** The kinds of each word, and of all of them together. */
interface SentenceKinds {
  readonly kinds: readonly Kinds[];
  readonly all: Kinds;
}

function kindsOf(words: readonly string[], start: number, end: number, { wordKinds }: Lexicon): SentenceKinds {
  const kinds: Kinds[] = [];
  let low = 0;
  let high = 0;
  for (let at = start; at < end; at += 1) {
    const of = wordKinds.get(words[at] ?? '') ?? NONE;
    kinds.push(of);
    low |= of.low;
    high |= of.high;
  }
  return { kinds, all: { low, high } };
}

/** Whether a word of the kinds stands at most two words before or after `from..to`. */
function isNear(kinds: readonly Kinds[], from: number, to: number, sought: Kinds): boolean {
  for (let at = Math.max(0, from - 2); at <= Math.min(kinds.length - 1, to + 2); at += 1)
    if (meets(kinds[at] ?? NONE, sought)) return true;
  return false;
}

/**
 * The first and the last word of the frame in a sentence: one pass, which keeps for each slot where it was last filled. Of slots in
 * order each is kept with the place where its row began.
 */
function placeOf(
  { slots, within, ordered, start, unless }: Frame,
  kinds: readonly Kinds[],
): readonly [at: number, last: number] | undefined {
  const last = new Array<number>(slots.length).fill(-1);
  for (let at = 0; at < kinds.length; at += 1) {
    const of = kinds[at] ?? NONE;
    if (of.low === 0 && of.high === 0) continue;
    let filled = false;
    // From the last slot on, so that one word fills no two slots in a row.
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      if (!meets(of, slots[slot] ?? NONE)) continue;
      filled = true;
      last[slot] = ordered && slot > 0 ? (last[slot - 1] ?? -1) : at;
    }
    if (!filled) continue;
    const begin = ordered ? (last.at(-1) ?? -1) : Math.min(...last);
    if (begin < 0 || at - begin > within || (start && begin > 1)) continue;
    if (unless === undefined || !isNear(kinds, begin, at, unless)) return [begin, at];
  }
  return undefined;
}

function isComplete({ slots }: Frame, all: Kinds): boolean {
  for (const slot of slots) if (!meets(slot, all)) return false;
  return true;
}

/** Calls `found` for every frame of the sentence `start..end` with the indices of its first and last word. */
export function eachFrame(
  { words, addressed }: SpokenWords,
  start: number,
  end: number,
  lexicon: Lexicon,
  found: (frame: Frame, at: number, last: number) => void,
): void {
  if (lexicon.frames.length === 0) return;
  const { kinds, all } = kindsOf(words, start, end, lexicon);
  if (all.low === 0 && all.high === 0) return;
  for (const frame of lexicon.frames) {
    if ((frame.address && !addressed) || !isComplete(frame, all)) continue;
    const place = placeOf(frame, kinds);
    if (place !== undefined) found(frame, start + place[0], start + place[1]);
  }
}
