// Estimates by learned weights whether carrying a text out does harm: an integer, and what it means for what the rules have read.
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { type HarmToken, harmTokensOf, pairsAt, wordHash, wordNumbers } from './features.ts';

/** A linear model over feature numbers. Integers, so that every platform computes the same sums. */
export interface HarmWeights {
  /** The score of a text without words. */
  readonly bias: number;
  /** A text with a higher score does harm. */
  readonly harmfulAbove: number;
  /** A text with a lower score does none. */
  readonly harmlessBelow: number;
  /** By feature number. */
  readonly weights: Int8Array;
  /** What a name of `namesOfReading` adds to the score of the words; a name that is not listed adds nothing. */
  readonly reading: Readonly<Record<string, number>>;
}

export interface HarmEstimate {
  readonly score: number;
  /** What the score tells; `open` when it is between the thresholds. */
  readonly tells: 'harmful' | 'harmless' | 'open';
  /** Harmless by twice the threshold, and everywhere: words that destroy are only mentioned. */
  readonly isSurelyHarmless: boolean;
  /** The words that raised the score most, at most three, in the order of the text; none unless it tells `harmful`. */
  readonly evidence: readonly HarmToken[];
}

/** A text whose words are scored. */
export interface ScoredText {
  /** By its words alone. */
  readonly score: number;
  /** @param names what the rules have read in the text (`namesOfReading`); none: by its words alone */
  estimate(names: readonly string[]): HarmEstimate;
}

export interface HarmEstimator {
  readonly harmfulAbove: number;
  readonly harmlessBelow: number;
  of(text: string): ScoredText;
}

/** Words that are scored together. A longer text has the score of its worst stretch, so that harmless words around it do not hide it. */
const WINDOW = 60;
/** In a harmless text no stretch of NEAR words has a higher sum: harmless words that are further away do not outweigh what leans to harm. */
const NEAR = 12;
const MAX_NEAR = 150;
/** In a surely harmless text not even this sum. */
const MAX_NEAR_SURE = 64;
const MAX_EVIDENCE = 3;
const MAX_CACHED_WORDS = 20_000;

interface ScoredWord {
  readonly hash: number;
  /** The sum of the weights of the word and its parts. */
  readonly sum: number;
}

interface Stretch {
  readonly sum: number;
  /** Index of its first word. */
  readonly from: number;
}

/** The stretch of so many words with the highest sum. */
function worstOf(parts: readonly number[], length: number): Stretch {
  let sum = 0;
  let worst: Stretch | undefined;
  for (const [at, part] of parts.entries()) {
    sum += part - (parts[at - length] ?? 0);
    const isWhole = at + 1 >= Math.min(length, parts.length);
    if (isWhole && (worst === undefined || sum > worst.sum)) worst = { sum, from: Math.max(0, at + 1 - length) };
  }
  return worst ?? { sum: 0, from: 0 };
}

/** The words that raised the score of a stretch most, in the order of the text. */
function evidenceIn(tokens: readonly HarmToken[], parts: readonly number[], from: number): HarmToken[] {
  return tokens
    .slice(from, from + WINDOW)
    .map((token, at) => ({ token, part: parts[from + at] ?? 0 }))
    .filter(({ part }) => part > 0)
    .sort((a, b) => b.part - a.part)
    .slice(0, MAX_EVIDENCE)
    .map(({ token }) => token)
    .sort((a, b) => a.at - b.at);
}

export function createHarmEstimator(learned: HarmWeights): HarmEstimator {
  const { bias, harmfulAbove, harmlessBelow, weights } = learned;
  const reading = new Map(Object.entries(learned.reading));
  const cache = new BoundedCache<ScoredWord>({ max: MAX_CACHED_WORDS });
  const sumOf = (numbers: readonly number[]): number =>
    numbers.reduce((sum, number) => sum + (weights[number] ?? 0), 0);

  const scored = (word: string): ScoredWord => {
    let found = cache.get(word);
    if (found === undefined) {
      found = { hash: wordHash(word), sum: sumOf(wordNumbers(word)) };
      cache.set(word, found);
    }
    return found;
  };

  /** What each word adds to the score: its own weights, and those of its pairs with words before; then those of the end. */
  const partsOf = (tokens: readonly HarmToken[]): number[] => {
    const words = tokens.map(({ word }) => scored(word));
    const hashes = words.map(({ hash }) => hash);
    return [...words.map(({ sum }) => sum), 0].map((sum, at) => sum + sumOf(pairsAt(hashes, at)));
  };

  return {
    harmfulAbove,
    harmlessBelow,
    of(text) {
      const tokens = harmTokensOf(text);
      const parts = partsOf(tokens);
      const { sum, from } = worstOf(parts, WINDOW);
      const near = worstOf(parts, NEAR).sum;
      return {
        score: bias + sum,
        estimate(names) {
          const score = bias + sum + names.reduce((total, name) => total + (reading.get(name) ?? 0), 0);
          if (score > harmfulAbove) {
            const evidence = evidenceIn(tokens, parts, from);
            return { score, tells: 'harmful', isSurelyHarmless: false, evidence };
          }
          // A text without words tells nothing.
          const isHarmless = tokens.length > 0 && score < harmlessBelow && near <= MAX_NEAR;
          const isSurelyHarmless = isHarmless && score < 2 * harmlessBelow && near <= MAX_NEAR_SURE;
          return { score, tells: isHarmless ? 'harmless' : 'open', isSurelyHarmless, evidence: [] };
        },
      };
    },
  };
}
