// The requests of a text in other languages than English.
import type { CandidateAction } from '../grammar/candidate.ts';
import { dataClassesOf } from '../grammar/context.ts';
import { type Language, verbsOpenedBy } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { knownShare, languagesOf, wordsIn } from './known.ts';
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
function toBeRead(sentences: readonly Sentence[], languages: readonly Language[]): ReadonlyMap<number, Said> {
  const isVerb = ({ info }: Token, length: number): boolean =>
    languages.some((language) => verbsOpenedBy(info.plain, language)?.some(({ head }) => head.length <= length));
  const found = new Map<number, Said>();
  for (const [index, sentence] of sentences.entries())
    if (index === 0 || sentence.at(-1)?.text === '?' || sentence.some((token) => isVerb(token, sentence.length)))
      found.set(index, saidIn(sentence));
  return found;
}

/**
 * Reads a text in the languages that it may be in; the strictest request counts.
 * @param isHarmless by the learned weights
 * @returns undefined when no language fits
 */
export function foreignReading(
  text: string,
  sentences: readonly Sentence[],
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
  if (readings.length === 0) return undefined;
  return {
    requests: readings.flatMap(({ requests }) => requests),
    nouns: readings.flatMap(({ nouns }) => nouns.flatMap((noun) => noun.split('_'))),
    known: Math.min(...readings.map(({ known }) => known)),
  };
}
