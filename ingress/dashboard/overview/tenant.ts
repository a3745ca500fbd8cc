// What an admin sees of the own organisation and environment: halt, log and agents.
import type { Database, Statement } from '../../../shared/platform/db/database.ts';
import { NO_EVIDENCE } from '../../../shared/core/trust/score.ts';
import { type Environment, TIER_TABLE } from '../../../shared/kernel/vocabulary.ts';
import type { LogInfo, Overview } from '../client/wire.ts';

export interface Tenant {
  readonly organisationId: string;
  readonly environment: Environment;
}

/** Where counting what waits stops. */
const MANY = 10_000;

const HALT: Statement = {
  name: 'dashboard-halt',
  text: 'SELECT reason, created_at AS since FROM halt WHERE organisation_id = $1 AND environment = $2 AND lifted_at IS NULL',
};
const LOG: Statement = {
  name: 'dashboard-log',
  text: `SELECT log.origin, log.size::float8 AS size, log.halted_reason AS "haltedReason", signed.size::float8 AS "signedSize", signed.signed_at AS "signedAt",
      audit.ok, audit.audited_size::float8 AS "auditedSize", audit.audited_at AS "auditedAt", json_array_length(audit.findings::json) AS findings,
      (SELECT count(*)::int FROM (SELECT FROM log_inbox i WHERE i.organisation_id = $1 AND i.environment = $2 LIMIT ${MANY}) waiting) AS waiting
    FROM log LEFT JOIN audit USING (log_id)
      LEFT JOIN LATERAL (SELECT size, signed_at FROM checkpoint c WHERE c.log_id = log.log_id ORDER BY size DESC LIMIT 1) signed ON true
    WHERE log.organisation_id = $1 AND log.environment = $2 ORDER BY log.generation DESC LIMIT 1`,
};
const AGENTS: Statement = {
  name: 'dashboard-agents',
  text: `SELECT a.status, width_bucket(coalesce(t.score, ${NO_EVIDENCE.score})::int, ARRAY[${TIER_TABLE.slice(1)
    .map(({ from }) => from)
    .join(', ')}]) AS level, count(*)::int AS count
    FROM agent a LEFT JOIN trust_state t USING (organisation_id, environment, agent_id)
    WHERE a.organisation_id = $1 AND a.environment = $2 GROUP BY 1, 2`,
};

interface LogRow {
  readonly origin: string | null;
  readonly size: number;
  readonly haltedReason: string | null;
  readonly signedSize: number | null;
  readonly signedAt: Date | null;
  readonly ok: boolean | null;
  readonly auditedSize: number;
  readonly auditedAt: Date | null;
  readonly findings: number;
  readonly waiting: number;
}

/** @throws {ApiError} E6002 */
export async function readHalt(db: Database, tenant: Tenant): Promise<Overview['halt']> {
  const [row] = await db.query<{ reason: string; since: Date }>(HALT, [tenant.organisationId, tenant.environment]);
  return row === undefined ? null : { reason: row.reason, since: row.since.toISOString() };
}

/** @throws {ApiError} E6002 */
export async function readLog(db: Database, tenant: Tenant): Promise<LogInfo | null> {
  const [row] = await db.query<LogRow>(LOG, [tenant.organisationId, tenant.environment]);
  if (row === undefined) return null;
  const { origin, size, waiting, haltedReason, signedSize, signedAt } = row;
  return {
    origin,
    size,
    waiting,
    haltedReason,
    checkpoint:
      signedSize === null || signedAt === null ? null : { size: signedSize, signedAt: signedAt.toISOString() },
    audit:
      row.ok === null
        ? null
        : {
            ok: row.ok,
            auditedSize: row.auditedSize,
            at: row.auditedAt?.toISOString() ?? null,
            findings: row.findings,
          },
  };
}

/** Reads a row per agent: a tenth of a second for 100,000. @throws {ApiError} E6002 */
export async function readAgents(db: Database, tenant: Tenant): Promise<Overview['agents']> {
  const rows = await db.query<{ status: string; level: number; count: number }>(AGENTS, [
    tenant.organisationId,
    tenant.environment,
  ]);
  const byLevel = TIER_TABLE.map(({ level }) =>
    rows.filter((row) => row.level === level && row.status !== 'TERMINATED').reduce((sum, row) => sum + row.count, 0),
  );
  const byStatus: Record<string, number> = {};
  for (const { status, count } of rows) byStatus[status] = (byStatus[status] ?? 0) + count;
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byLevel, byStatus };
}
