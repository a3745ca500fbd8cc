// How sure a reading is: a product of what speaks against it, brought onto the share of texts that are read right.
import type { IntentFlag } from '../../../kernel/vocabulary.ts';
import type { CandidateAction } from '../grammar/candidate.ts';

/**
 * From the product of doubts to the share right among labelled texts with such a product: straight lines between these
 * points. They are the middles of the blocks, and the smoothed shares, that `npm run eval:intents -- --calibrate` prints
 * for the development split (docs/bench/intents.md); the ends are set so that nothing is certain and the line never falls.
 */
const CURVE: readonly (readonly [product: number, share: number])[] = [
  [0, 0],
  [0.42, 0.667],
  [0.76, 0.976],
  [0.92, 0.985],
  [1, 0.995],
];

/** The value of the curve's line through `x`, with the columns given by index. */
function along(x: number, from: 0 | 1, to: 0 | 1): number {
  let before = CURVE[0];
  for (const point of CURVE.slice(1)) {
    if (before && x <= point[from]) {
      return before[to] + ((x - before[from]) / (point[from] - before[from])) * (point[to] - before[to]);
    }
    before = point;
  }
  return before?.[to] ?? 0;
}

/** The product of doubts that a confidence was made of: for measuring the curve anew. Both 0..1. */
export const rawOf = (confidence: number): number => along(Math.min(1, Math.max(0, confidence)), 1, 0);

/** 0..1: a product, so that every doubt counts and none can be outweighed. */
function rawConfidence(
  lead: CandidateAction,
  seen: { flags: ReadonlySet<IntentFlag>; candidates: number; words: number },
): number {
  let confidence = 0.97 * (lead.source === 'code' ? 0.95 : lead.certainty);
  if (lead.object === 'unknown') confidence *= 0.75;
  else if (!lead.objectKnown) confidence *= 0.92;
  if (lead.weak) confidence *= 0.5;
  if (lead.source === 'question') confidence *= 0.95;
  if (lead.sentence > 0) confidence *= 0.95;
  if (seen.candidates > 1) confidence *= 0.9;
  if (seen.candidates > 4) confidence *= 0.85;
  if (seen.words > 120) confidence *= 0.85;
  if (seen.flags.has('negated')) confidence *= 0.8;
  if (seen.flags.has('obfuscated')) confidence *= 0.7;
  if (seen.flags.has('prompt_injection')) confidence *= 0.7;
  return confidence;
}

/** What an answer with an unknown action is given: it names no action, so it can not be right about one. */
const UNKNOWN_ACTION = 0.1;

/** 0..1 with three decimals: the share of such readings whose action class is right. */
export function confidenceOf(
  lead: CandidateAction,
  seen: { flags: ReadonlySet<IntentFlag>; candidates: number; words: number },
): number {
  if (lead.action === 'unknown') return UNKNOWN_ACTION;
  return Math.round(Math.min(1, Math.max(0, along(rawConfidence(lead, seen), 0, 1))) * 1000) / 1000;
}
