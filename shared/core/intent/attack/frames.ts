// Finds frames: kinds of words close together in a sentence, whatever the exact words and mostly in any order.
import { allMeet, type KindBits, kindsOfAll, meet } from '../lexicon/kind-bits.ts';
import type { Frame, Lexicon } from '../lexicon/types.ts';

/** A word that has some kind, with its position in the sentence. */
export interface Placed {
  readonly at: number;
  readonly kinds: KindBits;
}

/** Whether a word of the kinds occurs at most two words before or after `from..to`. */
const isNear = (placed: readonly Placed[], from: number, to: number, sought: KindBits): boolean =>
  placed.some((word) => word.at >= from - 2 && word.at <= to + 2 && meet(word.kinds, sought));

/**
 * The first and the last word of the frame in a sentence: one pass that stores for each slot where it was last filled. For ordered slots it
 * also stores where the sequence began.
 */
function placeOf(
  { slots, any, within, ordered, unless }: Frame,
  placed: readonly Placed[],
): readonly [at: number, last: number] | undefined {
  const filled = slots.map(() => -1);
  for (const word of placed) {
    if (!meet(word.kinds, any)) continue;
    // Starts with the last slot, so that one word does not fill two slots in a row.
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      const sought = slots[slot];
      if (sought === undefined || !meet(word.kinds, sought)) continue;
      filled[slot] = ordered && slot > 0 ? (filled[slot - 1] ?? -1) : word.at;
    }
    const at = ordered ? (filled.at(-1) ?? -1) : Math.min(...filled);
    if (at < 0 || word.at - at > within) continue;
    if (unless === undefined || !isNear(placed, at, word.at, unless)) return [at, word.at];
  }
  return undefined;
}

/**
 * Calls `found` for every frame of a sentence with the indices of its first and last word. `placed` are the few words with a kind;
 * `addressed`: the text may contain an address.
 */
export function eachFrame(
  placed: readonly Placed[],
  addressed: boolean,
  lexicon: Lexicon,
  found: (frame: Frame, at: number, last: number) => void,
): void {
  if (placed.length < 2) return;
  const present = kindsOfAll(placed);
  for (const frame of lexicon.frames) {
    if ((frame.address && !addressed) || !allMeet(frame.slots, present)) continue;
    const place = placeOf(frame, placed);
    if (place !== undefined) found(frame, place[0], place[1]);
  }
}
