// The requests of a text in one language other than English.
import type { Trait } from '../../../kernel/vocabulary.ts';
import { READS } from '../code/code.ts';
import { firstOf } from '../first-of.ts';
import { type CandidateAction, changed, UNKNOWN } from '../grammar/candidate.ts';
import { refinementsOf } from '../grammar/meaning.ts';
import { type ForeignMatch, type ForeignVerb, type Language, verbsAmong, verbsWithin } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { strictestDoing } from '../strings/doing.ts';
import { wordSet } from '../text/word-set.ts';
import { denseNoun, nounAt, nounNear, unlistedNear, unlistedWithin } from './nouns.ts';
import { asksOnly, demands, openingOf, requestedAmong, requestedWithin, type Said, suggests, urges } from './told.ts';

/** A reading of another language is less certain than one of English. */
const CERTAINTY = 0.85;
/** Words, or characters in a script without spaces, between a verb and its negation. */
const NEGATION_REACH = 3;
const DENSE_REACH = 6;
/** Beyond this number of requests, only one that does something else than all others is considered, because it may come last. */
const MAX_REQUESTS = 50;

interface Found {
  readonly match: ForeignMatch;
  /** Offset in the text. */
  readonly at: number;
  readonly sentence: number;
  readonly noun: string | undefined;
  /** All nouns beside the verb. */
  readonly nouns: readonly string[];
  /** A noun that the language does not list. */
  readonly unlisted?: string | undefined;
  readonly isAll: boolean;
  /** The sentence names something outside of the organisation. */
  readonly leaves: boolean;
  /** The sentence says that nobody is to notice. */
  readonly isSecret: boolean;
  readonly negated: boolean;
}

const NOTHING: readonly Found[] = [];

/** What the words beside its verbs say about a text. */
const saidBeside = ({ all, outside, secretly }: Language, has: (phrase: string) => boolean) => ({
  isAll: [...all].some(has),
  leaves: outside.some(has),
  isSecret: secretly.some(has),
});

/** @param sentences by their index */
function spaced(
  sentences: ReadonlyMap<number, Said>,
  isHarmless: boolean,
  language: Language,
  counts: (verb: ForeignVerb) => boolean,
): Found[] {
  return [...sentences].flatMap(([index, sentence]) => {
    const { tokens, words, parts } = sentence;
    const verbs = verbsAmong(words, language);
    if (!verbs.some(({ verb }) => counts(verb))) return NOTHING;
    const matches = requestedAmong(verbs, sentence, isHarmless, language).filter(({ verb }) => counts(verb));
    if (matches.length === 0) return [];
    const nouns = words.flatMap((_, at) => nounAt(words, at, language) ?? []);
    const said = ` ${words.join(' ')} `;
    const isUrged = demands(sentence, language);
    const beside = saidBeside(language, (phrase) => said.includes(` ${phrase} `));
    return matches.map((match): Found => {
      const from = Math.max(0, match.at - NEGATION_REACH);
      const negates = (word: string, index: number) =>
        parts[from + index] === parts[match.at] &&
        (language.negations.has(word) || (from + index < match.at && language.without.has(word)));
      const isWithout = language.without.has(openingOf(match.at, sentence));
      return {
        match,
        at: tokens[match.at]?.at ?? 0,
        sentence: index,
        noun: nounNear(words, match.at, match.end, language),
        nouns,
        unlisted: unlistedNear(words, match.end, language),
        ...beside,
        // `warum hast du sie noch nicht gelöscht?`
        negated:
          !isUrged &&
          match.verb.head.length === 1 &&
          (isWithout || words.slice(from, match.end + NEGATION_REACH).some(negates)),
      };
    });
  });
}

const QUOTED = /[“「『][^”」』]{0,80}[”」』]/g;

/** A text without its quotations, when all that it asks for beside them is to read: `メールで「キャンセル」を検索して`. */
function withoutSearched(text: string, language: Language): string {
  const rest = text.replace(QUOTED, (quotation) => ' '.repeat(quotation.length));
  if (rest === text) return text;
  const asked = verbsWithin(rest, language);
  return asked.length > 0 && asked.every(({ verb }) => verb.effect === 'read') ? rest : text;
}

function dense(
  text: string,
  isHarmless: boolean,
  language: Language,
  lexicon: Lexicon,
  counts: (verb: ForeignVerb) => boolean,
): Found[] {
  const verbs = verbsWithin(withoutSearched(text, language), language);
  if (!verbs.some(({ verb }) => counts(verb))) return [];
  const matches = requestedWithin(verbs, text, isHarmless, language).filter(({ verb }) => counts(verb));
  if (matches.length === 0) return [];
  const beside = saidBeside(language, (phrase) => text.includes(phrase));
  const noun = denseNoun(text, language, lexicon);
  const nouns = noun === undefined ? [] : [noun];
  const isUrged = urges([text], language);
  return matches.map((match) => {
    const around = text.slice(Math.max(0, match.at - 2), match.at) + text.slice(match.end, match.end + DENSE_REACH);
    return {
      match,
      at: match.at,
      sentence: 0,
      noun,
      nouns,
      unlisted: unlistedWithin(text, match.at, match.end),
      ...beside,
      negated: !isUrged && [...language.negations].some((word) => word.length > 1 && around.includes(word)),
    };
  });
}

