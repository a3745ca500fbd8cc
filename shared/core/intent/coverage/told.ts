// Finds where a text only tells something: what it asks about, explains, or wants to have written down.
import { bySentence, type CandidateAction } from '../grammar/candidate.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { K } from '../lexicon/word-kinds.ts';
import type { Sentence, Token } from '../text/tokens.ts';

const PAUSE = /^[,;]$/;

/** Whether another request begins after a word: `write a note, then let them go`. */
function isJoined(sentence: Sentence, at: number, { wordKinds, verbForms, fillers }: Lexicon): boolean {
  const { kind, text, lower } = sentence[at] as Token;
  const joins = kind === 'punct' ? PAUSE.test(text) : lower === 'then' || wordKinds.has(lower, K.conjunction);
  let next = at + 1;
  while (fillers.has(sentence[next]?.lower ?? '')) next += 1;
  return joins && verbForms.get(sentence[next]?.lower ?? '')?.form === 'base';
}

/** Whether a character of a text of this length is told and not requested. */
export function toldIn(
  length: number,
  sentences: readonly Sentence[],
  candidates: readonly CandidateAction[],
  lexicon: Lexicon,
): (at: number) => boolean {
  const telling = candidates.filter(({ tells }) => tells);
  if (telling.length === 0) return () => false;
  const marks = new Uint8Array(length);
  const ofSentence = bySentence(telling);
  for (const [index, sentence] of sentences.entries()) {
    const last = sentence.at(-1);
    for (const { at, mentions, source } of ofSentence(index)) {
      const isWhole = mentions || source === 'question';
      const end = isWhole
        ? undefined
        : sentence.find((token, place) => token.at > at && isJoined(sentence, place, lexicon));
      marks.fill(1, at, end?.at ?? (last?.at ?? 0) + (last?.text.length ?? 0));
    }
  }
  return (at) => marks[at] === 1;
}
