// What a sentence of another language only tells: what happened, what a text is about, what others want.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { follows, type ForeignMatch, type Language, withoutElision } from '../lexicon/languages.ts';
import type { Sentence } from '../text/tokens.ts';

/** A sentence without its punctuation: a word for each token, empty for what is no word. */
export interface Said {
  readonly tokens: Sentence;
  readonly words: readonly string[];
  /** For each word the number of commas and the like before it. */
  readonly parts: readonly number[];
  /** The index of the first word of each part; undefined for a part without words. */
  readonly starts: readonly (number | undefined)[];
  /** The parts that a colon begins. */
  readonly afterColon: ReadonlySet<number>;
  /** It ends with a question mark. */
  readonly isQuestion: boolean;
}

/** A word without typographic apostrophes and the signs that open a Spanish question. */
export const plain = (word: string): string =>
  DECORATED.test(word) ? word.replaceAll('’', "'").replace(/^[¿¡]+/, '') : word;
const DECORATED = /[’¿¡]/;

const PART = /[,;:()]/;
const NONE: ReadonlySet<number> = new Set();

export function saidIn(sentence: Sentence): Said {
  const tokens = sentence.filter(({ kind }) => kind !== 'punct');
  let part = 0;
  const parts: number[] = [];
  const starts: (number | undefined)[] = [];
  let afterColon: Set<number> | undefined;
  for (const { kind, text } of sentence) {
    if (kind !== 'punct') {
      starts[part] ??= parts.length;
      parts.push(part);
    } else if (PART.test(text)) part += 1;
    if (text === ':') (afterColon ??= new Set()).add(part);
  }
  return {
    tokens,
    parts,
    starts,
    afterColon: afterColon ?? NONE,
    isQuestion: sentence.at(-1)?.text === '?',
    words: tokens.map(({ kind, info }) => (kind === 'word' || kind === 'identifier' ? info.plain : '')),
  };
}

/** Words at the beginning of a sentence that may open a question. */
const MAX_OPENING = 5;

/** Whether a verb carries out what another one only tells of: `lies die Anleitung zum Löschen und führe sie aus`. */
const carriesOut = ({ verb }: ForeignMatch): boolean => verb.action === 'execute';

/** How far before a verb the word stands that says what a text is about: `über die alten Server`, `wie man ein Konto löscht`. */
const ABOUT_REACH = 5;

/** What stands before a verb: the last verbs of each kind, the last joining word, and whether anything is asked for. */
interface Before {
  read?: ForeignMatch;
  /** The last verb that neither destroys nor pays. */
  mild?: ForeignMatch;
  reminder?: ForeignMatch;
  /** The last verb of a message, or of a simulation. */
  teller?: ForeignMatch;
  /** Index of the last noun for a text that is written or read. */
  text: number;
  joined: number;
  isBeside: boolean;
}

/** What is known of a sentence as a whole. */
interface Whole {
  readonly isAsked: boolean;
  /** It only asks: nothing in it is a request. */
  readonly isInquiry: boolean;
  readonly isCarriedOut: boolean;
  /** Indices of the first words of phrases by which nothing is done in earnest. */
  readonly rehearsed: readonly number[];
}

/** Words between `zwischen` and the word that joins the two things. */
const BETWEEN_REACH = 4;

/** Whether a word begins a further request: not in `zwischen Archivieren und Löschen`. */
function joinsRequests(words: readonly string[], at: number, { joins, between }: Language): boolean {
  if (!joins.has(words[at] ?? '')) return false;
  return !words.slice(Math.max(0, at - BETWEEN_REACH), at).some((word) => between.has(word));
}

/** Indices of the words at which one of these phrases begins. */
const phrasesIn = (words: readonly string[], phrases: readonly string[]): number[] => {
  const said = ` ${words.join(' ')} `;
  return phrases.some((phrase) => said.includes(` ${phrase} `))
    ? words.flatMap((_, at) => (phrases.some((phrase) => follows(words, at, phrase.split(' '))) ? [at] : []))
    : [];
};

/**
 * The verbs of a sentence that do not only tell what happened, or what a text is about: `erkläre, warum er gekündigt hat`,
 * `résume le rapport sur la suppression`. What a joining word begins is a request again: `lis le rapport sur les ventes et supprime le compte`.
 * @param isHarmless by the learned weights: then a grave verb that a milder one governs is told, too
 */
