// The requests of a text in another language than English.
import type { Trait } from '../../../kernel/vocabulary.ts';
import type { CandidateAction } from '../grammar/candidate.ts';
import { dataClassesOf } from '../grammar/context.ts';
import { refinementsOf } from '../grammar/meaning.ts';
import {
  type ForeignMatch,
  type ForeignVerb,
  type Language,
  verbsAmong,
  verbsWithin,
  withoutPronoun,
} from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { strictestDoing } from '../strings/doing.ts';
import type { Sentence } from '../text/tokens.ts';
import {
  asksOnly,
  isDecorated,
  openingOf,
  plain,
  suggests,
  requestedAmong,
  requestedWithin,
  type Said,
  saidIn,
} from './told.ts';
import { denseNoun, isTopic, nounAt, nounNear, unlistedNear, unlistedWithin, withoutElision } from './nouns.ts';

/** A reading of another language is less certain than one of English. */
const CERTAINTY = 0.85;
const MAX_REQUESTS = 50;
/** A text with fewer known words is in none of the languages. */
const MIN_KNOWN = 0.3;
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAN = /\p{sc=Han}/u;
/** Words, or characters in a script without spaces, between a verb and its negation. */
const NEGATION_REACH = 3;
const DENSE_REACH = 6;

/** The readings of a text in other languages. */
export interface ForeignReading {
  readonly requests: readonly CandidateAction[];
  /** English nouns for those of the text. */
  readonly nouns: readonly string[];
  /** 0..1: the share of its words, or characters, that the languages list. */
  readonly known: number;
}

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
    const isAll = words.some((word) => language.all.has(word));
    const said = ` ${words.join(' ')} `;
    const leaves = language.outside.some((phrase) => said.includes(` ${phrase} `));
    const isSecret = language.secretly.some((phrase) => said.includes(` ${phrase} `));
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
        isAll,
        leaves,
        isSecret,
        negated:
          match.verb.head.length === 1 && (isWithout || words.slice(from, match.end + NEGATION_REACH).some(negates)),
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
  const isAll = [...language.all].some((word) => text.includes(word));
  const leaves = language.outside.some((phrase) => text.includes(phrase));
  const isSecret = language.secretly.some((phrase) => text.includes(phrase));
  const noun = denseNoun(text, language, lexicon);
  const nouns = noun === undefined ? [] : [noun];
  return matches.map((match) => {
    const around = text.slice(Math.max(0, match.at - 2), match.at) + text.slice(match.end, match.end + DENSE_REACH);
    return {
      match,
      at: match.at,
      sentence: 0,
      noun,
      nouns,
      unlisted: unlistedWithin(text, match.at, match.end),
      isAll,
      leaves,
      isSecret,
      negated: [...language.negations].some((word) => word.length > 1 && around.includes(word)),
    };
  });
}

const MESSAGE = 'message';
/** What leaves the organisation without being named. */
const SENT = 'data';
/** Those to whom something is sent. */
const RECIPIENTS: ReadonlySet<string> = new Set([
  'team',
  'group',
  'colleague',
  'employee',
  'member',
  'person',
  'staff',
]);

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
  return {
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
    weak: false,
    source: 'words',
    mentions: false,
    tells: false,
    pronoun: false,
    implied: false,
    intention: false,
    sentence,
  };
}

/** A question without a verb of the language reads something; a suggestion without one is not understood. */
function questionOf(sentences: readonly Said[], text: string, language: Language, lexicon: Lexicon): CandidateAction[] {
  const words = sentences[0]?.words ?? [];
  const asks = language.isDense
    ? language.questions.some((word) => text.includes(word))
    : sentences.some((sentence, at) => asksOnly(sentence, at === 0, language));
  // What is suggested is to be done, whatever it is: `¿qué tal si ...?`
  const isSuggested = language.isDense
    ? language.suggestions.some((word) => text.includes(word))
    : suggests({ words: sentences.flatMap((sentence) => sentence.words) }, language);
  if (!(asks || isSuggested)) return [];
  const verb: ForeignVerb = {
    verb: 'query',
    action: 'read',
    effect: 'read',
    traits: [],
    head: [],
    rest: undefined,
    reports: false,
    tells: undefined,
  };
  const noun = language.isDense ? denseNoun(text, language, lexicon) : nounNear(words, 0, 0, language);
  const found = {
    match: { verb, at: 0, end: 0 },
    at: 0,
    sentence: 0,
    noun,
    nouns: [],
    isAll: false,
    leaves: false,
    isSecret: false,
    negated: false,
  };
  const question: CandidateAction = { ...candidateOf(found, lexicon), source: 'question' };
  return [isSuggested ? { ...question, verb: 'unknown', action: 'unknown', effect: 'write' } : question];
}

const isCredential = (noun: string, lexicon: Lexicon): boolean =>
  dataClassesOf(noun.split('_'), lexicon).includes('credentials');

/** The languages that a text may be in: by its script, or by the most frequent words. */
function languagesOf(text: string, words: readonly string[], languages: readonly Language[]): Language[] {
  if (KANA.test(text)) return languages.filter(({ code }) => code === 'ja');
  if (HAN.test(text)) return languages.filter(({ isDense, code }) => isDense && code !== 'ja');
  const scored = languages
    .filter(({ isDense }) => !isDense)
    .map((language) => ({
      language,
      signs: words.filter((word) => language.known.has(withoutElision(word)) || language.signs.has(word)).length,
    }));
  const most = Math.max(1, ...scored.map(({ signs }) => signs));
  return scored.filter(({ signs }) => signs === most).map(({ language }) => language);
}

