// Reads recorded trust: of many agents now, of one agent at a past time, and its history.
import { anyText, columnMap, text } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import { dayOf, MAX_AGE_DAYS } from '../../core/trust/beta.ts';
import { NOTHING_RECORDED, parseEvidence, type RecordedTrust, recordedTrust } from '../../core/trust/recorded.ts';
import type { Owner } from '../../kernel/owner.ts';

/** An agent by its name, registered or not. */
export interface AgentKey extends Owner {
  readonly agentId: string;
}

/** Agent keys as parameters of a statement. */
export const AGENT_KEYS = columnMap<Omit<AgentKey, 'environment'> & { readonly environment: string }>({
  organisation_id: text((key) => key.organisationId),
  environment: text((key) => key.environment),
  agent_id: anyText((key) => key.agentId),
});

/** SQL of `day positive negative;...` from rows by day and key. $4 caps the positive evidence of a key and day. */
const evidenceOf = (
  buckets: string,
): string => `(SELECT string_agg(day || ' ' || positive || ' ' || negative, ';') FROM (
      SELECT day, sum(least(positive, $4::bigint))::bigint AS positive, sum(negative)::bigint AS negative FROM ${buckets} GROUP BY day
    ) AS days)`;

const LOAD = `SELECT asked.ordinal::int AS ordinal, state.signals::float8 AS signals, (extract(epoch FROM state.last_signal_at) * 1000)::float8 AS last_signal_ms,
      coalesce(${evidenceOf(`trust_bucket AS bucket WHERE bucket.organisation_id = state.organisation_id AND bucket.environment = state.environment
        AND bucket.agent_id = state.agent_id AND bucket.day >= $5`)}, '') AS evidence
    FROM (${AGENT_KEYS.rows()}) AS asked
    CROSS JOIN LATERAL (SELECT * FROM trust_state AS known WHERE known.organisation_id = asked.organisation_id AND known.environment = asked.environment
      AND known.agent_id = asked.agent_id OFFSET 0) AS state`;

interface LoadRow {
  ordinal: number;
  signals: number;
  last_signal_ms: number;
  evidence: string;
}

/** The recorded trust of these agents now, in their order. @param dailyCap thousandths */
export async function loadTrust(
  sql: Sql,
  keys: readonly AgentKey[],
  nowMs: number,
  dailyCap: number,
): Promise<RecordedTrust[]> {
  const loaded: RecordedTrust[] = keys.map(() => NOTHING_RECORDED);
  if (keys.length === 0) return loaded;
  const rows = await sql.query<LoadRow>(LOAD, [...AGENT_KEYS.values(keys), dailyCap, dayOf(nowMs) - MAX_AGE_DAYS]);
  for (const { ordinal, signals, last_signal_ms: lastSignalAtMs, evidence } of rows) {
    loaded[ordinal - 1] = recordedTrust({ signals, lastSignalAtMs, evidence });
  }
  return loaded;
}

// The evidence of the first n signals: the sum of their folds, or the current buckets minus the later folds, whichever
// reads fewer folds.
const AT = `WITH past AS (
      SELECT coalesce((SELECT last_n FROM trust_fold WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3 AND folded_at <= $5
        ORDER BY last_n DESC LIMIT 1), 0) AS n,
        coalesce((SELECT signals FROM trust_state WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3), 0) AS signals
    ), range AS (
      SELECT n, n * 2 > signals AS from_now, CASE WHEN n * 2 > signals THEN n ELSE 0 END AS after_n, CASE WHEN n * 2 > signals THEN signals ELSE n END AS last_n FROM past
    ), summed AS (
      SELECT signal.day - date '1970-01-01' AS day, signal.key AS key_id,
        sum(CASE signal.type WHEN 'success' THEN signal.weight * 1000 ELSE 0 END)::bigint AS positive,
        sum(CASE signal.type WHEN 'success' THEN 0 WHEN 'failure' THEN signal.weight * 1000 ELSE signal.weight * 10000 END)::bigint AS negative
      FROM range JOIN trust_fold AS fold ON fold.last_n > range.after_n AND fold.last_n <= range.last_n,
        LATERAL json_to_recordset(fold.signals::json) AS signal (day date, key text, type text, weight numeric)
      WHERE fold.organisation_id = $1 AND fold.environment = $2 AND fold.agent_id = $3 GROUP BY 1, 2
    ), kept AS (
      SELECT day, positive, negative FROM summed WHERE NOT (SELECT from_now FROM range)
      UNION ALL
      SELECT bucket.day, bucket.positive - coalesce(summed.positive, 0), bucket.negative - coalesce(summed.negative, 0)
      FROM trust_bucket AS bucket LEFT JOIN summed ON summed.day = bucket.day AND summed.key_id = bucket.key_id
      WHERE (SELECT from_now FROM range) AND bucket.organisation_id = $1 AND bucket.environment = $2 AND bucket.agent_id = $3
    )
    SELECT n::float8 AS signals, coalesce(${evidenceOf('kept WHERE positive > 0 OR negative > 0')}, '') AS evidence FROM range`;

