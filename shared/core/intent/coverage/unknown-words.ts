// Finds sentences, and parts of them, in words that nobody knows: of a language that the lexicon does not cover, or of none.
import type { Sentence, Token } from '../text/tokens.ts';

/** A sentence with so many unknown words is not understood, if they are at least this share of its words. */
const MIN_UNKNOWN = 2;
const SHARE = 0.6;
/** So are neighbouring words that count for so much: three unknown ones, or two with letters that English does not have. */
const STRANGE = 11;
const [UNKNOWN, ACCENTED, OF_OTHERS, MET, ENGLISH] = [4, 6, 1, -2, -4];
/** A word of a script that no language of the lexicon is written in counts as two. Scripts without spaces have whole sentences for words. */
const [OTHER_SCRIPT, UNSPACED] = [8, 12];

const NAME = /^\p{Lu}/u;
const LATIN = /\p{sc=Latin}/u;
const ASCII = /^[ -~\u2018\u2019]*$/;

const isEnglish = ({ isListed, isEmpty, form, isParticiple }: Token['info']): boolean =>
  isListed || isEmpty || form !== undefined || isParticiple;

/** How much a word tells of a language that nobody reads. `isCovered`: the sentence is rather in another language of the lexicon. */
function strangenessOf({ text, info }: Token, isCovered: boolean): number {
  if (isEnglish(info) || (info.isKnown && isCovered)) return ENGLISH;
  // What only texts have shown may be of any language.
  if (info.isKnown) return info.languages !== 0 ? OF_OTHERS : ASCII.test(text) ? MET : 0;
  if (!LATIN.test(text)) return text.length >= UNSPACED ? STRANGE : OTHER_SCRIPT;
  return ASCII.test(text) || isCovered ? UNKNOWN : ACCENTED;
}

/** Whether a sentence is in another language of the lexicon: the text is, or it has as many of their words as of those that nobody knows. */
function isCoveredIn(sentence: Sentence, isForeign: boolean): boolean {
  const words = sentence.filter(({ kind }) => kind === 'word');
  const ofOthers = words.filter(({ info }) => !isEnglish(info) && info.languages !== 0).length;
  return ofOthers > 0 && (isForeign || ofOthers >= words.filter(({ info }) => !info.isKnown).length);
}

/** The part of each sentence that is not understood, because its words are not known. `isForeign`: the text is read in another language than English. */
export function unknownWordsIn(
  sentences: readonly Sentence[],
  isForeign: boolean,
  isInCode: (at: number) => boolean,
): Token[][] {
  return sentences.flatMap((sentence) => {
    let [first, last, words, missed] = [-1, -1, 0, 0];
    // The neighbours with the highest sum, which begin anew where a sum is below 0.
    let [from, sum] = [0, 0];
    let strangest = { from: 0, to: 0, sum: 0 };
    const isCovered = isCoveredIn(sentence, isForeign);
    for (const [at, token] of sentence.entries()) {
      if (token.kind !== 'word' || isInCode(token.at)) continue;
      words += 1;
      if (at > 0 && NAME.test(token.text) && sentence[at - 1]?.text !== ':') continue;
      if (!token.info.isKnown) {
        if (first < 0) first = at;
        last = at;
        missed += LATIN.test(token.text) ? 1 : 2;
      }
      if (sum <= 0) [from, sum] = [at, 0];
      sum += strangenessOf(token, isCovered);
      if (sum > strangest.sum) strangest = { from, to: at, sum };
    }
    if (missed >= MIN_UNKNOWN && missed >= words * SHARE) return [sentence.slice(first, last + 1)];
    return strangest.sum >= STRANGE ? [sentence.slice(strangest.from, strangest.to + 1)] : [];
  });
}
