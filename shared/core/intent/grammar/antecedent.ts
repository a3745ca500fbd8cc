// Resolves `it` and `them`: to something that the sentence, or the one before it, names.
import type { CandidateAction } from './candidate.ts';
import { extentOf } from './context.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { objectAt } from './object.ts';
import { isNoun } from './phrase-ends.ts';
import { indexOfToken } from './request.ts';
import { domainOf } from './request-object.ts';
import type { Sentence, Sentences } from '../text/tokens.ts';
import { K } from '../lexicon/word-kinds.ts';

/** The object of a candidate. */
export type About = Pick<CandidateAction, 'object' | 'domain' | 'objectKnown' | 'extent'>;

/** The number of words of a sentence that are examined. */
const MAX_LOOK = 60;

/** The first object that a sentence names before `at`; nouns that the lexicon knows take precedence over names. */
function firstNamed(tokens: Sentence, at: number, lexicon: Lexicon): About | undefined {
  const last = Math.min(indexOfToken(tokens, at), MAX_LOOK);
  const [speaker = ''] = tokens[0]?.lower.split("'", 1) ?? [];
  const speaks = lexicon.wordKinds.has(speaker, K.topic_speaker);
  const first = speaks ? undefined : aboutAt(tokens, 0, last, lexicon);
  if (first?.objectKnown) return first;
  const from = tokens.slice(0, last).findIndex(({ lower }) => isNoun(lower, lexicon));
  if (from < 0) return first;
  return aboutAt(tokens, from, last, lexicon) ?? first;
}

/** The number of words of a noun phrase in which `all` and similar words are searched. */
const MAX_WORDS = 12;

function aboutAt(tokens: Sentence, from: number, to: number, lexicon: Lexicon): About | undefined {
  const phrase = objectAt(tokens, from, to, lexicon);
  if (phrase.name === '') return undefined;
  const words = tokens.slice(from, Math.min(to, from + MAX_WORDS)).map(({ lower }) => lower);
  const extent = extentOf(words, phrase.plural, lexicon);
  return { object: phrase.name, domain: domainOf(phrase.words, lexicon), objectKnown: phrase.known, extent };
}

/** The antecedent of a pronoun at `at`. Words before the request may be anything: `can you help me reset it`. */
export function antecedentIn(sentences: Sentences, index: number, at: number, lexicon: Lexicon): About | undefined {
  const own = firstNamed(sentences[index] ?? [], at, lexicon);
  return own?.objectKnown === true ? own : firstNamed(sentences[index - 1] ?? [], at, lexicon);
}
