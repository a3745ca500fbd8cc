// Requests to destroy or to pay in another language within an English text.
import type { CandidateAction } from '../grammar/candidate.ts';
import { type ForeignVerb, type Language, withoutPronoun } from '../lexicon/languages.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentences, Token } from '../text/tokens.ts';
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
  readonly openings: ReadonlySet<string>;
}

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
  const openings = new Set<string>();
  for (const language of lexicon.languages)
    for (const verb of [...language.verbs.values()].flat())
      if (isGraveInEnglish(verb, language, lexicon)) {
        verbs.add(verb);
        if (!language.isDense) openings.add(verb.head[0] ?? '');
      }
  return { verbs, openings };
});

/** Requests to destroy something in another language within an English text; only words that are not English. */
export function foreignDestruction(text: string, sentences: Sentences, lexicon: Lexicon): CandidateAction[] {
  const isDense = hasDense(text);
  const { verbs, openings } = graveVerbs(lexicon);
  const mayOpen = ({ kind, info: { plain } }: Token): boolean =>
    (kind === 'word' || kind === 'identifier') && (openings.has(plain) || openings.has(withoutPronoun(plain)));
  // Most sentences have none.
  const said = new Map(
    sentences.flatMap((sentence, index) => (sentence.some(mayOpen) ? [[index, saidIn(sentence)] as const] : [])),
  );
  if (!isDense && said.size === 0) return [];
  return lexicon.languages.flatMap((language) => {
    if (language.isDense && !isDense) return [];
    const given = { text, sentences: said, isHarmless: false };
    return requestsIn(given, language, lexicon, (verb) => verbs.has(verb)).filter(({ negated }) => !negated);
  });
}
