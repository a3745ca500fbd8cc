// Approvals of policy sets in `custos approvals`: shown with their difference, approved and rejected from the shell.
import { comparePolicySets } from '../../shared/core/policy/compare.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { policyApprovalView } from '../../shared/api/policy-approval-view.ts';
import { draftOfDigest } from '../../shared/domain/drafts/replay-draft.ts';
import { assertApprovable, decideChange } from '../../shared/domain/policy-sets/change.ts';
import { changeRulesOf } from '../../shared/domain/policy-sets/change-rules.ts';
import { proposingKeys, readProposal, type StoredProposal } from '../../shared/domain/policy-sets/proposals.ts';
import { operatorName, type AdminStore } from '../admin.ts';
import { loadConfig } from '../context.ts';
import { say } from '../exit.ts';
import { printJson, printLine } from '../output.ts';
import { comparisonLines } from './diff-text.ts';

type Store = Pick<AdminStore, 'db' | 'nowMs'>;

/** The change of policies with this id; undefined: the approval is one of an agent's request, or there is none. */
export function policyChangeOf({ db }: Store, approvalId: string): Promise<StoredProposal | undefined> {
  return readProposal(db, approvalId);
}

export async function showPolicyChange(
  { db, nowMs }: Store,
  row: StoredProposal,
  json: true | undefined,
): Promise<void> {
  const view = policyApprovalView(row, nowMs);
  const before = row.previous_digest === null ? undefined : await draftOfDigest(db, row.previous_digest);
  const after = await draftOfDigest(db, row.digest);
  const sets = before?.ok === true && after?.ok === true ? { before: before.set, after: after.set } : undefined;
  const comparison = sets && comparePolicySets(sets.before, sets.after);
  const authorKey = (await proposingKeys(db, [row])).get(row.author) ?? null;
  if (json) return printJson({ ...view, authorKey, comparison: comparison ?? null });
  for (const [name, value] of Object.entries({
    ...view,
    authorKey: authorKey && [authorKey.name, ...authorKey.tags].join(', '),
  }))
    if (value !== null && value.length !== 0)
      printLine(`${`${name}:`.padEnd(16)}${printable(typeof value === 'string' ? value : JSON.stringify(value))}`);
  printLine();
  if (comparison === undefined || sets === undefined) printLine('This version can not compare the sets.');
  else for (const line of comparisonLines(comparison, sets.before, sets.after)) printLine(line);
}

/** What became of a change. */
export function outcomeText(state: string): string {
  if (state === 'pending') return 'approved, and waiting for further approvals';
  return state === 'used' ? 'approved and carried out' : 'rejected';
}

export async function decidePolicyChange(
  { db, nowMs }: Store,
  { approval_id: approvalId }: StoredProposal,
  {
    state,
    reason,
    json,
  }: { readonly state: 'approved' | 'rejected'; readonly reason: string; readonly json: true | undefined },
): Promise<void> {
  const by = operatorName();
  const rules = changeRulesOf(loadConfig());
  if (state === 'approved') await assertApprovable(db, approvalId);
  const row = await db.transaction((sql) => decideChange(sql, approvalId, { state, by, reason, nowMs }, rules));
  if (json) return printJson(policyApprovalView(row, nowMs));
  printLine(approvalId);
  say(`${outcomeText(row.state)}: policy set ${row.digest} of ${printable(row.author)}, by ${by}.`);
}
