// Scores by learned weights whether carrying a text out does harm, from its words and from what the rules have read.
import {
  bitsOfWord,
  eachPhraseAt,
  eachPiece,
  eachWordPhraseAt,
  type HarmToken,
  harmTokensOf,
  harmWordOf,
  isMark,
  wordHash,
  wordNumbers,
} from './features.ts';
import { ownCopy } from '../text/words.ts';
import type { ReadingName } from './reading.ts';

/** A linear model over feature numbers. Integers, so that every platform computes the same sums. */
export interface HarmWeights {
  readonly bias: number;
  /** A text with a higher score does harm. */
  readonly harmfulAbove: number;
  /** So does one in which STRETCH words have a higher score by themselves. */
  readonly stretchAbove: number;
  /** A text with a lower score does none. */
  readonly harmlessBelow: number;
  /** A text is surely harmless when its worst stretch has a lower score, with what the rules have read as grave; -Infinity: none is. */
  readonly surelyBelow: number;
  /** By feature number. */
  readonly weights: Int8Array;
  /** What a name of `namesOfReading` adds to the score of the words; a name that is not listed adds nothing. */
  readonly reading: Readonly<Record<string, number>>;
  /** The words that training has met (`bitsOfWord`), in each byte the lowest bit first. */
  readonly words: Uint8Array;
}

export interface HarmEstimate {
  readonly score: number;
  /** What the score tells; `open` when it is between the thresholds, and when a stretch speaks against `harmless`. */
  readonly tells: 'harmful' | 'harmless' | 'open';
  /** It is harmless, and no stretch leans to harm, with what the rules have read: hints and words that destroy are only mentioned. */
  readonly onlyMentions: boolean;
  /** It is harmless, and each stretch surely is, with what the rules have read as grave: harmless words around a grave one do not make it so. */
  readonly isSure: boolean;
  /** The words that raised the score most, at most three, in the order of the text; none unless it tells `harmful`. */
  readonly evidence: readonly HarmToken[];
}

export interface ScoredText {
  /** By its words alone. */
  readonly score: number;
  /** The score of the STRETCH words that have the highest. */
  readonly stretch: number;
  /**
   * @param names what the rules have read in the text (`namesOfReading`); none: by its words alone
   * @param isKnown whether its words are known; about others the weights tell nothing, so that it is not `harmless`
   */
  estimate(names: readonly ReadingName[], isKnown?: boolean): HarmEstimate;
  /** Whether the estimate tells `harmless`. */
  isHarmless(names: readonly ReadingName[]): boolean;
}

export type HarmThresholds = Pick<HarmWeights, 'harmfulAbove' | 'stretchAbove' | 'harmlessBelow' | 'surelyBelow'>;

export interface HarmEstimator extends HarmThresholds {
  of(text: string): ScoredText;
  /** Whether training has met the words of a token. About others the weights tell nothing. */
  hasMet(token: string): boolean;
}

/** A lower score is clearly harmless: settings and calls are short, and hardly a harmful one was found below it. */
export const CLEARLY_HARMLESS = -100;

/** Words and marks that are scored together: a longer text has the score of those that have the highest. */
const WINDOW = 60;
/** Words and marks whose score alone may tell of harm: harmless words around them, such as another request, do not hide it. */
const STRETCH = 16;
const MAX_EVIDENCE = 3;

interface Stretch {
  readonly sum: number;
  /** Index of its first word. */
  readonly from: number;
  /** Its words. */
  readonly length: number;
}

/** A text and its stretch with the highest scores. */
interface Scores {
  readonly tokens: readonly HarmToken[];
  readonly text: Stretch;
  readonly stretch: Stretch;
}

/** The stretch of so many words with the highest sum. */
function worstOf(parts: readonly number[], length: number): Stretch {
  let sum = 0;
  let worst: Stretch | undefined;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? 0;
    sum += part - (at < length ? 0 : (parts[at - length] ?? 0));
    const isWhole = at + 1 >= Math.min(length, parts.length);
    if (isWhole && (worst === undefined || sum > worst.sum))
      worst = { sum, from: Math.max(0, at + 1 - length), length };
  }
  return worst ?? { sum: 0, from: 0, length };
}

/** The words of a stretch that raised the score most, in the order of the text. */
function evidenceIn(tokens: readonly HarmToken[], parts: readonly number[], { from, length }: Stretch): HarmToken[] {
  return tokens
    .slice(from, from + length)
    .map((token, at) => ({ token, part: parts[from + at] ?? 0 }))
    .filter(({ part }) => part > 0)
    .sort((a, b) => b.part - a.part)
    .slice(0, MAX_EVIDENCE)
    .map(({ token }) => token)
    .sort((a, b) => a.at - b.at);
}

