// The approvals that somebody has to decide: their number, and those that expire first.
import { askedText } from '../../../shared/core/decision/approval-bound.ts';
import { unpackRecord } from '../../../shared/core/decision/packed-record.ts';
import { bodyOfPrefix } from '../../../shared/core/proof/record.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { DecisionOnRecord } from '../../../shared/api/decision.ts';
import type { Shape } from '../../../shared/kernel/schema.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../../shared/platform/db/seals/rows.ts';
import type { DueApproval, Overview } from '../client/wire/overview.ts';

const SHOWN = 5;
/** Counting stops here. */
const MAX_COUNT = 10_000;

// A bound key sees only the approvals of its agents.
const WAITING = `a.organisation_id = $1 AND a.environment = $2 AND a.state = 'pending' AND a.expires_at > $3 AND ($4::text[] IS NULL OR a.agent_id = ANY ($4))`;
const COUNT = `SELECT count(*)::int AS total FROM (SELECT FROM approval a WHERE ${WAITING} LIMIT ${MAX_COUNT}) AS waiting`;
const NEXT = `SELECT ${sealedColumns('approval', 'a')}, d.record FROM approval a
    LEFT JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
    WHERE ${WAITING} ORDER BY a.expires_at LIMIT ${SHOWN}`;

type Row = SealedRow<'approval'> & { readonly record: Buffer | null };

/** What a decision was asked, in a few words. */
function askedIn(record: Buffer): string {
  // Written by shared/core/decision/record.ts.
  const { intent } = bodyOfPrefix(unpackRecord(record)) as Pick<Shape<typeof DecisionOnRecord>, 'intent'>;
  return askedText(intent);
}

/** @throws {ApiError} E6002 */
export async function readDueApprovals(
  db: Database,
  { organisationId, environment, agentIds }: AuthenticatedKey,
  nowMs: number,
): Promise<Overview['approvals']> {
  const values = [organisationId, environment, new Date(nowMs), agentIds === null ? null : [...agentIds]];
  const [[counted], rows] = await Promise.all([
    db.query<{ total: number }>(COUNT, values),
    db.query<Row>(NEXT, values),
  ]);
  const next = genuine(db, 'approval', rows).map(
    ({ approval_id: approvalId, agent_id: agentId, expires_at: expiresAt, record }): DueApproval => ({
      approvalId,
      agentId,
      requested: record === null ? null : askedIn(record),
      expiresAt: expiresAt.toISOString(),
    }),
  );
  return { total: counted?.total ?? 0, next };
}