// A signal is folded at the earliest five minutes before it occurs, so folds before that day are skipped. One hour allows
// for clock skew.
const LAST_AT = `SELECT (extract(epoch FROM max(known.occurred_at)) * 1000)::float8 AS last_signal_ms
    FROM trust_fold AS fold, LATERAL json_to_recordset(fold.signals::json) AS signal (day date, "signalId" text)
    JOIN trust_signal AS known ON known.organisation_id = $1 AND known.environment = $2 AND known.signal_id = signal."signalId"
    WHERE fold.organisation_id = $1 AND fold.environment = $2 AND fold.agent_id = $3 AND fold.last_n <= $4
      AND signal.day = date '1970-01-01' + $5::int AND fold.folded_at >= (date '1970-01-01' + $5::int)::timestamp AT TIME ZONE 'UTC' - interval '1 hour'`;

/** The recorded trust of an agent at a time, from the signals folded by then. @param dailyCap thousandths */
export async function loadTrustAt(sql: Sql, key: AgentKey, atMs: number, dailyCap: number): Promise<RecordedTrust> {
  const owner = [key.organisationId, key.environment, key.agentId];
  const [row] = await sql.query<{ signals: number; evidence: string }>(AT, [...owner, dailyCap, new Date(atMs)]);
  if (row === undefined || row.signals === 0) return NOTHING_RECORDED;
  const lastDay = Math.max(...parseEvidence(row.evidence).map((bucket) => bucket.day));
  const [last] = await sql.query<{ last_signal_ms: number | null }>(LAST_AT, [...owner, row.signals, lastDay]);
  return recordedTrust({ signals: row.signals, lastSignalAtMs: last?.last_signal_ms ?? null, evidence: row.evidence });
}

const HISTORY = `SELECT folded_at, first_n::float8 AS first_n, last_n::float8 AS last_n, score, proof_id, counted.*
    FROM (
      SELECT * FROM trust_fold WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3
        AND ($4::timestamptz IS NULL OR folded_at >= $4) AND ($5::timestamptz IS NULL OR folded_at < $5) AND ($6::bigint IS NULL OR last_n < $6)
      ORDER BY last_n DESC LIMIT $7
    ) AS fold, LATERAL (
      SELECT count(*) FILTER (WHERE type = 'success')::int AS success, count(*) FILTER (WHERE type = 'failure')::int AS failure,
        count(*) FILTER (WHERE type = 'violation')::int AS violation
      FROM json_to_recordset(fold.signals::json) AS signal (type text)
    ) AS counted ORDER BY last_n DESC`;

/** One fold: signals first_n..last_n led to this score. */
export interface TrustChange {
  readonly folded_at: Date;
  readonly first_n: number;
  readonly last_n: number;
  readonly score: number;
  readonly proof_id: string;
  /** Signals by type. */
  readonly success: number;
  readonly failure: number;
  readonly violation: number;
}

export interface HistoryFilter {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  /** Only folds before this last_n. */
  readonly before: string | undefined;
}

/** Folds of an agent, newest first. */
export function listTrustChanges(
  sql: Sql,
  key: AgentKey,
  filter: HistoryFilter,
  limit: number,
): Promise<TrustChange[]> {
  const { from, to, before } = filter;
  const owner = [key.organisationId, key.environment, key.agentId];
  return sql.query<TrustChange>(HISTORY, [...owner, from ?? null, to ?? null, before ?? null, limit]);
}
