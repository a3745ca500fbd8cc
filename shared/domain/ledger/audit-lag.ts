// How far the auditor is behind each log: for the metrics, /ready and the dashboard.
import type { Environment } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';

/** The lag of one organisation and environment, over all generations of its log. */
export interface AuditLag {
  /** Slug. */
  readonly organisation: string;
  readonly environment: Environment;
  /** Leaves that no audit has derived yet. */
  readonly leaves: number;
  /** Seconds since the oldest of them was appended; 0 when there is none. */
  readonly oldestSeconds: number;
}

// The age is by the database's clock, which also dated the leaf. The ORDER BY determines the index.
const LAG = `SELECT organisation.slug, log.environment, sum(behind.leaves)::float8 AS leaves,
      greatest(0, coalesce(max(extract(epoch FROM now() - oldest.appended_at)), 0))::float8 AS oldest_seconds
    FROM log JOIN organisation ON organisation.id = log.organisation_id
    LEFT JOIN audit ON audit.log_id = log.log_id
    CROSS JOIN LATERAL (SELECT greatest(0, log.size - coalesce(audit.audited_size, 0)) AS leaves) AS behind
    LEFT JOIN LATERAL (
      SELECT appended_at FROM leaf WHERE leaf.log_id = log.log_id AND leaf_index >= log.size - behind.leaves
      ORDER BY leaf.log_id, leaf_index LIMIT 1
    ) AS oldest ON behind.leaves > 0
    GROUP BY organisation.slug, log.environment ORDER BY organisation.slug, log.environment`;

/** The lag of every log, by organisation and environment. */
export async function readAuditLag(sql: Pick<Sql, 'query'>): Promise<AuditLag[]> {
  const rows = await sql.query<{ slug: string; environment: Environment; leaves: number; oldest_seconds: number }>(
    LAG,
    [],
  );
  return rows.map(({ slug: organisation, oldest_seconds: oldestSeconds, ...row }) => ({
    organisation,
    oldestSeconds,
    ...row,
  }));
}

/** An audit that is further behind is late; CustosAuditBehind in docs/operations has the same limit. */
const LATE_SECONDS = 60;

/** What is said of late audits; undefined: none is late. It names organisations. */
export async function readLateAudits(sql: Pick<Sql, 'query'>): Promise<string | undefined> {
  const late = (await readAuditLag(sql)).filter(({ oldestSeconds }) => oldestSeconds > LATE_SECONDS);
  if (late.length === 0) return undefined;
  const behind = late.map(
    ({ organisation, environment, leaves, oldestSeconds }) =>
      `${organisation}/${environment} by ${leaves} leaves, ${Math.round(oldestSeconds)} s`,
  );
  return `the audit is behind the log: ${behind.join('; ')}`;
}
