// What a sentence of another language only tells: what happened, what a text is about, what others want.
import type { ForeignMatch, Language } from '../lexicon/languages.ts';
import type { Sentence } from '../text/tokens.ts';

/** A sentence without its punctuation: a word for each token, empty for what is no word. */
export interface Said {
  readonly tokens: Sentence;
  readonly words: readonly string[];
  /** For each word the number of commas and the like before it. */
  readonly parts: readonly number[];
}

/** A word without typographic apostrophes and the signs that open a Spanish question. */
export const plain = (word: string): string =>
  isDecorated(word) ? word.replaceAll('’', "'").replace(/^[¿¡]+/, '') : word;
const DECORATED = /[’¿¡]/;
export const isDecorated = (text: string): boolean => DECORATED.test(text);

/** The words of a sentence. */
export function saidIn(sentence: Sentence): Said {
  const tokens = sentence.filter(({ kind }) => kind !== 'punct');
  let part = 0;
  const parts: number[] = [];
  for (const { kind, text } of sentence) {
    if (kind !== 'punct') parts.push(part);
    else if (/[,;:()]/.test(text)) part += 1;
  }
  return {
    tokens,
    parts,
    words: tokens.map(({ kind, lower }) => (kind === 'word' || kind === 'identifier' ? plain(lower) : '')),
  };
}

/** Words at the beginning of a sentence that may open a question. */
const MAX_OPENING = 5;

/** Whether a verb carries out what another one only tells of: `lies die Anleitung zum Löschen und führe sie aus`. */
const carriesOut = ({ verb }: ForeignMatch): boolean => verb.action === 'execute';

/** How far before a verb the word stands that says what a text is about: `über die alten Server`, `wie man ein Konto löscht`. */
const ABOUT_REACH = 5;

/** What stands before a verb: the last request to read, the last reminder, the last joining word, and whether anything is asked for. */
interface Before {
  read?: ForeignMatch;
  /** The last verb that neither destroys nor pays. */
  mild?: ForeignMatch;
  reminder?: ForeignMatch;
  joined: number;
  isBeside: boolean;
}

/**
 * The verbs of a sentence that do not only tell what happened, or what a text is about: `erkläre, warum er gekündigt hat`,
 * `résume le rapport sur la suppression`. What a joining word begins is a request again: `lis le rapport sur les ventes et supprime le compte`.
 * @param isHarmless by the learned weights: then a grave verb beside a milder one is told, too
 */
export function requestedAmong(
  verbs: readonly ForeignMatch[],
  said: Said,
  isHarmless: boolean,
  language: Language,
): ForeignMatch[] {
  const isAsked = opensQuestion(said.words, language);
  const isCarriedOut = verbs.some(carriesOut);
  const before: Before = { joined: -1, isBeside: false };
  let word = 0;
  return verbs.filter((match) => {
    for (; word < match.at; word += 1) if (language.joins.has(said.words[word] ?? '')) before.joined = word;
    const isTold =
      isToldAfter(before, match, said, isAsked, isCarriedOut, language) ||
      (isHarmless && !isCarriedOut && isGrave(match) && isGoverned(match, before, said));
    if (match.verb.effect === 'read') before.read = match;
    if (!isGrave(match)) before.mild = match;
    if (match.verb.verb === 'remind') before.reminder = match;
    before.isBeside ||= match.verb.effect !== 'destructive';
    return !isTold;
  });
}

const isGrave = ({ verb: { effect, action } }: ForeignMatch): boolean =>
  effect === 'destructive' || action === 'transfer' || action === 'grant' || action === 'revoke' || action === 'send';

/** Whether a milder verb comes before it in the same part of the sentence, with no joining word between them. */
const isGoverned = ({ at }: ForeignMatch, { mild, joined }: Before, { parts }: Said): boolean =>
  mild !== undefined && mild.end > joined && parts[mild.at] === parts[at];

function isToldAfter(
  { read, reminder, joined, isBeside }: Before,
  match: ForeignMatch,
  { words, parts }: Said,
  isAsked: boolean,
  isCarriedOut: boolean,
  language: Language,
): boolean {
  const isOfPart = (at: number) => parts[at] === parts[match.at];
  const isRead = isAsked || (read !== undefined && read.end > joined);
  if (match.verb.reports) return isRead;
  // `escribe al cliente que quiere cancelar`, `schreib dem Kunden, der kündigen möchte`
  if (isBeside && [match.at - 1, match.end].some((at) => language.wishes.has(words[at] ?? ''))) return true;
  if (reminder !== undefined && reminder.end > joined)
    if (isOfPart(reminder.at) || language.infinitives.has(words[match.at - 1] ?? '')) return true;
  if (!isRead || isCarriedOut) return false;
  for (let at = Math.max(joined + 1, match.at - ABOUT_REACH); at < match.at; at += 1)
    if (language.about.has(words[at] ?? '') && isOfPart(at)) return true;
  return false;
}

/** Whether a sentence is a question. */
export const opensQuestion = (words: readonly string[], { questions }: Language): boolean => {
  // The sign of a Spanish question is a token of its own.
  const first = words.findIndex((word) => word !== '');
  const opening = words.slice(first, first + MAX_OPENING).join(' ');
  return questions.some((word) => opening === word || opening.startsWith(`${word} `));
};

/** Characters around a verb in a script without spaces in which it is said that it is only told of. */
const DENSE_REACH = 8;
/** Characters between it and what is to be read. */
const MAX_BETWEEN = 40;

/** The same in a script without spaces: `查找删除账号的步骤`, `アカウント削除の手順を探して`. */
export function requestedWithin(
  verbs: readonly ForeignMatch[],
  text: string,
  isHarmless: boolean,
  language: Language,
): ForeignMatch[] {
  // Of a harmless text every milder verb tells of the grave ones beside it, of others only a read.
  const reads = verbs.filter((match) => (isHarmless ? !isGrave(match) : match.verb.effect === 'read'));
  if (reads.length === 0 || verbs.some(carriesOut)) return [...verbs];
  const [joins, about] = [[...language.joins], [...language.about]];
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
    return !(isRead && (isAbout || (isHarmless && isGrave(match))));
  });
}
