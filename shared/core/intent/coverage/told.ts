// Finds where a text only tells something: what it asks about, explains, or wants to have written down.
import { bySentence, type CandidateAction } from '../grammar/candidate.ts';
import type { Fragment } from '../code/code.ts';
import type { Sentences, Token } from '../text/tokens.ts';

/** Whether an offset of a text of this length is in one of the spans. */
export function within(spans: readonly Pick<Fragment, 'at' | 'end'>[], length: number): (at: number) => boolean {
  if (spans.length === 0) return () => false;
  const marks = new Uint8Array(length);
  for (const { at, end } of spans) marks.fill(1, at, end);
  return (at) => marks[at] === 1;
}

const endOf = (token: Token | undefined): number => (token?.at ?? 0) + (token?.text.length ?? 0);

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
