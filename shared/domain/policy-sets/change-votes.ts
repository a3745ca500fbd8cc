// Votes on changes of policies: who may approve one, and whether there are enough approvals.
import { differentHands, isNamedBy, type Voters } from '../../core/policy/approvers.ts';
import type { ChangeRules } from './change-rules.ts';

/** The author of a decision from the shell begins so. */
const SHELL = 'cli:';
const isShell = (by: string): boolean => by.startsWith(SHELL);
/** Users of the shell count as one person: the shell does not prove who they are. */
export const areBothShell = (one: string, other: string): boolean => isShell(one) && isShell(other);

/** Whether the rules let this key, or user of the shell, approve. Only keys can be named. */
export function mayApprove({ approvers }: ChangeRules, by: string, tags: readonly string[]): boolean {
  if (approvers === undefined) return true;
  return isNamedBy({ ...approvers, policy: '', rule: '', at_least: 1 }, by, tags);
}

/**
 * How many more approvals a change needs; 0: enough.
 * @param votes keys and users of the shell, each once
 */
export function missingVotes(
  rules: ChangeRules,
  { author, votes }: { readonly author: string; readonly votes: readonly string[] },
  voters: Voters,
): number {
  const areSame = (one: string, other: string): boolean =>
    isShell(one) || isShell(other) ? areBothShell(one, other) : voters.areSameHands(one, other);
  const counted = votes.filter(
    (by) => mayApprove(rules, by, voters.tagsOf(by)) && !areSame(author, by) && (isShell(by) || voters.isValid(by)),
  );
  return Math.max(0, (rules.quorum ?? 1) - differentHands(counted, areSame).length);
}