function knownShare(text: string, words: readonly string[], language: Language): number {
  if (!language.isDense) {
    const known = words.filter(
      (word) => language.known.has(word) || language.known.has(withoutElision(word)) || /^\d/.test(word),
    );
    return words.length === 0 ? 1 : known.length / words.length;
  }
  let known = 0;
  let all = 0;
  for (let at = 0; at < text.length; ) {
    let length = 0;
    for (let size = Math.min(8, text.length - at); size > 0 && length === 0; size -= 1)
      if (language.known.has(text.slice(at, at + size))) length = size;
    const step = Math.max(1, length);
    if (HAN.test(text.charAt(at)) || KANA.test(text.charAt(at))) {
      all += step;
      known += length;
    }
    at += step;
  }
  return all === 0 ? 1 : known / all;
}

const wordsIn = (sentences: readonly Sentence[]): string[] =>
  sentences.flatMap((sentence) =>
    sentence.flatMap(({ kind, lower }) => (kind === 'word' || kind === 'identifier' ? [plain(lower)] : [])),
  );

/** 0..1: the share of the words or characters of a text that the language it may be in lists. */
export function languageKnown(text: string, sentences: readonly Sentence[], lexicon: Lexicon): number {
  const words = wordsIn(sentences);
  return Math.max(0, ...languagesOf(text, words, lexicon.languages).map((one) => knownShare(text, words, one)));
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
  const said = sentences.map(saidIn);
  const byIndex = new Map(said.entries());
  const languages = languagesOf(text, words, lexicon.languages);
  const readings = languages.flatMap((language) => {
    const found = language.isDense
      ? dense(text, isHarmless, language, lexicon, () => true)
      : spaced(byIndex, isHarmless, language, () => true);
    const requests = found.slice(0, MAX_REQUESTS).map((one) => candidateOf(one, lexicon));
    const asked = requests.some(({ negated }) => !negated)
      ? requests
      : [...requests, ...questionOf(said, text, language, lexicon)];
    if (asked.length === 0) return [];
    const nouns = language.isDense
      ? [...language.nouns].flatMap(([word, noun]) => (text.includes(word) ? [noun] : []))
      : words.flatMap((_, at) => (isTopic(words, at, language) ? [] : (nounAt(words, at, language) ?? [])));
    const known = knownShare(text, words, language);
    const isMessage =
      requests.length > 0 && asked.every(({ action, object }) => action === 'send' && object === MESSAGE);
    const told = isMessage ? nouns.filter((noun) => !isHarmless && isCredential(noun, lexicon)) : nouns;
    return known < MIN_KNOWN ? [] : [{ requests: asked, nouns: told, known }];
  });
  if (readings.length === 0) return undefined;
  return {
    requests: readings.flatMap(({ requests }) => requests),
    nouns: readings.flatMap(({ nouns }) => nouns.flatMap((noun) => noun.split('_'))),
    known: Math.min(...readings.map(({ known }) => known)),
  };
}

/** The verbs of other languages that count in an English text. */
interface GraveVerbs {
  readonly verbs: ReadonlySet<ForeignVerb>;
  /** For the first words of those of languages with spaces, the languages as bits. */
  readonly starts: ReadonlyMap<string, number>;
}

const graveByLexicon = new WeakMap<Lexicon, GraveVerbs>();

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

function graveVerbs(lexicon: Lexicon): GraveVerbs {
  let grave = graveByLexicon.get(lexicon);
  if (grave === undefined) {
    const verbs = new Set<ForeignVerb>();
    const starts = new Map<string, number>();
    for (const [at, language] of lexicon.languages.entries())
      for (const verb of [...language.verbs.values()]
        .flat()
        .filter((one) => isGraveInEnglish(one, language, lexicon))) {
        verbs.add(verb);
        const [word = ''] = verb.head;
        if (!language.isDense) starts.set(word, (starts.get(word) ?? 0) | (1 << at));
      }
    grave = { verbs, starts };
    graveByLexicon.set(lexicon, grave);
  }
  return grave;
}

/** The languages, as bits, of which a sentence may have such a verb. */
function languagesOfVerbs(sentence: Sentence, isPlain: boolean, { starts }: GraveVerbs): number {
  let [bits, joined] = [0, 0];
  for (const { kind, lower } of sentence) {
    if (kind !== 'word' && kind !== 'identifier') continue;
    const word = isPlain ? lower : plain(lower);
    bits |= starts.get(word) ?? 0;
    if (word.includes('-')) joined |= starts.get(withoutPronoun(word)) ?? 0;
  }
  return bits === 0 ? 0 : bits | joined;
}

/** Requests to destroy something in another language within an English text; only words that are not English. */
export function foreignDestruction(text: string, sentences: readonly Sentence[], lexicon: Lexicon): CandidateAction[] {
  const isDense = HAN.test(text) || KANA.test(text);
  const grave = graveVerbs(lexicon);
  const isPlain = !isDecorated(text);
  // Most sentences have none.
  const said = sentences.flatMap((sentence, index) => {
    const bits = languagesOfVerbs(sentence, isPlain, grave);
    return bits === 0 ? [] : [{ index, bits, sentence: saidIn(sentence) }];
  });
  if (!isDense && said.length === 0) return [];
  const isGrave = (verb: ForeignVerb) => grave.verbs.has(verb);
  return lexicon.languages.flatMap((language, at) => {
    if (language.isDense && !isDense) return [];
    const own = said.filter(({ bits }) => ((bits >> at) & 1) === 1);
    const found = language.isDense
      ? dense(text, false, language, lexicon, isGrave)
      : spaced(new Map(own.map(({ index, sentence }) => [index, sentence])), false, language, isGrave);
    return found.filter(({ negated }) => !negated).map((one) => candidateOf(one, lexicon));
  });
}

/** Shorter words of other languages are too often English ones. */
const MIN_FOREIGN = 5;
const ASCII = /^[a-z'-]*$/;
