// The requests of a sentence before their objects are parsed.
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { type Sentence, TOKEN_KINDS, type TokenKind } from '../text/tokens.ts';
import { NO_KINDS, taggedWith, type TaggedWords } from '../lexicon/word-kinds.ts';

/** A verb of request, with the position where its object may begin. */
export interface RequestedAction {
  readonly entry: VerbEntry;
  /** Index of the first token after the verb and its particle. */
  readonly next: number;
  readonly at: number;
  readonly sentence: Sentence;
  readonly negated: boolean;
  /** 0..1: how certain it is that this word is a verb of request. */
  readonly certainty: number;
  readonly kind: 'imperative' | 'question';
  /** `needs a cluster`: a thing is wished for. */
  readonly wanted: boolean;
  /** The tokens of an object that precedes the verb: `users` in `users should be deleted`. */
  readonly subject: readonly [from: number, to: number] | undefined;
  /** Inferred from a statement, without a verb of request. */
  readonly implied: boolean;
}

/** The verb entry of questions, and of wishes for a thing. */
export const QUERY: VerbEntry = {
  verb: 'query',
  action: 'read',
  effect: 'read',
  traits: [],
  object: undefined,
  mentions: true,
  weak: false,
  alsoNoun: false,
};

/** A request with usual members where none are given, and with the same layout as all others. */
export const requestOf = (
  given: Pick<RequestedAction, 'entry' | 'next' | 'at' | 'sentence' | 'certainty'> & Partial<RequestedAction>,
): RequestedAction => ({
  entry: given.entry,
  next: given.next,
  at: given.at,
  sentence: given.sentence,
  negated: given.negated ?? false,
  certainty: given.certainty,
  kind: given.kind ?? 'imperative',
  wanted: given.wanted ?? false,
  subject: given.subject,
  implied: given.implied ?? false,
});

/** Words of a sentence for phrase look-ups; quoted names and similar tokens match nothing. */
export const wordsOf = (sentence: Sentence): TaggedWords =>
  taggedWith(
    sentence.map(({ kind, lower, text }) => (kind === 'word' ? lower : kind === 'punct' ? text : MARKS[kind])),
    sentence.map(({ kind, kinds }) => (kind === 'word' || kind === 'punct' ? kinds : NO_KINDS)),
  );
// One for each kind.
const MARKS = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, `\u0000${kind}`])) as Record<TokenKind, string>;

export const beginsWith = (word: string, characters: string): boolean =>
  word !== '' && characters.includes(word.charAt(0));

/** Whether it would be worst to overlook this verb: it destroys, executes, sends, pays or grants rights. */
export const isConsequential = ({ effect, action, weak }: VerbEntry): boolean =>
  !weak && (effect === 'destructive' || CONSEQUENTIAL.has(action));
const CONSEQUENTIAL: ReadonlySet<string> = new Set(['execute', 'send', 'transfer', 'grant', 'revoke']);

/** Whether a verb, or what it means with some object, is one that matters: `delete`, but also `close` for accounts. */
export const mayMatter = (entry: VerbEntry, { refinements }: Lexicon): boolean =>
  isConsequential(entry) ||
  refinements.get(entry.verb)?.some((one) => isConsequential({ ...entry, ...one, weak: false })) === true;

/** How many of some ascending places lie before `at`. */
function countBefore(at: number, length: number, placeOf: (index: number) => number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(middle) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first token at or after `at`. */
export const indexOfToken = (sentence: Sentence, at: number): number =>
  countBefore(at, sentence.length, (index) => sentence[index]?.at ?? 0);

/** The index of the last of these ascending positions that lies before `at`; -1 for none. */
export const lastBefore = (at: number, places: readonly number[]): number =>
  countBefore(at, places.length, (index) => places[index] ?? 0) - 1;
