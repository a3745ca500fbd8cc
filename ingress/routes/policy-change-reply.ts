// What routes that change policy sets share: they carry out the change in the transaction of the request, and answer with its result.
import { policyApprovalView } from '../../shared/api/policy-approval-view.ts';
import { PolicyChangeResult } from '../../shared/api/policy-change.ts';
import type { SetComparison } from '../../shared/core/policy/compare.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { type ChangeResult, changePolicySet, type PolicyChange } from '../../shared/domain/policy-sets/change.ts';
import type { ChangeRules } from '../../shared/domain/policy-sets/change-rules.ts';
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import type { Reply, RequestContext } from '../route.ts';

export interface PolicyChangeDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly policies: ActivePolicySet;
  readonly changeRules: ChangeRules;
  /** Waits until this process has seen its own change. */
  readonly settle: () => Promise<void>;
}

const STATUS = { activated: 201, staged: 201, dropped: 200, unchanged: 200, proposed: 202 } as const;

export const RESPONSES = {
  200: { description: 'Nothing changed: the set was in force already, or dryRun.', schema: PolicyChangeResult },
  201: { description: 'The set is in force.', schema: PolicyChangeResult },
  202: { description: 'The set waits for approval (CUSTOS_POLICY_APPROVALS).', schema: PolicyChangeResult },
};

/** The set that was in force before a change. */
function previousOf(result: ChangeResult, digest: string): string | null {
  if (result.kind === 'proposed') return result.proposal.previous_digest;
  return result.kind === 'unchanged' ? digest : result.previousDigest;
}

/** The answer to a change. */
function replyOf(
  change: PolicyChange,
  result: ChangeResult,
  { warnings, atMs }: { readonly warnings: readonly Finding[]; readonly atMs: number },
): Reply {
  const { digest, author, reason, source } = change;
  const proposal = result.kind === 'proposed' ? result.proposal : undefined;
  const previousDigest = previousOf(result, digest);
  const organisations = 'organisations' in result ? result.organisations : undefined;
  const body = {
    status: result.kind === 'proposed' ? 'waiting' : result.kind,
    digest,
    previousDigest,
    author,
    reason,
    source,
    ...(organisations && { organisations }),
    signer: 'signer' in result ? result.signer : (proposal?.signer ?? null),
    ...(proposal === undefined ? {} : { approval: policyApprovalView(proposal, atMs) }),
    findings: warnings,
  };
  const after = result.kind === 'activated' ? digest : previousDigest;
  return {
    status: STATUS[result.kind],
    body,
    ...(proposal === undefined ? {} : { headers: { location: `/v1/policies/approvals/${proposal.approval_id}` } }),
    change: {
      subject: 'policy_set',
      id: digest,
      fields:
        organisations === undefined
          ? changedFields({ inForce: previousDigest }, { inForce: after })
          : changedFields({}, { [result.kind]: organisations.length === 0 ? 'all' : organisations }),
      ...(reason === null ? {} : { reason }),
    },
  };
}

type Committing = Pick<RequestContext<unknown, unknown, unknown>, 'commit'>;

export type ApplyChange = (request: Committing, change: PolicyChange, warnings?: readonly Finding[]) => Promise<Reply>;

export function createApplyChange({ nowMs, changeRules, settle }: PolicyChangeDeps): ApplyChange {
  return async ({ commit }, change, warnings = []) => {
    const reply = await commit(async (sql) => {
      const atMs = nowMs();
      return replyOf(change, await changePolicySet(sql, change, changeRules, atMs), { warnings, atMs });
    });
    await settle();
    return reply;
  };
}

/** What a change would do. Nothing was changed. */
export function checkedReply(
  { digest, author, reason, source }: Pick<PolicyChange, 'digest' | 'author' | 'reason' | 'source'>,
  {
    previousDigest,
    comparison,
    findings,
  }: {
    readonly previousDigest: string | null;
    readonly comparison: SetComparison | null;
    readonly findings: readonly Finding[];
  },
): Reply {
  const about = { digest, previousDigest, author, reason, source, signer: null };
  return { status: 200, body: { status: 'checked', ...about, ...(comparison && { comparison }), findings } };
}
