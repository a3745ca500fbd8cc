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
  DECORATED.test(word) ? word.replaceAll('’', "'").replace(/^[¿¡]+/, '') : word;
const DECORATED = /[’¿¡]/;

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

/**
 * Whether a verb only tells what happened, or what a text is about: `erkläre, warum er gekündigt hat`, `résume le rapport sur la suppression`.
 * What a joining word begins is a request again: `lis le rapport sur les ventes et supprime le compte`.
 */
export function isTold(
  match: ForeignMatch,
  verbs: readonly ForeignMatch[],
  { words, parts }: Said,
  language: Language,
) {
  const goesOn = (from: number) => !words.slice(from, match.at).some((word) => language.joins.has(word));
  const before = verbs.filter(({ at }) => at < match.at);
  const isAsked = opensQuestion(words, language);
  const isRead = before.some(({ verb, end }) => verb.effect === 'read' && goesOn(end));
  if (match.verb.reports) return isAsked || isRead;
  const isBeside = before.some(({ verb }) => verb.effect !== 'destructive');
  // `escribe al cliente que quiere cancelar`, `schreib dem Kunden, der kündigen möchte`
  if (isBeside && [match.at - 1, match.end].some((at) => language.wishes.has(words[at] ?? ''))) return true;
  const isOfPart = (at: number) => parts[at] === parts[match.at];
  const isReminder = before.some(
    ({ at, end, verb }) =>
      verb.verb === 'remind' && goesOn(end) && (isOfPart(at) || language.infinitives.has(words[match.at - 1] ?? '')),
  );
  if (isReminder) return true;
  const from = Math.max(0, match.at - ABOUT_REACH);
  return (
    !verbs.some(carriesOut) &&
    (isRead || isAsked) &&
    words
      .slice(from, match.at)
      .some((word, at) => language.about.has(word) && isOfPart(from + at) && goesOn(from + at + 1))
  );
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

/** The same in a script without spaces: `查找删除账号的步骤`, `アカウント削除の手順を探して`. */
export function isToldWithin(match: ForeignMatch, verbs: readonly ForeignMatch[], text: string, language: Language) {
  const goesOn = (from: number, to: number) => ![...language.joins].some((word) => text.slice(from, to).includes(word));
  const isRead = verbs.some(
    ({ at, end, verb }) => verb.effect === 'read' && (at < match.at ? goesOn(end, match.at) : goesOn(match.end, at)),
  );
  if (!isRead || match.verb.effect === 'read' || verbs.some(carriesOut)) return false;
  const before = text.slice(Math.max(0, match.at - DENSE_REACH), match.at);
  const after = text.slice(match.end, match.end + DENSE_REACH);
  const isAbout = (words: string) => [...language.about].some((word) => words.includes(word));
  return isAbout(before) || isAbout(after);
}
