// Confidence of a parse: a product of doubts, calibrated to the share of texts that are parsed correctly.
import type { IntentFlag } from '../../../kernel/vocabulary.ts';
import type { CandidateAction } from '../grammar/candidate.ts';
import { type WordsOf, wordsOf } from '../text/word-set.ts';

/** Everything that makes a reading less certain. */
const NAMES = [
  'code object_unknown object_unlisted weak_verb question later_sentence several_requests many_requests long_text',
  'negated obfuscated prompt_injection',
] as const;
export type Doubt = WordsOf<(typeof NAMES)[number]>;
export const DOUBTS = wordsOf(NAMES);

/** A point of a curve, both 0..1. */
export interface CurvePoint {
  readonly product: number;
  readonly share: number;
}

export interface ConfidenceWeights {
  /** Factors 0..1 by which a doubt lowers the product. */
  readonly doubts: Readonly<Record<Doubt, number>>;
  /**
   * Maps the product of doubts to the share of correct readings, by linear interpolation between these points: the first has
   * product 0, the last 1, and both values increase.
   */
  readonly curve: readonly CurvePoint[];
  /** The least confidence of the reading of a text that is harmless by the learned weights, 0..1. */
  readonly harmless: number;
}

/** The value of a curve at `x`, 0..1. */
function along(curve: readonly CurvePoint[], x: number): number {
  let before = curve[0];
  for (const point of curve.slice(1)) {
    if (before && x <= point.product) {
      return before.share + ((x - before.product) / (point.product - before.product)) * (point.share - before.share);
    }
    before = point;
  }
  return before?.share ?? 0;
}

/** What a confidence is computed from. */
export interface Doubts {
  /** Of the leading verb, 0..1. */
  readonly certainty: number;
  readonly doubts: readonly Doubt[];
  /** The text is harmless by the learned weights. */
  readonly isHarmless?: boolean;
}

const LONG_TEXT_WORDS = 120;
const MANY_REQUESTS = 5;

export function doubtsOf(
  lead: CandidateAction,
  seen: { flags: ReadonlySet<IntentFlag>; candidates: number; words: number; isHarmless: boolean },
): Doubts {
  const isCode = lead.source === 'code';
  const holds: Readonly<Record<Doubt, boolean>> = {
    code: isCode,
    object_unknown: lead.object === 'unknown',
    object_unlisted: lead.object !== 'unknown' && !lead.objectKnown,
    weak_verb: lead.weak,
    question: lead.source === 'question',
    later_sentence: lead.sentence > 0,
    several_requests: seen.candidates > 1,
    many_requests: seen.candidates >= MANY_REQUESTS,
    long_text: seen.words > LONG_TEXT_WORDS,
    negated: seen.flags.has('negated'),
    obfuscated: seen.flags.has('obfuscated'),
    prompt_injection: seen.flags.has('prompt_injection'),
  };
  const doubts = DOUBTS.filter((doubt) => holds[doubt]);
  return { certainty: isCode ? 1 : lead.certainty, doubts, isHarmless: seen.isHarmless };
}

/** 0..1: a product, so that every doubt counts and none can be outweighed. */
export const productOf = (
  { certainty, doubts }: Pick<Doubts, 'certainty' | 'doubts'>,
  weights: Pick<ConfidenceWeights, 'doubts'>,
): number => doubts.reduce((product, doubt) => product * weights.doubts[doubt], certainty);

/** The confidence of a parse with an unknown action, which can not be right because it names none. */
const UNKNOWN_ACTION = 0.1;

/** 0..1 with three decimals: the share of such parses whose action class is correct; `doubts` is undefined for an unknown action. */
export function confidenceOf(doubts: Doubts | undefined, weights: ConfidenceWeights): number {
  if (doubts === undefined) return UNKNOWN_ACTION;
  const share = Math.max(
    along(weights.curve, productOf(doubts, weights)),
    doubts.isHarmless === true ? weights.harmless : 0,
  );
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000;
}
