// How much of each budget is used, for the metrics: the highest share among the counts of a budget.
import type { Sql } from '../../platform/db/database.ts';

/** A budget of an organisation and environment. */
export interface BudgetShare {
  /** Slug. */
  readonly organisation: string;
  readonly environment: string;
  readonly budget: string;
  /** 0..1, of its fullest count. */
  readonly share: number;
}

/** Counts that are looked at: those that were fullest when they were last charged, from which charges only leave. */
const MOST = 1_000;

const READ = `SELECT o.slug AS organisation, u.environment, u.name AS budget, max(least(1, u.now_used / u.limit_amount)) AS share
    FROM (
      SELECT organisation_id, environment, name, limit_amount::float8, (
          SELECT coalesce(sum(buckets[i + 1]), 0)::float8 FROM generate_series(1, cardinality(buckets), 2) AS i
          WHERE buckets[i] + window_ms > extract(epoch FROM now()) * 1000) AS now_used
      FROM (
        SELECT * FROM budget_use WHERE expires_at > now() AND limit_amount > 0
        ORDER BY used::float8 / limit_amount DESC LIMIT ${MOST}) AS fullest
    ) AS u JOIN organisation o ON o.id = u.organisation_id GROUP BY 1, 2, 3`;

export function readBudgetShares(sql: Sql): Promise<BudgetShare[]> {
  return sql.query<BudgetShare>(READ, []);
}
