// How sure a reading is: a product of what speaks against it, so that every doubt counts and none can be outweighed.
import type { IntentFlag } from '../vocabulary.ts';
import type { Candidate } from './candidates.ts';

/** 0..1 with three decimals. */
export function confidenceOf(
  lead: Candidate,
  seen: { flags: ReadonlySet<IntentFlag>; candidates: number; words: number },
): number {
  if (lead.action === 'unknown') return 0.1;
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
  return Math.round(Math.min(1, Math.max(0, confidence)) * 1000) / 1000;
}
