// Lists approvals, newest first, by state and agent.
import type { Owner } from '../../kernel/owner.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { genuinePage, sealedColumns } from '../../platform/db/seals/rows.ts';
import type { ApprovalState } from '../../core/decision/approval.ts';
import type { ShownApproval } from './store.ts';

export interface ApprovalFilter extends Owner {
  readonly agentIds?: readonly string[] | undefined;
  /** As of `nowMs`. */
  readonly status?: ApprovalState | undefined;
  /** Only ids before this one. */
  readonly before?: string | undefined;
  readonly nowMs: number;
}

// Expired approvals are listed as expired also before upkeep has closed them. $5 is now.
const OF_STATUS: Readonly<Record<ApprovalState, readonly string[]>> = {
  pending: ["state = 'pending' AND expires_at > $5"],
  approved: ["state = 'approved' AND expires_at > $5"],
  rejected: ["state = 'rejected'"],
  used: ["state = 'used'"],
  expired: ["state = 'expired'", "state IN ('pending', 'approved') AND expires_at <= $5"],
};

/**
 * A separate statement for each combination of filters. Each part is a range scan in the order of the list, so that a page costs the
 * same among a million as among ten.
 */
function listStatement(status: ApprovalState | undefined, ofAgents: boolean): Statement {
  const parts = (status === undefined ? ['true'] : OF_STATUS[status]).map((condition) => {
    const page = (more: string): string =>
      `(SELECT * FROM approval WHERE organisation_id = $1 AND environment = $2 AND approval_id < $3 AND ${condition}${more} ORDER BY approval_id DESC LIMIT $4)`;
    return ofAgents
      ? `SELECT part.* FROM unnest($6::text[]) AS one (agent) CROSS JOIN LATERAL ${page(' AND agent_id = one.agent')} AS part`
      : page('');
  });
  return `SELECT ${sealedColumns('approval', 'a')}, d.record, NULL::bytea AS facts
      FROM (SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts ORDER BY approval_id DESC LIMIT $4) AS a
      JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
      WHERE $5::timestamptz IS NOT NULL ORDER BY a.approval_id DESC`;
}

/** Greater than all ids. */
const NEWEST = `apr_${'z'.repeat(26)}`;

/** Newest first, without facts. */
export function listApprovals(sql: Sql, filter: ApprovalFilter, limit: number): Promise<ShownApproval[]> {
  const { organisationId, environment, agentIds, status, before = NEWEST, nowMs } = filter;
  const statement = listStatement(status, agentIds !== undefined);
  const agents = agentIds === undefined ? [] : [[...new Set(agentIds)]];
  return genuinePage<ShownApproval>(sql, 'approval', limit, (last) =>
    sql.query(statement, [organisationId, environment, last?.approval_id ?? before, limit, new Date(nowMs), ...agents]),
  );
}
