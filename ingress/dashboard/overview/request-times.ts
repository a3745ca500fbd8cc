// Times of requests to the API over a span: quantiles from the histograms that all ingress processes have recorded.
import type { TimeBuckets } from '../../../shared/kernel/time-buckets.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { REQUEST_BOUNDS_SECONDS } from '../../../shared/platform/observe/metrics.ts';
import type { LatencyRow, LatencySummary } from '../client/wire/overview.ts';

const SPAN = 'seconds = $1 AND start_at >= to_timestamp($2::float8) AND start_at < to_timestamp($3::float8)';
const BUCKETS = `SELECT floor((extract(epoch FROM start_at)::float8 - $2::float8) / $4::float8)::integer AS bucket, n::integer, sum(part.requests)::float8 AS requests
    FROM request_count, unnest(request_count.requests) WITH ORDINALITY AS part (requests, n)
    WHERE ${SPAN} AND ($5::text IS NULL OR route = $5) GROUP BY 1, 2`;
const ROUTES = `SELECT route, n::integer, sum(part.requests)::float8 AS requests
    FROM request_count, unnest(request_count.requests) WITH ORDINALITY AS part (requests, n) WHERE ${SPAN} GROUP BY 1, 2`;

const NONE: readonly number[] = Array.from({ length: REQUEST_BOUNDS_SECONDS.length + 1 }, () => 0);

/** A part of the sum of a histogram: the requests in its n-th bucket, from 1. */
interface Part {
  readonly n: number;
  readonly requests: number;
}

/** The histograms of parts by a name. */
function histograms<P extends Part>(
  parts: readonly P[],
  nameOf: (part: P) => string | number,
): Map<string | number, number[]> {
  const sums = new Map<string | number, number[]>();
  for (const part of parts) {
    const counts = sums.get(nameOf(part)) ?? [...NONE];
    counts[part.n - 1] = (counts[part.n - 1] ?? 0) + part.requests;
    sums.set(nameOf(part), counts);
  }
  return sums;
}

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
  const rows = await db.query<Part & { readonly bucket: number }>(BUCKETS, values);
  const byBucket = histograms(rows, ({ bucket }) => bucket);
  return Array.from({ length: buckets.length }, (_, bucket) => byBucket.get(bucket) ?? NONE);
}

/** All routes that had requests, most used first. */
export async function readRouteTimes(db: Database, buckets: TimeBuckets): Promise<LatencyRow[]> {
  const rows = await db.query<Part & { readonly route: string }>(ROUTES, spanOf(buckets));
  return [...histograms(rows, ({ route }) => route)]
    .map(([route, counts]) => ({ route: String(route), ...summaryOf(counts) }))
    .sort((a, b) => b.requests - a.requests);
}
