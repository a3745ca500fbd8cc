// The log, the agents and the webhooks of one organisation and environment, for the overview.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import { NO_EVIDENCE } from '../../../shared/core/trust/score.ts';
import { TIER_TABLE } from '../../../shared/kernel/vocabulary.ts';
import type { LogInfo } from '../client/wire.ts';
import type { Overview } from '../client/wire/overview.ts';
import { readLogs, type Tenant } from '../logs.ts';

const AGENTS = `SELECT a.status, width_bucket(coalesce(t.score, ${NO_EVIDENCE.score})::int, ARRAY[${TIER_TABLE.slice(1)
  .map(({ from }) => from)
  .join(', ')}]) AS level, count(*)::int AS count
    FROM agent a LEFT JOIN trust_state t USING (organisation_id, environment, agent_id)
    WHERE a.organisation_id = $1 AND a.environment = $2 AND ($3::text[] IS NULL OR a.agent_id = ANY ($3)) GROUP BY 1, 2`;

/** A receiver that has failed for less than this is not a person's work yet: a restart is normal. */
const FAILING_FOR_MS = 5 * 60_000;
const WEBHOOKS = `SELECT count(*) FILTER (WHERE disabled_reason IN ('gone', 'failing'))::int AS disabled,
    count(*) FILTER (WHERE disabled_at IS NULL AND failing_since < $3)::int AS failing
    FROM webhook_endpoint WHERE organisation_id = $1 AND environment = $2`;

/** Webhooks whose receiver fails, or failed until they were disabled. @throws {ApiError} E6002 */
export async function countWebhooks(
  db: Database,
  { organisationId, environment }: Tenant,
  nowMs: number,
): Promise<Overview['webhooks']> {
  const values = [organisationId, environment, new Date(nowMs - FAILING_FOR_MS)];
  const [row] = await db.query<Overview['webhooks']>(WEBHOOKS, values);
  return row ?? { disabled: 0, failing: 0 };
}

/** The newest log, with the number of findings in place of the findings. @throws {ApiError} E6002 */
export async function readLog(db: Database, tenant: Tenant): Promise<LogInfo | null> {
  const [log] = await readLogs(db, tenant, 1);
  if (log === undefined) return null;
  const { audit, ...rest } = log;
  return { ...rest, audit: audit && { ...audit, findings: audit.findings.length } };
}

/** The agents that a key may name. Reads one row per agent: 100 ms for 100,000. @throws {ApiError} E6002 */
export async function readAgents(
  db: Database,
  { organisationId, environment, agentIds }: Pick<AuthenticatedKey, 'organisationId' | 'environment' | 'agentIds'>,
): Promise<Overview['agents']> {
  const values = [organisationId, environment, agentIds === null ? null : [...agentIds]];
  const rows = await db.query<{ status: string; level: number; count: number }>(AGENTS, values);
  const byLevel = TIER_TABLE.map(({ level }) =>
    rows.filter((row) => row.level === level && row.status !== 'TERMINATED').reduce((sum, row) => sum + row.count, 0),
  );
  const byStatus: Record<string, number> = {};
  for (const { status, count } of rows) byStatus[status] = (byStatus[status] ?? 0) + count;
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byLevel, byStatus };
}