export function requestedAmong(
  verbs: readonly ForeignMatch[],
  said: Said,
  isHarmless: boolean,
  language: Language,
): ForeignMatch[] {
  const { words } = said;
  const isSuggested = suggests(said, language);
  const isAsked = opensQuestion(words, language) && !isSuggested;
  const whole: Whole = {
    isAsked,
    isInquiry: said.isQuestion && opensWith(words, language.inquiries) && !isSuggested,
    isCarriedOut: verbs.some(carriesOut),
    rehearsed: phrasesIn(words, language.rehearsals),
  };
  const before: Before = { text: -1, joined: -1, isBeside: false };
  let word = 0;
  return verbs.filter((match) => {
    for (; word < match.at; word += 1) {
      if (joinsRequests(words, word, language)) before.joined = word;
      if (language.texts.has(withoutElision(words[word] ?? ''))) before.text = word;
    }
    const isTold =
      isToldAfter(before, match, said, whole, language) ||
      (isHarmless && !whole.isCarriedOut && isGrave(match) && isGoverned(match, before, said));
    if (match.verb.effect === 'read') before.read = match;
    if (!isGrave(match)) before.mild = match;
    if (match.verb.verb === 'remind') before.reminder = match;
    if (match.verb.tells !== undefined) before.teller = match;
    before.isBeside ||= match.verb.effect !== 'destructive';
    return !isTold;
  });
}

const GRAVE: ReadonlySet<ActionClass> = new Set(['transfer', 'grant', 'revoke', 'send']);
const isGrave = ({ verb: { effect, action, tells } }: ForeignMatch): boolean =>
  effect === 'destructive' || (GRAVE.has(action) && tells === undefined);

/** Whether a milder verb comes before it in the same part of the sentence, with no joining word between them. */
const isGoverned = ({ at }: ForeignMatch, { mild, joined }: Before, { parts }: Said): boolean =>
  mild !== undefined && mild.end > joined && parts[mild.at] === parts[at];

function isToldAfter(before: Before, match: ForeignMatch, said: Said, whole: Whole, language: Language): boolean {
  const { read, reminder, teller, joined, isBeside } = before;
  const { words, parts } = said;
  const isOfPart = (at: number) => parts[at] === parts[match.at];
  const isRead = whole.isAsked || (read !== undefined && read.end > joined);
  const isNews = teller !== undefined && teller.end > joined;
  if (match.verb.reports) return isRead || isNews;
  // `escribe al cliente que quiere cancelar`, `schreib dem Kunden, der kündigen möchte`
  if (isBeside && [match.at - 1, match.end].some((at) => language.wishes.has(words[at] ?? ''))) return true;
  if (reminder !== undefined && reminder.end > joined)
    if (isOfPart(reminder.at) || language.infinitives.has(words[match.at - 1] ?? '')) return true;
  const grave = isGrave(match);
  if (grave && isNews && teller.verb.tells === 'all' && isOfPart(teller.at)) return true;
  if (grave && isRehearsed(match, said, whole, language)) return true;
  if (whole.isCarriedOut) return false;
  if (grave && whole.isInquiry && !opensPart(match.at, said)) return true;
  if (grave && isOfText(before, match, said, language)) return true;
  if (!isRead) return false;
  // `Erkläre, warum die Frist der Sicherungen nie auf null stehen darf`
  if (grave && !opensPart(match.at, said) && language.about.has(openingOf(match.at, said))) return true;
  for (let at = Math.max(joined + 1, match.at - ABOUT_REACH); at < match.at; at += 1)
    if (language.about.has(words[at] ?? '') && isOfPart(at)) return true;
  return false;
}

const opensPart = (at: number, { parts }: Said): boolean => at === 0 || parts[at - 1] !== parts[at];

/** The first word of the part of the sentence in which a word is. */
export const openingOf = (at: number, { words, parts, starts }: Said): string =>
  words[starts[parts[at] ?? 0] ?? 0] ?? '';

/** Words between a verb and a phrase by which it is not done in earnest. */
const REHEARSAL_REACH = 12;
/** Commas and the like between a text that is written and the verb in what it says. */
const MAX_PARTS = 8;

/** Whether a phrase near the verb says that nothing is done in earnest: `lance la purge en mode simulation`. */
function isRehearsed({ at }: ForeignMatch, { words }: Said, { rehearsed }: Whole, language: Language): boolean {
  return rehearsed.some((phrase) => {
    if (Math.abs(phrase - at) > REHEARSAL_REACH) return false;
    for (let word = Math.min(at, phrase); word < Math.max(at, phrase); word += 1)
      if (joinsRequests(words, word, language)) return false;
    return true;
  });
}

/** Whether a verb is what a text that is written, or a part of it, is about: `schreib einen Test, der prüft, dass er alle löscht`. */
function isOfText({ mild, text, joined }: Before, { at }: ForeignMatch, said: Said, language: Language): boolean {
  if (mild === undefined || text < mild.at || Math.min(text, mild.end) <= joined) return false;
  const [of = 0, own = 0] = [said.parts[text], said.parts[at]];
  if (of === own) return true;
  if (own - of > MAX_PARTS) return false;
  for (let part = of + 1; part <= own; part += 1) if (said.afterColon.has(part)) return true;
  const opening = openingOf(at, said);
  return !opensPart(at, said) && (language.about.has(opening) || language.relatives.has(opening));
}

