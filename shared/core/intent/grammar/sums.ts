// Sums of money as objects: `transfer $500 to Ana`, `move 500 from checking to savings`.
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { K, tokenIs } from '../lexicon/word-kinds.ts';

export const SUM = /^\p{Sc}\d/u;

/** Whether a clause begins with a sum: `transfer $500 to ...`. */
export function beginsWithSum({ sentence, next }: RequestedAction, end: number): boolean {
  const clause = sentence.slice(next, Math.min(end, next + 3));
  return clause.some(
    (token, at) =>
      SUM.test(token.text) || (at < 2 && token.kind === 'number' && isSumBefore(clause[at + 1], sentence, next, end)),
  );
}
/** `500 euros`, `move 500 from checking to savings` */
const isSumBefore = (after: Token | undefined, sentence: Sentence, from: number, end: number): boolean =>
  MONEY_WORD.test(after?.text ?? '') ||
  (tokenIs(after, K.fund_preposition) &&
    sentence.slice(from, Math.min(end, from + MAX_FUNDS)).some((token) => tokenIs(token, K.fund)));
const MAX_FUNDS = 14;
const MONEY_WORD = /^(?:[A-Z]{3}|dollars?|euros?|pounds?|bucks)$/;
/** Whether the verb transfers when its object is a sum: `move 500 from checking to savings`. */
export const movesMoney = ({ verb }: Pick<VerbEntry, 'verb'>, { wordKinds }: Lexicon): boolean =>
  wordKinds.has(verb, K.money_moving_verb);
