// Finds where a text only tells something: what it asks about, explains, or wants to have written down.
import { bySentence, type CandidateAction, type OfSentence } from '../grammar/candidate.ts';
import type { Fragment } from '../code/code.ts';
import { K, tokenIs } from '../lexicon/word-kinds.ts';
import type { Sentence, Sentences, Token } from '../text/tokens.ts';

const PAUSE = /^[,;]$/;

/** The relative clause of a sentence that only reads: `count the rows that the retention job removed`. */
function describedIn(sentence: Sentence, candidates: readonly CandidateAction[]): readonly Token[] {
  const [first] = candidates;
  if (
    first === undefined ||
    !candidates.every(({ effect, weak, source }) => effect === 'read' && !weak && source === 'words')
  )
    return [];
  // The verb and its object come before it: `see that they are gone` is no relative clause.
  const start = sentence.findIndex(
    (token, place) =>
      token.at > first.at &&
      token.kind === 'word' &&
      tokenIs(token, K.relative_pronoun) &&
      (sentence[place - 2]?.at ?? -1) >= first.at,
  );
  if (start < 0) return [];
  const end = sentence.findIndex(({ kind, text }, place) => place > start && kind === 'punct' && PAUSE.test(text));
  const clause = sentence.slice(start, end < 0 ? undefined : end);
  return clause.some((token) => tokenIs(token, K.asking_in_clause)) ? [] : clause;
}

/** Whether an offset of a text of this length is in one of the spans. */
export function within(spans: readonly Pick<Fragment, 'at' | 'end'>[], length: number): (at: number) => boolean {
  if (spans.length === 0) return () => false;
  const marks = new Uint8Array(length);
  for (const { at, end } of spans) marks.fill(1, at, end);
  return (at) => marks[at] === 1;
}

const endOf = (token: Token | undefined): number => (token?.at ?? 0) + (token?.text.length ?? 0);

/** Whether a character of a text is in a relative clause of a sentence that only reads. */
export const describedAt = (length: number, sentences: Sentences, ofSentence: OfSentence) =>
  within(
    sentences.flatMap((sentence, index) => {
      const clause = describedIn(sentence, ofSentence(index));
      return clause.length === 0 ? [] : [{ at: clause[0]?.at ?? 0, end: endOf(clause.at(-1)) }];
    }),
    length,
  );

/** Whether a character of a text of this length is told and not requested. */
export function toldIn(
  length: number,
  sentences: Sentences,
  candidates: readonly CandidateAction[],
): (at: number) => boolean {
  const ofSentence = bySentence(candidates.filter(({ tells }) => tells));
  return within(
    sentences.flatMap((sentence, index) => ofSentence(index).map(({ at }) => ({ at, end: endOf(sentence.at(-1)) }))),
    length,
  );
}
