// Sums of money as objects: `transfer $500 to Ana`, `move 500 from checking to savings`.
import type { RequestedAction } from './request.ts';
import type { Sentence, Token } from '../text/tokens.ts';

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
  (/^(?:from|to|into|in|between)$/.test(after?.lower ?? '') &&
    sentence.slice(from, Math.min(end, from + MAX_FUNDS)).some(({ lower }) => FUNDS.has(lower)));
const FUNDS = new Set(['checking', 'savings', 'account', 'wallet', 'balance', 'brokerage']);
const MAX_FUNDS = 14;
const MONEY_WORD = /^(?:[A-Z]{3}|dollars?|euros?|pounds?|bucks)$/;
export const MOVES_MONEY = /^(?:send|give|move|forward|shift|put|infuse|inject|load)$/;
