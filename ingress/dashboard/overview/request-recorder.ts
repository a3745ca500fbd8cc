// Adds the requests of this process to the table request_count every ten seconds, so that latency covers all ingress processes
// and survives restarts.
import { Histogram, type Registry } from 'prom-client';
import { COUNTED_SECONDS } from '../../../shared/kernel/time-buckets.ts';
import { columnMap, numeric, text, timeMs } from '../../../shared/platform/db/columns.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { REQUEST_BOUNDS_SECONDS, REQUEST_HISTOGRAM } from '../../../shared/platform/observe/metrics.ts';

const EVERY_MS = 10_000;

/** Requests by route (method and path template) in each bucket of the histogram, not cumulative. */
export type RequestCounts = ReadonlyMap<string, readonly number[]>;

interface RequestRow {
  readonly seconds: number;
  readonly startMs: number;
  readonly route: string;
  readonly requests: readonly number[];
}

const ROWS = columnMap<RequestRow>({
  seconds: numeric('integer', (row) => row.seconds),
  start_at: timeMs((row) => row.startMs),
  route: text((row) => row.route),
  requests: text((row) => `{${row.requests.join(',')}}`, 'integer[]'),
});
const ADD = `${ROWS.insertInto('request_count', `(${ROWS.rows()}) AS given`)}
    ON CONFLICT (seconds, start_at, route) DO UPDATE SET requests = ARRAY(
      SELECT coalesce(known, 0) + coalesce(new, 0) FROM unnest(request_count.requests, excluded.requests) WITH ORDINALITY AS sums (known, new, n) ORDER BY n)`;

/** All requests to the API that this process has answered: not those to the dashboard, and no probes. */
async function countsSoFar(registry: Registry): Promise<RequestCounts> {
  const counts = new Map<string, number[]>();
  const metric = registry.getSingleMetric(REQUEST_HISTOGRAM);
  if (!(metric instanceof Histogram)) return counts;
  const { values } = await metric.get();
  for (const { labels, value, metricName } of values) {
    const { route, method, le } = labels;
    if (metricName !== `${REQUEST_HISTOGRAM}_bucket` || le === undefined || !String(route).startsWith('/v1/')) continue;
    const name = `${method} ${route}`;
    const requests = counts.get(name) ?? Array.from({ length: REQUEST_BOUNDS_SECONDS.length + 1 }, () => 0);
    const bucket = le === '+Inf' ? REQUEST_BOUNDS_SECONDS.length : REQUEST_BOUNDS_SECONDS.indexOf(Number(le));
    requests[bucket] = (requests[bucket] ?? 0) + value;
    counts.set(name, requests);
  }
  // The buckets of prom-client are cumulative; each status has its own.
  return new Map(
    [...counts].map(([name, upTo]) => [name, upTo.map((value, i) => value - (i === 0 ? 0 : (upTo[i - 1] ?? 0)))]),
  );
}

/** What came after `before`; routes without requests are left out. */
function newCounts(now: RequestCounts, before: RequestCounts): RequestCounts {
  const added = [...now].map(([route, requests]): [string, number[]] => {
    const known = before.get(route);
    return [route, requests.map((value, i) => value - (known?.[i] ?? 0))];
  });
  return new Map(added.filter(([, requests]) => requests.some((value) => value > 0)));
}

export interface RequestRecorder {
  /** Writes what was counted since the last time. After an error it is written with the next one. @throws {ApiError} E6002 */
  flush(): Promise<void>;
  /** Writes the rest. */
  close(): Promise<void>;
}

export function recordRequests(deps: {
  readonly db: Database;
  readonly registry: Registry;
  readonly nowMs: () => number;
}): RequestRecorder {
  const { db, registry, nowMs } = deps;
  let written: RequestCounts = new Map();
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const now = await countsSoFar(registry);
    const added = newCounts(now, written);
    if (added.size === 0) return;
    // Most of the requests were answered before the middle of the time since the last flush or after it.
    const atMs = nowMs() - EVERY_MS / 2;
    const rows = COUNTED_SECONDS.flatMap((seconds) =>
      [...added].map(([route, requests]) => ({
        seconds,
        startMs: Math.floor(atMs / (seconds * 1_000)) * seconds * 1_000,
        route,
        requests,
      })),
    );
    // Sorted, so that two processes lock the rows in the same order.
    rows.sort((a, b) => a.seconds - b.seconds || a.startMs - b.startMs || (a.route < b.route ? -1 : 1));
    await db.query(ADD, ROWS.values(rows));
    written = now;
  };
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  };
  const timer = setInterval(() => void flush().catch(() => undefined), EVERY_MS);
  timer.unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      // A process that stops while the database is away loses ten seconds of counts.
      await flush().catch(() => undefined);
    },
  };
}
