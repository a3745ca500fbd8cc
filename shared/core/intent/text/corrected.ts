// Sentences with their misspelt words replaced by the words that are meant.
import type { Lexicon } from '../lexicon/types.ts';
import { type Sentence, type Sentences, Token } from './tokens.ts';

/** Words of one text that are looked up. */
const MAX_WORDS = 200;

/** @returns undefined when no word is misspelt */
export function correctedSentences(sentences: Sentences, { spelling, words }: Lexicon): Sentence[] | undefined {
  let left = MAX_WORDS;
  let isChanged = false;
  const corrected = sentences.map((sentence) =>
    sentence.map((token) => {
      if (token.kind !== 'word' || left === 0) return token;
      left -= 1;
      const meant = spelling.meant(token.lower);
      if (meant === undefined) return token;
      isChanged = true;
      return new Token('word', meant, token.at, words);
    }),
  );
  return isChanged ? corrected : undefined;
}
