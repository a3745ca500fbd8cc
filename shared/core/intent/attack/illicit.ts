// Detects requests that describe themselves as not allowed: with stolen or forged things, in secret, against the will of others.
import { bySentence, type CandidateAction } from '../grammar/candidate.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { WordInfo } from '../lexicon/word-table.ts';
import type { Sentence, Sentences } from '../text/tokens.ts';
import {
  is,
  isAny,
  K,
  type KindSet,
  NO_KINDS,
  someAre,
  taggedWith,
  type TaggedWords,
  type WordKinds,
} from '../lexicon/word-kinds.ts';

/** The words of a sentence with properties of the whole sentence. */
interface Spoken {
  readonly words: TaggedWords;
  /** Where it begins to describe what must not happen, or its end. */
  readonly against: number;
  readonly surprise: boolean;
  /** It is about tests. */
  readonly tries: boolean;
}

/** Whether a tainted thing is at `at`, and nothing in its noun phrase makes it a mere topic. */
function isTainted({ words, tries }: Spoken, at: number): boolean {
  const fake = is(words, at, K.fake) && someAre(words, at + 1, at + 4, K.relied_on) && !tries;
  if (!(fake || isAny(words, at, K.tainted, K.harmful))) return false;
  return words[at - 1] !== 'anti' && !someAre(words, at + 1, at + 4, K.defensive_topic);
}

/** Whether the noun phrase at `at` names a tainted thing; a definite one (`the stolen card`) may be the subject of a report. */
function namesTainted(spoken: Spoken, at: number, mayBeDefinite: boolean, mayBeListed: boolean): boolean {
  const { words } = spoken;
  for (let next = at; next < Math.min(words.length, at + 6); next += 1) {
    const word = words[next] ?? '';
    if (isTainted(spoken, next)) return true;
    if (
      word === '' ||
      (word !== 'of' && is(words, next, K.topic_word)) ||
      (!mayBeListed && is(words, next, K.defensive_topic))
    )
      return false;
    if (!mayBeDefinite && (is(words, next, K.definite) || word.endsWith("'s"))) return false;
  }
  return false;
}

/** `without anyone's permission`, `without being noticed`, `without a trace`. */
function isWithoutLeave(words: TaggedWords, at: number): boolean {
  let next = at + 1;
  const first = words[next] ?? '';
  if (first === 'being' || first === 'getting') return is(words, next + 1, K.caught);
  while (next < at + 4 && (is(words, next, K.whose_licence) || (words[next] ?? '').endsWith("'s"))) next += 1;
  const owned = next > at + 1;
  const word = words[next] ?? '';
  if (!(is(words, next, K.licence) || (word === 'approval' && owned)) || is(words, next + 1, K.not_licence))
    return false;
  // `users without permission to edit` describes users.
  return owned || !(is(words, at - 1, K.actor) || words[next + 1] === 'to');
}

/** `Hide the traces panel` and `hide menus from unauthorized users` are about pages. */
function hidesTraces(words: TaggedWords, at: number): boolean {
  if (words[at + 1] === 'the') return false;
  for (let next = at + 1; next < at + 5; next += 1)
    if (is(words, next, K.traces)) return !someAre(words, next + 1, next + 3, K.defensive_topic);
  return false;
}

/** Whether the words at `at` give a manner or a purpose that is not allowed. */
function isIllicitManner({ words, surprise }: Spoken, at: number): boolean {
  const word = words[at] ?? '';
  if (is(words, at, K.secretly)) return !surprise;
  if (word === 'without') return !surprise && isWithoutLeave(words, at);
  if (word === 'nobody')
    return !surprise && someAre(words, at - 3, at, K.so_that) && someAre(words, at + 1, at + 4, K.noticing);
  if (is(words, at, K.unseen)) return someAre(words, at - 6, at, K.staying_so);
  if (is(words, at, K.caught)) return words[at - 1] === 'not' && someAre(words, at - 8, at - 1, K.assuring);
  if (is(words, at, K.evading)) return someAre(words, at + 1, at + 4, K.watch);
  if (is(words, at, K.hiding)) return hidesTraces(words, at);
  if (word === 'to') return is(words, at + 1, K.deceiving);
  if (word === 'launder') return someAre(words, at + 1, at + 5, K.dirty_money);
  return (
    word === 'cause' &&
    (at === 0 || is(words, at - 1, K.before_illicit_verb)) &&
    someAre(words, at + 1, at + 5, K.harm_word)
  );
}

const makes = ({ action, verb }: CandidateAction): boolean =>
  action === 'create' ||
  action === 'execute' ||
  action === 'send' ||
  action === 'transfer' ||
  action === 'grant' ||
  verb === 'provide' ||
  verb === 'offer';

