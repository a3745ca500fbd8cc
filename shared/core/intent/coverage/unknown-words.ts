// Finds sentences, and parts of them, in words that nobody knows: of a language that the lexicon does not cover, or of none.
import type { Sentence, Sentences, Token } from '../text/tokens.ts';

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

interface Part {
  readonly from: number;
  readonly to: number;
}

/** From the first to the last unknown word, if they are most of the words of a sentence. @param judged the places of its words, without names */
function mostlyUnknown(sentence: Sentence, judged: readonly number[], words: number): Part | undefined {
  const unknown = judged.filter((at) => sentence[at]?.info.isKnown === false);
  const missed = unknown.reduce((sum, at) => sum + (LATIN.test(sentence[at]?.text ?? '') ? 1 : 2), 0);
  const [from, to] = [unknown[0], unknown.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  return missed >= MIN_UNKNOWN && missed >= words * SHARE ? { from, to } : undefined;
}

/** The neighbours that tell most of a language that nobody reads, if they tell enough. */
function strangestOf(sentence: Sentence, judged: readonly number[], isForeign: boolean): Part | undefined {
  const isCovered = isCoveredIn(sentence, isForeign);
  let [from, sum] = [0, 0];
  let strangest = { from: 0, to: 0, sum: 0 };
  for (const at of judged) {
    const token = sentence[at];
    if (token === undefined) continue;
    // They begin anew where a sum is below 0.
    if (sum <= 0) [from, sum] = [at, 0];
    sum += strangenessOf(token, isCovered);
    if (sum > strangest.sum) strangest = { from, to: at, sum };
  }
  return strangest.sum >= STRANGE ? strangest : undefined;
}

/** The part of each sentence that is not understood, because its words are not known. `isForeign`: the text is read in another language than English. */
export function unknownWordsIn(sentences: Sentences, isForeign: boolean, isInCode: (at: number) => boolean): Token[][] {
  return sentences.flatMap((sentence) => {
    const words = sentence.flatMap((token, at) => (token.kind === 'word' && !isInCode(token.at) ? [at] : []));
    const isName = (at: number) => at > 0 && NAME.test(sentence[at]?.text ?? '') && sentence[at - 1]?.text !== ':';
    const judged = words.filter((at) => !isName(at));
    const part = mostlyUnknown(sentence, judged, words.length) ?? strangestOf(sentence, judged, isForeign);
    return part === undefined ? [] : [sentence.slice(part.from, part.to + 1)];
  });
}
