// The requests of a text in other languages than English.
import { type CandidateAction, changed } from '../grammar/candidate.ts';
import { dataClassesOf } from '../grammar/context.ts';
import { type Language, verbsOpenedBy } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { isSecret } from '../text/secrets.ts';
import { type Sentences, sentencesOf, type Token } from '../text/tokens.ts';
import { hasDense, knownShare, languagesOf, wordsIn } from './known.ts';
import { isTopic, nounAt } from './nouns.ts';
import { MESSAGE, questionOf, requestsIn } from './one-language.ts';
import { type Said, saidIn } from './told.ts';

/** A text with fewer known words is in none of the languages. */
const MIN_KNOWN = 0.3;

/** The readings of a text in other languages. */
export interface ForeignReading {
  readonly requests: readonly CandidateAction[];
  /** English nouns for those of the text. */
  readonly nouns: readonly string[];
  /** 0..1: the share of its words, or characters, that the languages list. */
  readonly known: number;
}

const isCredential = (noun: string, lexicon: Lexicon): boolean =>
  dataClassesOf(noun.split('_'), lexicon).includes('credentials');

/** The sentences that may request or ask something, by their index: the first one, questions, and those with a verb. */
function toBeRead(sentences: Sentences, languages: readonly Language[]): ReadonlyMap<number, Said> {
  const isVerb = ({ info }: Token, length: number): boolean =>
    languages.some((language) => verbsOpenedBy(info.plain, language)?.some(({ head }) => head.length <= length));
  const found = new Map<number, Said>();
  for (const [index, sentence] of sentences.entries())
    if (index === 0 || sentence.at(-1)?.text === '?' || sentence.some((token) => isVerb(token, sentence.length)))
      found.set(index, saidIn(sentence));
  return found;
}

/** What sentences request in another language than the text's: a request may hide behind many in the first one. */
function requestsBeside(
  text: string,
  sentences: Sentences,
  languages: readonly Language[],
  lexicon: Lexicon,
): CandidateAction[] {
  const found: CandidateAction[] = [];
  const read = (piece: string, at: number, own: Sentences, of: readonly Language[]): void => {
    if (of.some((language) => languages.includes(language))) return;
    const said = new Map(own.map((sentence, index) => [index, saidIn(sentence)]));
    for (const language of of)
      for (const one of requestsIn({ text: piece, sentences: said, isHarmless: false }, language, lexicon))
        found.push(changed(one, { at: at + one.at }));
  };
  if (!hasDense(text)) {
    for (const sentence of sentences) read('', 0, [sentence], languagesOf('', wordsIn([sentence]), lexicon));
    return found;
  }
  // No space follows the end of a sentence.
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const own = hasDense(piece) ? [] : sentencesOf(piece, isSecret, lexicon.words);
    read(piece, index, own, languagesOf(piece, wordsIn(own), lexicon));
  }
  return found;
}

/** Sentences of a script without spaces. */
const PIECES = /[^。！？.!?\n]+/g;

/**
 * Reads a text in the languages that it may be in; the strictest request counts.
 * @param isHarmless by the learned weights
 * @returns undefined when no language fits
 */
export function foreignReading(
  text: string,
  sentences: Sentences,
  isHarmless: boolean,
  lexicon: Lexicon,
): ForeignReading | undefined {
  const words = wordsIn(sentences);
  const languages = languagesOf(text, words, lexicon);
  const spoken = { text, words, sentences: toBeRead(sentences, languages), isHarmless };
  const readings = languages.flatMap((language) => {
    const requests = requestsIn(spoken, language, lexicon);
    const asked = requests.some(({ negated }) => !negated)
      ? requests
      : [...requests, ...questionOf(spoken, language, lexicon)];
    if (asked.length === 0) return [];
    const nouns = language.isDense
      ? [...language.nouns].flatMap(([word, noun]) => (text.includes(word) ? [noun] : []))
      : words
          .map((_, at) => nounAt(words, at, language))
          .filter((noun, at): noun is string => noun !== undefined && !isTopic(words, at, language));
    const known = knownShare(text, words, language);
    const isMessage =
      requests.length > 0 && asked.every(({ action, object }) => action === 'send' && object === MESSAGE);
    const told = isMessage ? nouns.filter((noun) => isCredential(noun, lexicon)) : nouns;
    return known < MIN_KNOWN ? [] : [{ requests: asked, nouns: told, known }];
  });
  const beside = requestsBeside(text, sentences, languages, lexicon);
  if (readings.length === 0 && beside.length === 0) return undefined;
  return {
    requests: [...readings.flatMap(({ requests }) => requests), ...beside],
    nouns: readings.flatMap(({ nouns }) => nouns.flatMap((noun) => noun.split('_'))),
    known: readings.length === 0 ? 0 : Math.min(...readings.map(({ known }) => known)),
  };
}
