// In what two results of policies differ: the verdict, and what follows from it for the caller and for approvers.
import { canonicalize } from '../proof/canonical.ts';
import type { BudgetCharge, Evaluation } from './types.ts';

export const ASPECTS = ['verdict', 'obligations', 'approvers', 'ttl', 'budgets'] as const;
export type Aspect = (typeof ASPECTS)[number];

const budgetOf = ({ name, per, window, limit, amount }: BudgetCharge): object => ({ name, per, window, limit, amount });

/** `ttl`: of an approval. */
const VALUES: Readonly<Record<Aspect, (of: Evaluation) => unknown>> = {
  verdict: ({ verdict }) => verdict,
  obligations: ({ obligations }) => obligations,
  approvers: ({ escalation }) => escalation?.approvers ?? null,
  ttl: ({ escalation }) => [escalation?.ttlMs ?? null, escalation?.orDefault ?? false],
  budgets: ({ charges }) => (charges ?? []).map(budgetOf),
};

/** In the order of ASPECTS; reasons are not among them. */
export function differingAspects(before: Evaluation, after: Evaluation): Aspect[] {
  return ASPECTS.filter((aspect) => canonicalize(VALUES[aspect](before)) !== canonicalize(VALUES[aspect](after)));
}

/** How people read what differs beside the verdict, after "with". */
export const ASPECT_WORDS: Readonly<Record<Exclude<Aspect, 'verdict'>, string>> = {
  obligations: 'other obligations',
  approvers: 'other approvers',
  ttl: 'another lifetime of the approval',
  budgets: 'other budgets',
};

/** `, with other approvers and other budgets`; empty when only the verdict differs. */
export function aspectsText(differs: readonly Aspect[]): string {
  const words = differs.flatMap((aspect) => (aspect === 'verdict' ? [] : [ASPECT_WORDS[aspect]]));
  return words.length === 0 ? '' : `, with ${words.join(' and ')}`;
}
