// What a sentence of another language only tells: what happened, what a text is about, what others want.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { type ForeignMatch, GAP, type Language } from '../lexicon/languages.ts';
import type { Sentence } from '../text/tokens.ts';

/** A sentence without its punctuation: a word for each token, empty for what is no word. */
export interface Said {
  readonly tokens: Sentence;
  readonly words: readonly string[];
  /** For each word the number of commas and the like before it. */
  readonly parts: readonly number[];
  /** The index of the first word of each part; undefined for a part without words. */
  readonly starts: readonly (number | undefined)[];
  /** It ends with a question mark. */
  readonly isQuestion: boolean;
}

/** A word without typographic apostrophes and the signs that open a Spanish question. */
export const plain = (word: string): string =>
  DECORATED.test(word) ? word.replaceAll('’', "'").replace(/^[¿¡]+/, '') : word;
const DECORATED = /[’¿¡]/;

const PART = /[,;:()]/;

export function saidIn(sentence: Sentence): Said {
  const tokens = sentence.filter(({ kind }) => kind !== 'punct');
  let part = 0;
  const parts: number[] = [];
  const starts: (number | undefined)[] = [];
  for (const { kind, text } of sentence) {
    if (kind !== 'punct') {
      starts[part] ??= parts.length;
      parts.push(part);
    } else if (PART.test(text)) part += 1;
  }
  return {
    tokens,
    parts,
    starts,
    isQuestion: sentence.at(-1)?.text === '?',
    words: tokens.map(({ kind, info }) => (kind === 'word' || kind === 'identifier' ? info.plain : '')),
  };
}

/** Words at the beginning of a sentence that may open a question. */
const MAX_OPENING = 5;

/** Whether a verb carries out what another one only tells of: `lies die Anleitung zum Löschen und führe sie aus`. */
const carriesOut = ({ verb }: ForeignMatch): boolean => verb.action === 'execute';

const GRAVE: ReadonlySet<ActionClass> = new Set(['transfer', 'grant', 'revoke', 'send']);
const isGrave = ({ verb: { effect, action, tells } }: ForeignMatch): boolean =>
  effect === 'destructive' || (GRAVE.has(action) && tells === undefined);
const isTelling = ({ verb }: ForeignMatch): boolean => verb.effect === 'read' || verb.tells !== undefined;

/**
 * The verbs of a sentence that do not only tell what happened, or what something is about. A verb that reports is told after one that reads
 * or tells, and in a question. So is a grave verb after a milder one in its part of the sentence, or in a question, if the text is harmless.
 * What a joining word begins is a request again: `lis le rapport sur les ventes et supprime le compte`.
 * @param isHarmless by the learned weights, whatever a grave verb in it does
 */
export function requestedAmong(
  verbs: readonly ForeignMatch[],
  said: Said,
  isHarmless: boolean,
  language: Language,
): ForeignMatch[] {
  const { words, parts } = said;
  const isQuestion = asks(said, language) && !suggests(said, language);
  const isUrged = isQuestion && urges(words, language);
  const isAsked = isQuestion && !isUrged;
  // `wann hast du endlich alle gelöscht?` asks what has been done, `warum hast du sie noch nicht gelöscht?` demands it.
  const isReported = isQuestion && !(isUrged && words.some((one) => language.negations.has(one)));
  const mayBeTold = isHarmless && !verbs.some(carriesOut);
  let joined = -1;
  let word = 0;
  let telling: ForeignMatch | undefined;
  let mild: ForeignMatch | undefined;
  return verbs.filter((match) => {
    for (; word < match.at; word += 1) if (language.joins.has(words[word] ?? '')) joined = word;
    const isAfter = (one: ForeignMatch | undefined) => one !== undefined && one.end > joined;
    const isGoverned = isAfter(mild) && parts[mild?.at ?? 0] === parts[match.at];
    const isTold = match.verb.reports
      ? isReported || isAfter(telling)
      : mayBeTold && isGrave(match) && (isAsked || isGoverned);
    if (isTelling(match)) telling = match;
    if (!isGrave(match)) mild = match;
    return !isTold;
  });
}

const opensPart = (at: number, { parts }: Said): boolean => at === 0 || parts[at - 1] !== parts[at];

/** The first word of the part of the sentence in which a word is. */
export const openingOf = (at: number, { words, parts, starts }: Said): string =>
  words[starts[parts[at] ?? 0] ?? 0] ?? '';

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

const asks = ({ words, isQuestion }: Said, language: Language): boolean =>
  opensQuestion(words, language) || (isQuestion && opensWith(words, language.inquiries));

/** Whether a sentence is a question that demands what it asks about: `wann löschst du endlich alle?` */
export const demands = (said: Said, language: Language): boolean => asks(said, language) && urges(said.words, language);

/** Whether words are those of such a demand. */
export function urges(words: readonly string[], { isDense, urgings }: Language): boolean {
  const said = isDense ? words.join('') : ` ${words.join(' ')} `;
  return urgings.some((phrase) => {
    let from = 0;
    return phrase.split(GAP).every((part) => {
      const at = said.indexOf(isDense ? part : ` ${part} `, from);
      from = at + part.length;
      return at >= 0;
    });
  });
}

/** Whether a sentence suggests to do something: `was hältst du davon, alle zu löschen?` */
export function suggests({ words }: Pick<Said, 'words'>, { suggestions }: Language): boolean {
  const said = ` ${words.join(' ')} `;
  return suggestions.some((phrase) => said.includes(` ${phrase} `));
}

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

/** Joining words that are only punctuation. */
const MARK = /^[，,、；]$/;

/** The same in a script without spaces: `查找删除账号的步骤`, `アカウント削除の手順を探して`. */
export function requestedWithin(
  found: readonly ForeignMatch[],
  text: string,
  isHarmless: boolean,
  language: Language,
): readonly ForeignMatch[] {
  const { inquiries, joins } = language;
  const mayBeTold = isHarmless && !found.some(carriesOut) && !urges([text], language);
  if (!mayBeTold || (found.every(isGrave) && !inquiries.some((word) => text.includes(word)))) return found;
  const words = [...joins].filter((word) => !MARK.test(word));
  return found.filter(
    (match) => !isGrave(match) || words.some((word) => text.startsWith(word, match.at - word.length)),
  );
}
