// Finds frames: kinds of words that stand close together in a sentence, in whatever words and mostly in whatever order.
import type { Frame, Kinds, Lexicon } from './lexicon.ts';
import type { SpokenWords } from './words.ts';

/** A word that is of some kind, with its place in the sentence. */
interface Placed {
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

const meets = (a: Kinds, b: Kinds): boolean => (a.low & b.low) !== 0 || (a.high & b.high) !== 0;

/** The words of a sentence that are of some kind: few of them are. */
function placedIn(words: readonly string[], start: number, end: number, { wordKinds }: Lexicon): Placed[] {
  const placed: Placed[] = [];
  for (let at = start; at < end; at += 1) {
    const of = wordKinds.get(words[at] ?? '');
    if (of !== undefined) placed.push({ at, low: of.low, high: of.high });
  }
  return placed;
}

/** Whether a word of the kinds stands at most two words before or after `from..to`. */
const isNear = (placed: readonly Placed[], from: number, to: number, sought: Kinds): boolean =>
  placed.some((word) => word.at >= from - 2 && word.at <= to + 2 && meets(word, sought));

/**
 * The first and the last word of the frame in a sentence: one pass, which keeps for each slot where it was last filled.
 * Of slots in order each is kept with the place where its row began.
 */
function placeOf(
  { slots, any, within, ordered, unless }: Frame,
  placed: readonly Placed[],
): readonly [at: number, last: number] | undefined {
  const filled = slots.map(() => -1);
  for (const word of placed) {
    if (!meets(word, any)) continue;
    // From the last slot on, so that one word fills no two slots in a row.
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      const sought = slots[slot];
      if (sought === undefined || !meets(word, sought)) continue;
      filled[slot] = ordered && slot > 0 ? (filled[slot - 1] ?? -1) : word.at;
    }
    const at = ordered ? (filled.at(-1) ?? -1) : Math.min(...filled);
    if (at < 0 || word.at - at > within) continue;
    if (unless === undefined || !isNear(placed, at, word.at, unless)) return [at, word.at];
  }
  return undefined;
}

function isComplete({ slots }: Frame, low: number, high: number): boolean {
  for (const slot of slots) if ((slot.low & low) === 0 && (slot.high & high) === 0) return false;
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
  const placed = placedIn(words, start, end, lexicon);
  if (placed.length < 2) return;
  let low = 0;
  let high = 0;
  for (const word of placed) {
    low |= word.low;
    high |= word.high;
  }
  for (const frame of lexicon.frames) {
    if ((frame.address && !addressed) || !isComplete(frame, low, high)) continue;
    const place = placeOf(frame, placed);
    if (place !== undefined) found(frame, place[0], place[1]);
  }
}