/** The words of a sentence, split at hyphens, each with the offset of its token; quotations and signs become empty words. */
function partsOf(sentence: Sentence, wordKinds: WordKinds): { parts: TaggedWords; offsets: number[] } {
  const words: string[] = [];
  const kinds: KindSet[] = [];
  const offsets: number[] = [];
  const push = (part: string, of: KindSet, at: number) => {
    words.push(part);
    kinds.push(of);
    offsets.push(at);
  };
  for (const { kind, lower, at, kinds: own } of sentence) {
    if (kind !== 'word') push(kind === 'number' ? '#' : '', NO_KINDS, at);
    else if (lower.includes('-')) for (const part of lower.split('-')) push(part, wordKinds.of(part), at);
    else push(lower, own, at);
  }
  return { parts: taggedWith(words, kinds), offsets };
}

function spokenOf(words: TaggedWords): Spoken {
  const against = words.findIndex((_, at) => is(words, at, K.prevention));
  return {
    words,
    against: against < 0 ? words.length : against,
    surprise: someAre(words, 0, words.length, K.surprise),
    tries: someAre(words, 0, words.length, K.trial),
  };
}

/** Whether the words at `at` say what is done with tainted things, or forged: `use the stolen card`, `fake an invoice`. */
const usesTainted = (spoken: Spoken, at: number): boolean => {
  const { words } = spoken;
  if (is(words, at, K.tool_use) && !is(words, at - 1, K.actor) && namesTainted(spoken, at + 1, true, false))
    return true;
  if (is(words, at, K.fabricating) && someAre(words, at + 1, at + 6, K.official_record))
    if (!someAre(words, at - 2, at, K.topic_word)) return true;
  return words[at] === 'to' && is(words, at + 1, K.indefinite_article) && isTainted(spoken, at + 2);
};

const isContraband = (words: TaggedWords, at: number): boolean =>
  (is(words, at, K.tainted) && is(words, at + 1, K.contraband)) ||
  (is(words, at, K.hateful) && is(words, at + 1, K.hateful_text));

/** Whether a sentence describes its own request as not allowed. `changes` and `deletesOrLooks` describe the requested action. */
function isSelfIncriminating(spoken: Spoken, changes: boolean, deletesOrLooks: boolean): boolean {
  const { words, against } = spoken;
  for (let at = 0; at < words.length; at += 1) {
    if (changes && at <= against && isContraband(words, at)) return true;
    // A request that only looks something up may describe the acts of others: `find payments that were made without authorization`.
    const isForbidden =
      (changes && usesTainted(spoken, at)) || ((changes || deletesOrLooks) && isIllicitManner(spoken, at));
    if (isForbidden && at <= against && !someAre(words, at - 4, at, K.others_doing)) return true;
  }
  return false;
}

/** Whether a text with such words describes its own request as not allowed. Linear in the length of the text. */
export function isIllicit(
  infos: readonly WordInfo[],
  all: readonly CandidateAction[],
  sentences: Sentences,
  { wordKinds }: Lexicon,
): boolean {
  // Most texts have none.
  if (!infos.some(({ isClue }) => isClue)) return false;
  const ofSentence = bySentence(all.filter(({ source }) => source === 'words'));
  const changesOf = (requests: readonly CandidateAction[]) =>
    requests.some((request) => makes(request) || request.action === 'update' || request.action === 'unknown');
  const anyChange = changesOf(all.filter((candidate) => !candidate.negated));
  for (const [index, sentence] of sentences.entries()) {
    const requests = ofSentence(index);
    if (requests.some((candidate) => candidate.negated)) continue;
    const { parts, offsets } = partsOf(sentence, wordKinds);
    const spoken = spokenOf(parts);
    const { against } = spoken;
    const changes =
      requests.length > 0
        ? changesOf(requests)
        : (anyChange && isAny(parts, 0, K.staying_so, K.evading)) ||
          (all.length === 0 && is(parts, 0, K.illicit_opening));
    for (const request of requests) {
      if (!makes(request)) continue;
      const at = offsets.indexOf(request.at);
      const bought = request.action === 'transfer';
      if (at >= 0 && namesTainted(spoken, at + 1, false, bought) && at <= against) return true;
    }
    const deletesOrLooks = requests.some(
      ({ action, verb }) => action === 'delete' || wordKinds.has(verb, K.looking_verb),
    );
    if (isSelfIncriminating(spoken, changes, deletesOrLooks)) return true;
  }
  return false;
}

/** Whether a text gives someone else a shell over the network. */
export const handsOverShell = (text: string): boolean =>
  text.includes('/dev/tcp/') || /(?<![\w/])nc(?:at)? (?:-[a-z]{1,6} ){0,4}-[a-z]{0,4}e\b/.test(text);
