// Finds sentences in words that nobody knows: of a language that the lexicon does not cover, or of none.
import type { Sentence, Token } from '../text/tokens.ts';

/** So many unknown words in a row are more than names, rare words and typing mistakes. */
const RUN = 3;
/** So is a sentence with so many of them, if they are at least this share of its words. */
const MIN_UNKNOWN = 2;
const SHARE = 0.6;

const NAME = /^\p{Lu}/u;
const LATIN = /\p{sc=Latin}/u;

const isKnown = ({ text, info }: Token, first: boolean): boolean => info.isKnown || (!first && NAME.test(text));
/** A word of a script that no language of the lexicon is written in counts as two: some of these scripts join words. */
const countOf = ({ text }: Token): number => (LATIN.test(text) ? 1 : 2);

/** From the first to the last unknown word, the part of each sentence that is not understood because of them. */
export function unknownWordsIn(sentences: readonly Sentence[], isInCode: (at: number) => boolean): Token[][] {
  return sentences.flatMap((sentence) => {
    let [first, last] = [-1, -1];
    let [words, missed, run, longest] = [0, 0, 0, 0];
    for (const [at, token] of sentence.entries()) {
      if (token.kind !== 'word' || isInCode(token.at)) continue;
      words += 1;
      if (isKnown(token, at === 0)) {
        run = 0;
        continue;
      }
      if (first < 0) first = at;
      last = at;
      missed += countOf(token);
      run += countOf(token);
      longest = Math.max(longest, run);
    }
    return longest >= RUN || (missed >= MIN_UNKNOWN && missed >= words * SHARE)
      ? [sentence.slice(first, last + 1)]
      : [];
  });
}
