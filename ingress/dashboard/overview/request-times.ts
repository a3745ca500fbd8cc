// Times of requests to the API over a span: quantiles from the histograms that all ingress processes have recorded.
import type { TimeBuckets } from '../../../shared/kernel/time-buckets.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { REQUEST_BOUNDS_SECONDS } from '../../../shared/platform/observe/metrics.ts';
import type { LatencyRow, LatencySummary } from '../client/wire/overview.ts';

const SPAN = 'seconds = $1 AND start_at >= to_timestamp($2::float8) AND start_at < to_timestamp($3::float8)';
const SIZE = REQUEST_BOUNDS_SECONDS.length + 1;
// Sums by subscript are five times as fast as those of unnested arrays.
const SUM = `ARRAY[${Array.from({ length: SIZE }, (_, i) => `coalesce(sum(requests[${i + 1}]), 0)`).join(', ')}]::float8[] AS counts`;
const BUCKETS = `SELECT floor((extract(epoch FROM start_at)::float8 - $2::float8) / $4::float8)::integer AS bucket, ${SUM}
    FROM request_count WHERE ${SPAN} AND ($5::text IS NULL OR route = $5) GROUP BY 1`;
const ROUTES = `SELECT route, ${SUM} FROM request_count WHERE ${SPAN} GROUP BY 1`;

const NONE: readonly number[] = Array.from({ length: SIZE }, () => 0);

/**
 * A quantile of a histogram in milliseconds, as Prometheus' histogram_quantile estimates it: values are assumed to be evenly
 * spread within their bucket; beyond the last bound it is that bound. Null: there were no requests.
 * @param counts of requests in each bucket, not cumulative
 * @param part 0..1
 */
export function quantileMs(counts: readonly number[], part: number): number | null {
  const rank = part * counts.reduce((total, count) => total + count, 0);
  if (rank === 0) return null;
  let below = 0;
  let lower = 0;
  for (const [i, bound] of REQUEST_BOUNDS_SECONDS.entries()) {
    const count = counts[i] ?? 0;
    if (count > 0 && below + count >= rank) return 1_000 * (lower + (bound - lower) * ((rank - below) / count));
    below += count;
    lower = bound;
  }
  return 1_000 * lower;
}

export function summaryOf(counts: readonly number[]): LatencySummary {
  return {
    requests: counts.reduce((total, count) => total + count, 0),
    p50Ms: quantileMs(counts, 0.5),
    p99Ms: quantileMs(counts, 0.99),
  };
}

const spanOf = ({ startMs, stepMs, length, countedSeconds }: TimeBuckets): unknown[] => [
  countedSeconds,
  startMs / 1_000,
  (startMs + length * stepMs) / 1_000,
];

/** The requests of each time bucket, as a histogram. @param route undefined: all */
export async function readRequestBuckets(
  db: Database,
  buckets: TimeBuckets,
  route: string | undefined,
): Promise<(readonly number[])[]> {
  const values = [...spanOf(buckets), buckets.stepMs / 1_000, route ?? null];
  const rows = await db.query<{ readonly bucket: number; readonly counts: number[] }>(BUCKETS, values);
  const byBucket = new Map(rows.map(({ bucket, counts }) => [bucket, counts]));
  return Array.from({ length: buckets.length }, (_, bucket) => byBucket.get(bucket) ?? NONE);
}

/** All routes that had requests, most used first. */
export async function readRouteTimes(db: Database, buckets: TimeBuckets): Promise<LatencyRow[]> {
  const rows = await db.query<{ readonly route: string; readonly counts: number[] }>(ROUTES, spanOf(buckets));
  return rows.map(({ route, counts }) => ({ route, ...summaryOf(counts) })).sort((a, b) => b.requests - a.requests);
}