/** The object of what somebody is told. */
export const MESSAGE = 'message';
/** What leaves the organisation without being named. */
const SENT = 'data';
/** Those to whom something is sent. */
const RECIPIENTS = wordSet('team group colleague employee member person staff');

/** What is sent: not those who get it. */
function sentNoun({ verb }: ForeignMatch, noun: string | undefined, nouns: readonly string[], leaves: boolean) {
  if (verb.action !== 'send') return noun;
  const sent = noun !== undefined && RECIPIENTS.has(noun) ? nouns.find((one) => !RECIPIENTS.has(one)) : noun;
  return sent ?? (leaves ? SENT : noun && MESSAGE);
}

function candidateOf(
  { match, at, sentence, noun: own, nouns, unlisted, isAll, leaves, isSecret, negated }: Found,
  lexicon: Lexicon,
): CandidateAction {
  const { verb } = match.verb;
  // What a colleague is told is a message, whatever it is about.
  const isMessage = match.verb.tells === 'news' && match.verb.action === 'send' && !leaves;
  const noun = isMessage ? MESSAGE : sentNoun(match, own, nouns, leaves);
  const head = noun?.slice(noun.lastIndexOf('_') + 1) ?? '';
  const refined = refinementsOf(
    verb,
    [head, noun ?? ''],
    nouns.flatMap((one) => one.split('_')),
    lexicon,
  );
  const { action, effect, traits: done } = strictestDoing([match.verb, ...refined]);
  const traits: Trait[] = [...done];
  if (leaves && effect !== 'read') traits.push('external');
  if (isSecret) traits.push('illicit');
  return changed(UNKNOWN, {
    verb,
    action,
    effect,
    traits,
    object: noun ?? unlisted ?? 'unknown',
    domain: lexicon.domainOfNoun.get(head) ?? lexicon.defaultDomain,
    extent: isAll && !isMessage ? 'all' : 'one',
    at,
    certainty: CERTAINTY,
    objectKnown: noun !== undefined,
    negated,
    sentence,
  });
}

export interface Spoken {
  readonly text: string;
  readonly words: readonly string[];
  /** The sentences that are read, by their index. */
  readonly sentences: ReadonlyMap<number, Said>;
  /** By the learned weights. */
  readonly isHarmless: boolean;
}

/**
 * What a text requests in the words of a language, negated requests too.
 * @param counts which verbs do
 */
export function requestsIn(
  { text, sentences, isHarmless }: Omit<Spoken, 'words'>,
  language: Language,
  lexicon: Lexicon,
  counts: (verb: ForeignVerb) => boolean = () => true,
): CandidateAction[] {
  const found = language.isDense
    ? dense(text, isHarmless, language, lexicon, counts)
    : spaced(sentences, isHarmless, language, counts);
  const { kept, isCut } = firstOf(found, MAX_REQUESTS);
  const read = kept.map((one) => candidateOf(one, lexicon));
  return isCut ? [...read, ...othersAmong(found.slice(MAX_REQUESTS), read, lexicon)] : read;
}

/** What a request does, whatever it is called. */
const kindOf = ({ action, effect, traits, domain, extent, negated }: CandidateAction): string =>
  [action, effect, ...traits, domain, extent, negated].join(' ');

/** Of further requests, those that do something else than the ones that are read. */
function othersAmong(found: readonly Found[], read: readonly CandidateAction[], lexicon: Lexicon): CandidateAction[] {
  const kinds = new Set(read.map(kindOf));
  const seen = new Set<string>();
  const others: CandidateAction[] = [];
  for (const one of found) {
    const said = `${one.match.verb.head.join(' ')} ${one.noun} ${one.negated} ${one.sentence}`;
    if (seen.has(said)) continue;
    seen.add(said);
    const candidate = candidateOf(one, lexicon);
    const kind = kindOf(candidate);
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    others.push(candidate);
  }
  return others;
}

/** What is found of a question without a verb, but for its noun. */
const QUERY = {
  match: {
    verb: { ...READS, verb: 'query', head: [], rest: undefined, reports: false, tells: undefined },
    at: 0,
    end: 0,
  },
  ...{ at: 0, sentence: 0, nouns: [], isAll: false, leaves: false, isSecret: false, negated: false },
};

/** A question without a verb of the language reads something; a suggestion without one is not understood. */
export function questionOf(
  { text, words: all, sentences }: Spoken,
  language: Language,
  lexicon: Lexicon,
): CandidateAction[] {
  const words = sentences.get(0)?.words ?? [];
  const asks = language.isDense
    ? language.questions.some((word) => text.includes(word))
    : [...sentences].some(([index, sentence]) => asksOnly(sentence, index === 0, language));
  // What is suggested is to be done, whatever it is: `¿qué tal si ...?`
  const isSuggested = language.isDense
    ? language.suggestions.some((word) => text.includes(word))
    : suggests({ words: all }, language);
  if (!(asks || isSuggested)) return [];
  const noun = language.isDense ? denseNoun(text, language, lexicon) : nounNear(words, 0, 0, language);
  const question = changed(candidateOf({ ...QUERY, noun }, lexicon), { source: 'question' });
  return [isSuggested ? changed(question, { verb: 'unknown', action: 'unknown', effect: 'write' }) : question];
}
