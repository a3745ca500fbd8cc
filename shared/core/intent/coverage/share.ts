// The share of a text that its readings account for, from counts of its clauses and words, and from learned weights.
import type { HarmEstimate } from '../harm/estimate.ts';

/** Counts over the text, code left out. */
export interface CoverageFeatures {
  readonly clauses: number;
  /** Clauses that hold a request which is read, or none. */
  readonly clausesRead: number;
  /** Words with a meaning of their own. */
  readonly words: number;
  /** Those that the lexicon does not know. */
  readonly wordsUnknown: number;
  /** The share of known words in a text of another language, 0..1. */
  readonly foreignKnown: number | undefined;
  /** A phrasing or a statement says that something is paid, disclosed or otherwise changed, and no reading accounts for it. */
  readonly isHinted: boolean;
  /** A phrasing or a word says that something is destroyed, and no reading accounts for it. */
  readonly destroys: boolean;
  /** A sentence has too many words that nobody knows. */
  readonly hasUnknownSentence: boolean;
  /** The leading request names nothing that it is about. */
  readonly lacksObject: boolean;
  /** Calls of a program were read by their names alone. */
  readonly byName: boolean;
  /** What the learned weights tell of the text. */
  readonly harm: HarmEstimate['tells'];
}

/** All 0..1, but `smoothing`. */
export interface CoverageWeights {
  /** The weight of clauses beside words. */
  readonly clauses: number;
  /** Factor of what may hide harm: a hint, learned weights that tell of it, or a sentence in unknown words. */
  readonly hint: number;
  /** The least share of a text that is harmless by the learned weights. */
  readonly harmless: number;
  /** Factor of a request that names no object, in a text that is not harmless by the learned weights. */
  readonly noObject: number;
  /** Factor of a program with calls that were read by their names alone. */
  readonly byName?: number;
  /** Words that count as known in every text, so that one unknown word of a short text is not half of it. */
  readonly smoothing: number;
}

/** Where no weight is given. */
const BY_NAME = 0.8;

/** 0..1, three decimals. */
export function shareOf(features: CoverageFeatures, weights: CoverageWeights): number {
  const { clauses, clausesRead, words, wordsUnknown, foreignKnown, harm } = features;
  const ofClauses = clauses === 0 || foreignKnown !== undefined ? 1 : clausesRead / clauses;
  const ofWords = foreignKnown ?? 1 - wordsUnknown / (words + weights.smoothing);
  const read = weights.clauses * ofClauses + (1 - weights.clauses) * ofWords;
  const mayHideHarm = harm === 'harmful' || features.isHinted || features.destroys || features.hasUnknownSentence;
  const share =
    Math.max(read, harm === 'harmless' ? weights.harmless : 0) *
    (mayHideHarm ? weights.hint : 1) *
    (features.byName ? (weights.byName ?? BY_NAME) : 1) *
    (features.lacksObject && harm !== 'harmless' ? weights.noObject : 1);
  return Math.round(share * 1_000) / 1_000;
}
