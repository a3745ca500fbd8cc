// What happened in a span of time: decisions by verdict, latency, and what changed meanwhile. Every read is a range scan of counts,
// so the cost does not depend on the number of decisions.
import { type TimeBuckets, timeBuckets } from '../../../shared/kernel/time-buckets.ts';
import { type Verdict, VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import type { HaltChange } from '../../../shared/core/decision/halt.ts';
import { bodyOfPrefix } from '../../../shared/core/proof/record.ts';
import { readCounts, type VerdictBuckets } from '../../../shared/domain/decisions/verdict-buckets.ts';
import { isOperatorsKey } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import type { VerdictCounts } from '../client/wire.ts';
import type { Activity, ActivityLatency, ActivityMark, RangeName } from '../client/wire/overview.ts';
import type { Tenant } from '../logs.ts';
import { memoize } from './memo.ts';
import { quantileMs, readRequestBuckets, readRouteTimes, summaryOf } from './request-times.ts';

const DAY_MS = 86_400_000;
/** The length of each range, and the number of buckets in its chart. */
const SHOWN: Readonly<Record<RangeName, readonly [lengthMs: number, buckets: number]>> = {
  '10m': [600_000, 60],
  '1h': [3_600_000, 120],
  '6h': [21_600_000, 72],
  '24h': [DAY_MS, 144],
  '7d': [7 * DAY_MS, 168],
  '30d': [30 * DAY_MS, 120],
};
/** Marks of a kind in a chart. */
const MAX_MARKS = 50;
const TTL_MS = 1_000;

const POLICY_MARKS = `SELECT digest, extract(epoch FROM activated_at)::float8 * 1000 AS at FROM (
      SELECT digest, activated_at FROM policy_activation WHERE organisation_id IS NULL ORDER BY seq DESC LIMIT ${MAX_MARKS}
    ) AS newest WHERE activated_at >= to_timestamp($1::float8)`;
// The text of the condition is that of the index of migration 0031.
const HALT_MARKS = `SELECT record, extract(epoch FROM occurred_at)::float8 * 1000 AS at FROM record
    WHERE organisation_id = $1 AND environment = $2 AND event = 'custos.halt' AND occurred_at >= to_timestamp($3::float8)
    ORDER BY occurred_at DESC LIMIT ${MAX_MARKS}`;

/** The decisions of several buckets together. */
function totalsOf({ counts }: VerdictBuckets): VerdictCounts {
  const sum = (verdict: Verdict): number => counts[verdict].reduce((total, count) => total + count, 0);
  // VERDICTS has every verdict once.
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, sum(verdict)])) as Record<Verdict, number>;
}

/**
 * The buckets of a range: those of its chart; one that ends with the current counted one, for totals that do not depend on the chart;
 * and an equally long one at the same time of the day before (of the range before, when that is longer).
 */
function bucketsOf(range: RangeName, toMs: number): Readonly<Record<'chart' | 'whole' | 'earlier', TimeBuckets>> {
  const [lengthMs, most] = SHOWN[range];
  const chart = timeBuckets(toMs - lengthMs, toMs, most);
  const countedMs = chart.countedSeconds * 1_000;
  const endMs = (Math.floor(toMs / countedMs) + 1) * countedMs;
  const whole = { startMs: endMs - lengthMs, stepMs: lengthMs, length: 1, countedSeconds: chart.countedSeconds };
  return { chart, whole, earlier: { ...whole, startMs: whole.startMs - Math.max(DAY_MS, lengthMs) } };
}

/** The mark of a `custos.halt` record. */
function haltMark(record: Buffer, atMs: number): ActivityMark {
  const { change, reason = '' } = bodyOfPrefix(record) as HaltChange;
  return { atMs, kind: change === 'halted' ? 'halt' : 'resume', text: reason };
}

export interface ActivityQuestion {
  readonly range: RangeName;
  /** The route whose times are drawn; undefined: all. */
  readonly route?: string | undefined;
}

/** @throws {ApiError} E6002 */
export type ReadActivity = (key: AuthenticatedKey, question: ActivityQuestion) => Promise<Activity>;

export function createActivity(deps: {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}): ReadActivity {
  const { db, nowMs, monotonicMs } = deps;

  const marksOf = async ({ organisationId, environment }: Tenant, fromMs: number): Promise<ActivityMark[]> => {
    const [sets, halts] = await Promise.all([
      db.query<{ digest: string; at: number }>(POLICY_MARKS, [fromMs / 1_000]),
      db.query<{ record: Buffer; at: number }>(HALT_MARKS, [organisationId, environment, fromMs / 1_000]),
    ]);
    return [
      ...sets.map(({ digest, at }): ActivityMark => ({ atMs: at, kind: 'policies', text: digest })),
      ...halts.map(({ record, at }) => haltMark(record, at)),
    ].sort((a, b) => a.atMs - b.atMs);
  };

  const latencyOf = memoize<ActivityQuestion & { readonly nowMs: number }, ActivityLatency>({
    keyOf: ({ range, route = '' }) => `${range} ${route}`,
    ttlMs: TTL_MS,
    costly: true,
    monotonicMs,
    load: async ({ range, route, nowMs: toMs }) => {
      const { chart, whole, earlier } = bucketsOf(range, toMs);
      const [times, [total = []], [before = []], routes] = await Promise.all([
        readRequestBuckets(db, chart, route),
        readRequestBuckets(db, whole, route),
        readRequestBuckets(db, earlier, route),
        readRouteTimes(db, whole),
      ]);
      return {
        route: route ?? null,
        requests: times.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        p50Ms: times.map((counts) => quantileMs(counts, 0.5)),
        p99Ms: times.map((counts) => quantileMs(counts, 0.99)),
        total: summaryOf(total),
        before: summaryOf(before),
        routes,
      };
    },
  });

  const decisionsOf = memoize<Tenant & { readonly range: RangeName }, Omit<Activity, 'latency'>>({
    keyOf: ({ organisationId, environment, range }) => `${organisationId}/${environment} ${range}`,
    ttlMs: TTL_MS,
    costly: true,
    monotonicMs,
    load: async (tenant) => {
      const { range } = tenant;
      const atMs = nowMs();
      const { chart, whole, earlier } = bucketsOf(range, atMs);
      const [counts, total, before, marks] = await Promise.all([
        readCounts(db, tenant, chart),
        readCounts(db, tenant, whole),
        readCounts(db, tenant, earlier),
        marksOf(tenant, chart.startMs),
      ]);
      return { range, atMs, ...counts, totals: totalsOf(total), before: totalsOf(before), marks };
    },
  });

  return async (key, question) => {
    const { organisationId, environment } = key;
    const [decisions, latency] = await Promise.all([
      decisionsOf({ organisationId, environment, range: question.range }),
      isOperatorsKey(key) ? latencyOf({ ...question, nowMs: nowMs() }) : null,
    ]);
    return { ...decisions, latency };
  };
}
