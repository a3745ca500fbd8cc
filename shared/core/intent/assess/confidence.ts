// Confidence of a parse: a product of doubts, calibrated to the share of texts that are parsed correctly.
import type { IntentFlag } from '../../../kernel/vocabulary.ts';
import type { CandidateAction } from '../grammar/candidate.ts';

/**
 * Maps the product of doubts to the share of correct parses among labelled texts with such a product, by linear interpolation between these
 * points. They are the midpoints of the blocks, and the smoothed shares, that `npm run eval:intents -- --calibrate` prints for the
 * development split (docs/bench/intents.md); the ends are set so that nothing is certain and the curve never falls.
 */
const CURVE: readonly (readonly [product: number, share: number])[] = [
  [0, 0],
  [0.42, 0.667],
  [0.76, 0.976],
  [0.92, 0.985],
  [1, 0.995],
];

/** The value of the curve at `x`, with the columns given by index. */
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

/** The product of doubts behind a confidence, for calibrating the curve again. Both 0..1. */
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

/** The confidence of a parse with an unknown action, which can not be right because it names none. */
const UNKNOWN_ACTION = 0.1;

/** 0..1 with three decimals: the share of such parses whose action class is correct. */
export function confidenceOf(
  lead: CandidateAction,
  seen: { flags: ReadonlySet<IntentFlag>; candidates: number; words: number },
): number {
  if (lead.action === 'unknown') return UNKNOWN_ACTION;
  return Math.round(Math.min(1, Math.max(0, along(rawConfidence(lead, seen), 0, 1))) * 1000) / 1000;
}
