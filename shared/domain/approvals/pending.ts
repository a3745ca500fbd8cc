// The number of approvals that wait for a human, for the metrics and the dashboard.
import type { Environment } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';

/** A pending approval that expires within this time is expiring: somebody should decide it now. */
export const EXPIRING_WITHIN_SECONDS = 300;

/** Pending approvals of one organisation and environment. */
export interface PendingApprovals {
  /** Slug. */
  readonly organisation: string;
  readonly environment: Environment;
  readonly pending: number;
  /** Those of them that are expiring. */
  readonly expiring: number;
}

// Upkeep closes expired approvals a little later; they do not count.
const COUNT = `SELECT organisation.slug AS organisation, environment, coalesce(pending, 0) AS pending, coalesce(expiring, 0) AS expiring
    FROM (
      SELECT organisation_id, environment, count(*)::int AS pending,
        (count(*) FILTER (WHERE expires_at <= now() + interval '${EXPIRING_WITHIN_SECONDS} seconds'))::int AS expiring
      FROM approval WHERE state = 'pending' AND expires_at > now() GROUP BY 1, 2
    ) AS counted FULL JOIN (SELECT DISTINCT organisation_id, environment FROM log) AS logs USING (organisation_id, environment)
    JOIN organisation ON organisation.id = organisation_id ORDER BY 1, 2`;

/** Counts for each organisation and environment that has a log or a pending approval. @throws {ApiError} E6002 */
export function countPendingApprovals(sql: Pick<Sql, 'query'>): Promise<PendingApprovals[]> {
  return sql.query<PendingApprovals>(COUNT, []);
}
