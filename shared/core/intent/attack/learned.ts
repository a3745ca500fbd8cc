// Scores a text with the learned weights: which stretch of it reads most like an attempt to take an agent over, and by which words.
import type { Lexicon } from '../lexicon/types.ts';
import type { KnownWords } from '../text/words.ts';
import { type Chunk, chunksOf, signFeature, wordsOf } from './features.ts';

/** A linear model over feature numbers: scores above 0 count as an attack. Integers, so that every platform gets the same sums. */
export interface LearnedWeights {
  readonly bias: number;
  /** By feature number. */
  readonly weights: ArrayLike<number>;
}

/** A text as the model reads it. */
export interface FeatureText {
  readonly chunks: readonly Chunk[];
  /** The signs that the rules found in it: feature numbers, with their names. */
  readonly signs: ReadonlyMap<number, string>;
}

export interface LearnedScore {
  readonly score: number;
  /** The chunks `from` to before `to`, which have this score. */
  readonly from: number;
  readonly to: number;
}

/** A feature that raised the score. */
export interface Evidence {
  /** The word, or the pair of words, or the name of a sign. */
  readonly feature: string;
  readonly weight: number;
}

/** Neighbouring chunks are scored together while they have at most so many words. */
const WINDOW = 32;
const MAX_EVIDENCE = 8;

/** The sum of the weights of these features, each counted once. Few have a weight. */
function sumOf(numbers: Iterable<number>, weights: ArrayLike<number>): number {
  let sum = 0;
  const counted: number[] = [];
  for (const number of numbers) {
    const weight = weights[number] ?? 0;
    if (weight === 0 || counted.includes(number)) continue;
    counted.push(number);
    sum += weight;
  }
  return sum;
}

export function featureTextOf(spoken: KnownWords, names: Iterable<string>, lexicon: Lexicon): FeatureText {
  const signs = new Map<number, string>();
  for (const name of names) signs.set(signFeature(name), name);
  return { chunks: chunksOf(spoken, lexicon), signs };
}

/** The highest score of any window of chunks. Linear, because the number of words in a window is limited. */
export function scoreOf({ chunks, signs }: FeatureText, { bias, weights }: LearnedWeights): LearnedScore {
  const sums = chunks.map(({ features }) => sumOf(features.numbers, weights));
  const base = bias + sumOf(signs.keys(), weights);
  let best: LearnedScore = { score: base, from: 0, to: 0 };
  for (let from = 0; from < chunks.length; from += 1) {
    let score = base;
    let words = 0;
    for (let to = from; to < chunks.length; to += 1) {
      words += chunks[to]?.words.length ?? 0;
      if (to > from && words > WINDOW) break;
      score += sums[to] ?? 0;
      if (score > best.score || best.to === 0) best = { score, from, to: to + 1 };
    }
  }
  return best;
}

/** The features that raised the score of a text most, strongest first; none when it does not count as an attack. */
export function evidenceOf(text: FeatureText, learned: LearnedWeights): Evidence[] {
  const { score, from, to } = scoreOf(text, learned);
  if (score <= 0) return [];
  const found = new Map<string, number>();
  const count = (number: number, shown: string): void => {
    const weight = learned.weights[number] ?? 0;
    if (weight > (found.get(shown) ?? 0)) found.set(shown, weight);
  };
  for (const [number, name] of text.signs) count(number, name);
  for (const chunk of text.chunks.slice(from, to)) {
    const { numbers, places } = chunk.features;
    // A feature that occurs again stands for its first place.
    for (const number of new Set(numbers)) count(number, wordsOf(chunk, places[numbers.indexOf(number)] ?? 0));
  }
  return [...found]
    .map(([feature, weight]) => ({ feature, weight }))
    .sort((a, b) => b.weight - a.weight || (a.feature < b.feature ? -1 : 1))
    .slice(0, MAX_EVIDENCE);
}
