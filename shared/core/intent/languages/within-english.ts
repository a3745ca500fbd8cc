// Requests to destroy or to pay in another language within an English text.
import type { CandidateAction } from '../grammar/candidate.ts';
import { type ForeignVerb, type Language, withoutPronoun } from '../lexicon/languages.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence, Sentences } from '../text/tokens.ts';
import { hasDense } from './known.ts';
import { requestsIn } from './one-language.ts';
import { saidIn } from './told.ts';

/** Shorter words of other languages are too often English ones. */
const MIN_FOREIGN = 5;
const ASCII = /^[a-z'-]*$/;

/** The verbs of other languages that count in an English text. */
interface GraveVerbs {
  readonly verbs: ReadonlySet<ForeignVerb>;
  /** The words with which those of languages with spaces begin. */
  readonly openings: ReadonlyMap<string, Opening>;
}

/** The languages, as bits, of the verbs that begin with a word. */
interface Opening {
  readonly alone: number;
  /** Of those of several words. */
  readonly joined: number;
}
const NONE: Opening = { alone: 0, joined: 0 };

/** Whether a verb destroys or pays, and its first word is neither English nor short. */
function isGraveInEnglish(
  { effect, action, head, rest }: ForeignVerb,
  { isDense }: Language,
  lexicon: Lexicon,
): boolean {
  const [word = ''] = head;
  const isEnglish = lexicon.verbForms.get(word) !== undefined || lexicon.domainOfNoun.has(word);
  const isTelling = isDense || rest !== undefined || head.length > 1 || word.length >= MIN_FOREIGN || !ASCII.test(word);
  return (effect === 'destructive' || action === 'transfer') && !isEnglish && isTelling;
}

const graveVerbs = oncePerLexicon((lexicon): GraveVerbs => {
  const verbs = new Set<ForeignVerb>();
  const openings = new Map<string, Opening>();
  for (const [at, language] of lexicon.languages.entries())
    for (const verb of [...language.verbs.values()].flat().filter((one) => isGraveInEnglish(one, language, lexicon))) {
      verbs.add(verb);
      const [word = ''] = verb.head;
      const { alone, joined } = openings.get(word) ?? NONE;
      const isAlone = verb.head.length === 1;
      if (!language.isDense)
        openings.set(word, isAlone ? { alone: alone | (1 << at), joined } : { alone, joined: joined | (1 << at) });
    }
  return { verbs, openings };
});

/** The languages, as bits, of which a sentence may have such a verb. */
function languagesOfVerbs(sentence: Sentence, { openings }: GraveVerbs): number {
  const begins = (word: string): number => {
    const { alone, joined } = openings.get(word) ?? NONE;
    return sentence.length > 1 ? alone | joined : alone;
  };
  let [bits, joined] = [0, 0];
  for (const { kind, info } of sentence) {
    if (kind !== 'word' && kind !== 'identifier') continue;
    const word = info.plain;
    bits |= begins(word);
    if (word.includes('-')) joined |= begins(withoutPronoun(word));
  }
  return bits === 0 ? 0 : bits | joined;
}

/** Requests to destroy something in another language within an English text; only words that are not English. */
export function foreignDestruction(text: string, sentences: Sentences, lexicon: Lexicon): CandidateAction[] {
  const isDense = hasDense(text);
  const grave = graveVerbs(lexicon);
  // Most sentences have none.
  const said = sentences.flatMap((sentence, index) => {
    const bits = languagesOfVerbs(sentence, grave);
    return bits === 0 ? [] : [{ index, bits, sentence: saidIn(sentence) }];
  });
  if (!isDense && said.length === 0) return [];
  const isGrave = (verb: ForeignVerb) => grave.verbs.has(verb);
  return lexicon.languages.flatMap((language, at) => {
    if (language.isDense && !isDense) return [];
    const own = said.filter(({ bits }) => ((bits >> at) & 1) === 1);
    const sentences = new Map(own.map(({ index, sentence }) => [index, sentence]));
    const found = requestsIn({ text, sentences, isHarmless: false }, language, lexicon, isGrave);
    return found.filter(({ negated }) => !negated);
  });
}