/** What is known of a word or mark as it is written. */
interface Piece {
  readonly word: string;
  readonly hash: number;
  readonly isMark: boolean;
  /** What it adds to the score by itself. */
  readonly sum: number;
}

/** Words and marks that are remembered: two megabytes of ASCII, five of the longest in other scripts. */
const MAX_REMEMBERED = 16_000;
/** Longer ones are not remembered. */
const MAX_LENGTH = 40;

export function createHarmEstimator(learned: HarmWeights): HarmEstimator {
  const { bias, harmfulAbove, stretchAbove, harmlessBelow, surelyBelow, weights } = learned;
  const reading = new Map<string, number>(Object.entries(learned.reading));
  const remembered = new Map<string, Piece>();

  const sumOf = (numbers: readonly number[]): number => {
    let sum = 0;
    for (const number of numbers) sum += weights[number] ?? 0;
    return sum;
  };

  const pieceOf = (written: string): Piece => {
    let piece = remembered.get(written);
    if (piece === undefined) {
      const text = ownCopy(written);
      const word = harmWordOf(text);
      piece = { word, hash: wordHash(word), isMark: isMark(word), sum: sumOf(wordNumbers(word)) };
      if (text.length <= MAX_LENGTH) {
        if (remembered.size === MAX_REMEMBERED) remembered.clear();
        remembered.set(text, piece);
      }
    }
    return piece;
  };

  const judged = (names: readonly ReadingName[], isKnown: boolean, { tokens, text, stretch }: Scores) => {
    const added = names.map((name) => reading.get(name) ?? 0);
    const score = added.reduce((total, weight) => total + weight, bias + text.sum);
    const isHarmful = score > harmfulAbove;
    if (isHarmful || bias + stretch.sum > stretchAbove)
      return {
        score,
        tells: 'harmful',
        onlyMentions: false,
        isSure: false,
        evidenceIn: isHarmful ? text : stretch,
      } as const;
    // What the rules have read as grave counts in every stretch. A text without words tells nothing.
    const worst = added.reduce((total, weight) => total + Math.max(0, weight), bias + stretch.sum);
    const isHarmless = isKnown && tokens.length > 0 && score < harmlessBelow && worst <= harmfulAbove;
    const onlyMentions = isHarmless && worst <= 0;
    const isSure = isHarmless && worst < surelyBelow;
    return { score, tells: isHarmless ? 'harmless' : 'open', onlyMentions, isSure, evidenceIn: undefined } as const;
  };

  return {
    harmfulAbove,
    stretchAbove,
    harmlessBelow,
    surelyBelow,
    hasMet: (token) =>
      harmTokensOf(token).every(({ word }) =>
        bitsOfWord(word).every((bit) => (((learned.words[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1),
      ),
    of(text) {
      const tokens: HarmToken[] = [];
      const hashes: number[] = [];
      const ofWords: number[] = [];
      // What each word adds to the score: its own weights, and those of its pairs and threes with words before; then those of the end.
      const parts: number[] = [];
      let phrases = 0;
      const add = (number: number) => {
        phrases += weights[number] ?? 0;
      };
      /** The sum of the weights of the phrases that end at a word. */
      const sumAt = (each: typeof eachPhraseAt, list: readonly number[], at: number): number => {
        phrases = 0;
        each(list, at, add);
        return phrases;
      };
      eachPiece(text, (written, at) => {
        const { word, hash, isMark: mark, sum } = pieceOf(written);
        tokens.push({ at, word });
        hashes.push(hash);
        if (!mark) ofWords.push(hash);
        parts.push(mark ? sum : sum + sumAt(eachWordPhraseAt, ofWords, ofWords.length - 1));
      });
      parts.push(sumAt(eachWordPhraseAt, ofWords, ofWords.length));
      for (let at = 0; at < parts.length; at += 1) parts[at] = (parts[at] ?? 0) + sumAt(eachPhraseAt, hashes, at);
      const scores = { tokens, text: worstOf(parts, WINDOW), stretch: worstOf(parts, STRETCH) };
      return {
        score: bias + scores.text.sum,
        stretch: bias + scores.stretch.sum,
        isHarmless: (names) => judged(names, true, scores).tells === 'harmless',
        estimate(names, isKnown = true) {
          const { evidenceIn: worst, ...told } = judged(names, isKnown, scores);
          return { ...told, evidence: worst === undefined ? [] : evidenceIn(tokens, parts, worst) };
        },
      };
    },
  };
}