/** Whether a sentence begins with one of these phrases. */
function opensWith(words: readonly string[], phrases: readonly string[]): boolean {
  // The sign of a Spanish question is a token of its own.
  const first = Math.max(
    0,
    words.findIndex((word) => word !== ''),
  );
  const opening = words.slice(first, first + MAX_OPENING).join(' ');
  return phrases.some((phrase) => opening === phrase || opening.startsWith(`${phrase} `));
}

/** Whether a sentence suggests to do something: `was hältst du davon, alle zu löschen?` */
export const suggests = ({ words }: Pick<Said, 'words'>, { suggestions }: Language): boolean =>
  phrasesIn(words, suggestions).length > 0;

/** Whether a sentence asks: the first one of a text by its first words, a later one when it ends with a question mark. */
export function asksOnly(said: Said, isFirst: boolean, language: Language): boolean {
  if (isFirst && opensQuestion(said.words, language)) return true;
  if (!said.isQuestion) return false;
  const openings = said.words.flatMap((_, at) => (opensPart(at, said) ? [at] : []));
  return openings.some((at) => opensWith(said.words.slice(at, at + MAX_OPENING), language.inquiries));
}

/** Whether a sentence is a question. */
export const opensQuestion = (words: readonly string[], { questions }: Language): boolean =>
  opensWith(words, questions);

/** Characters around a verb in a script without spaces in which it is said that it is only told of. */
const DENSE_REACH = 8;
/** Characters between it and what is to be read. */
const MAX_BETWEEN = 40;

/** What ends a sentence in a script without spaces. */
const SENTENCE_END = /[。！？!?\n]/;
/** Joining words that are only punctuation. */
const MARK = /^[，,、；]$/;

/** The same in a script without spaces: `查找删除账号的步骤`, `アカウント削除の手順を探して`. */
export function requestedWithin(
  found: readonly ForeignMatch[],
  text: string,
  isHarmless: boolean,
  language: Language,
): ForeignMatch[] {
  const mild = found.filter((match) => !isGrave(match));
  const isOnlyTold = isHarmless && (mild.length > 0 || endsWithText(text, language) || isAskedIn(text, language));
  const joins = [...language.joins];
  const words = joins.filter((word) => !MARK.test(word));
  let sentence: DenseSentence | undefined;
  const isTold = ({ at }: ForeignMatch): boolean => {
    if (sentence === undefined || at >= sentence.to) sentence = denseSentenceAt(at, text, language);
    return sentence.isTold || (isOnlyTold && !words.some((word) => text.startsWith(word, at - word.length)));
  };
  const verbs = found.filter((match) => !(isGrave(match) && isTold(match)));
  const reads = verbs.filter(({ verb }) => verb.effect === 'read');
  if (reads.length === 0 || verbs.some(carriesOut)) return [...verbs];
  const about = [...language.about];
  const has = (words: readonly string[], from: number, to: number) => {
    const part = text.slice(Math.max(0, from), to);
    return words.some((word) => part.includes(word));
  };
  const isNear = (from: number, to: number) => to - from <= MAX_BETWEEN && !has(joins, from, to);
  let next = 0;
  return verbs.filter((match) => {
    const { at, end, verb } = match;
    while ((reads[next]?.at ?? Infinity) <= at) next += 1;
    if (verb.effect === 'read') return true;
    const [earlier, later] = [reads[next - 1], reads[next]];
    const isRead = (earlier && isNear(earlier.end, at)) || (later && isNear(end, later.at));
    const isAbout = has(about, at - DENSE_REACH, at) || has(about, end, end + DENSE_REACH);
    return !(isRead && isAbout);
  });
}

/** Whether a text only names a text: `十月份退款明细表`. */
const endsWithText = (text: string, { texts }: Language): boolean => {
  const said = text.replace(/[\s。.]+$/u, '');
  return [...texts].some((word) => said.endsWith(word));
};

const isAskedIn = (text: string, { inquiries }: Language): boolean => inquiries.some((word) => text.includes(word));

/** A sentence of a text without spaces. */
interface DenseSentence {
  readonly from: number;
  readonly to: number;
  /** It is a question that is no request, or nothing in it is done in earnest. */
  readonly isTold: boolean;
}

function denseSentenceAt(at: number, text: string, language: Language): DenseSentence {
  let from = at;
  while (from > 0 && !SENTENCE_END.test(text.charAt(from - 1))) from -= 1;
  let to = at;
  while (to < text.length && !SENTENCE_END.test(text.charAt(to))) to += 1;
  const said = text.slice(from, to);
  const asks = /[?？]/.test(text.charAt(to)) && isAskedIn(said, language);
  const isInquiry = asks && !language.suggestions.some((word) => said.includes(word));
  const isRehearsal = language.rehearsals.some((phrase) => said.includes(phrase));
  const isJoined = isRehearsal && [...language.joins].some((word) => !MARK.test(word) && said.includes(word));
  return { from, to, isTold: isInquiry || (isRehearsal && !isJoined) };
}
