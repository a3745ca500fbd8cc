// Decisions per second by verdict, now and in the last ten minutes, counted from the newest rows only.
import { BoundedCache } from '../../../shared/kernel/bounded-cache.ts';
import type { Database, Statement } from '../../../shared/platform/db/database.ts';
import { lowestId } from '../../../shared/kernel/ids.ts';
import { VERDICTS, type Verdict } from '../../../shared/kernel/vocabulary.ts';
import type { Overview, RateSample, VerdictCounts } from '../client/wire.ts';
import { memoize } from './memo.ts';
import type { Tenant } from '../logs.ts';

/** `now` is the mean of this time, which smooths the curve. */
const NOW_MS = 10_000;
const HISTORY_MS = 600_000;
/** A longer gap in the history, while no page was open, is filled from the database. */
const GAP_MS = 15_000;
/** Rows that are read at most: a few milliseconds, and enough to estimate rate and mix. */
const NOW_ROWS = 5_000;
const HISTORY_ROWS = 20_000;
const HOUR_MS = 3_600_000;
const HOUR_TTL_MS = 5_000;
const MAX_TENANTS = 50;

const NEWEST = `SELECT verdict, evaluated_at FROM decision
      WHERE organisation_id = $1 AND environment = $2 AND decision_id >= $3 ORDER BY decision_id DESC`;

const COUNT = (rows: number): Statement =>
  `SELECT verdict, count(*)::int AS count, min(evaluated_at) AS since FROM (${NEWEST} LIMIT ${rows}) newest GROUP BY verdict`;
const COUNT_NOW = COUNT(NOW_ROWS);
const COUNT_HOUR = COUNT(HISTORY_ROWS);
const BUCKETS = `SELECT floor(extract(epoch FROM evaluated_at) * 1000 / ${NOW_MS})::float8 AS bucket, verdict, count(*)::int AS count
    FROM (${NEWEST} LIMIT ${HISTORY_ROWS}) newest GROUP BY 1, 2 ORDER BY 1`;

interface CountRow {
  readonly verdict: Verdict;
  readonly count: number;
  readonly since: Date;
}

function countsOf(rows: readonly { readonly verdict: Verdict; readonly count: number }[], divisor = 1): VerdictCounts {
  const count = (verdict: Verdict): number => (rows.find((row) => row.verdict === verdict)?.count ?? 0) / divisor;
  return { ALLOW: count('ALLOW'), DENY: count('DENY'), ESCALATE: count('ESCALATE'), DEGRADE: count('DEGRADE') };
}

function totalOf(counts: VerdictCounts): number {
  return VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
}

type DecisionNumbers = Overview['decisions'];

/** The reader throws {ApiError} E6002. */
export function createDecisionRates(deps: {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}): (tenant: Tenant) => Promise<DecisionNumbers> {
  const { db, nowMs, monotonicMs } = deps;
  const histories = new BoundedCache<RateSample[]>({ max: MAX_TENANTS });

  const newest = (statement: Statement, tenant: Tenant, sinceMs: number): Promise<CountRow[]> =>
    db.query<CountRow>(statement, [tenant.organisationId, tenant.environment, lowestId('dec', Math.max(0, sinceMs))]);

  const measure = async (tenant: Tenant): Promise<RateSample> => {
    const now = nowMs();
    const rows = await newest(COUNT_NOW, tenant, now - NOW_MS);
    const counts = countsOf(rows);
    // At the limit of rows, the time span is that from the oldest of them.
    const oldestMs = Math.min(...rows.map(({ since }) => since.getTime()));
    const spanMs = totalOf(counts) < NOW_ROWS ? NOW_MS : Math.max(1, now - oldestMs);
    return { at: new Date(now).toISOString(), perSecond: countsOf(rows, spanMs / 1_000) };
  };

  /** The history in buckets of ten seconds. The oldest bucket may be incomplete and is left out. */
  const past = async (tenant: Tenant): Promise<RateSample[]> => {
    const now = nowMs();
    const rows = await db.query<{ bucket: number; verdict: Verdict; count: number }>(BUCKETS, [
      tenant.organisationId,
      tenant.environment,
      lowestId('dec', Math.max(0, now - HISTORY_MS)),
    ]);
    const total = rows.reduce((sum, { count }) => sum + count, 0);
    const complete = total < HISTORY_ROWS;
    const first = complete ? Math.ceil((now - HISTORY_MS) / NOW_MS) : (rows[0]?.bucket ?? 0) + 1;
    const samples: RateSample[] = [];
    for (let bucket = first; (bucket + 1) * NOW_MS <= now; bucket += 1) {
      samples.push({
        at: new Date((bucket + 1) * NOW_MS).toISOString(),
        perSecond: countsOf(
          rows.filter((row) => row.bucket === bucket),
          NOW_MS / 1_000,
        ),
      });
    }
    return samples;
  };

  const lastHour = memoize<Tenant, DecisionNumbers['lastHour']>({
    keyOf: nameOf,
    ttlMs: HOUR_TTL_MS,
    costly: true,
    monotonicMs,
    load: async (tenant) => {
      const counts = countsOf(await newest(COUNT_HOUR, tenant, nowMs() - HOUR_MS));
      return { counts, complete: totalOf(counts) < HISTORY_ROWS };
    },
  });

  return async (tenant) => {
    const name = nameOf(tenant);
    const [now, hour] = await Promise.all([measure(tenant), lastHour(tenant)]);
    const atMs = Date.parse(now.at);
    const known = histories.get(name);
    const last = known?.at(-1);
    const continues = last !== undefined && atMs - Date.parse(last.at) <= GAP_MS;
    const earlier = continues ? (known ?? []) : await past(tenant);
    const history = [...earlier.filter(({ at }) => at < now.at && Date.parse(at) >= atMs - HISTORY_MS), now];
    histories.set(name, history);
    return { now, history, lastHour: hour };
  };
}

function nameOf({ organisationId, environment }: Tenant): string {
  return `${organisationId}/${environment}`;
}
