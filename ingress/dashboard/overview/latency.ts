// Latency of requests to this process: quantiles of the last minute, from the histogram of /metrics.
import { Histogram, type Registry } from 'prom-client';
import type { LatencyRow, SystemState } from '../client/wire.ts';

const METRIC = 'custos_http_request_duration_seconds';
const SAMPLE_MS = 5_000;
/** Samples in a minute. */
const SAMPLES = 12;
const ROWS = 6;

/** Cumulative counts by upper bound of the bucket in seconds. */
type Counts = Map<number, number>;
type Snapshot = Map<string, Counts>;

export interface LatencyWatch {
  read(): Promise<SystemState['latency']>;
  close(): void;
}

export function watchLatency(registry: Registry, monotonicMs: () => number): LatencyWatch {
  const startedMs = monotonicMs();
  const samples: { readonly atMs: number; readonly snapshot: Snapshot }[] = [];

  const take = async (): Promise<Snapshot> => {
    const snapshot: Snapshot = new Map();
    const metric = registry.getSingleMetric(METRIC);
    if (!(metric instanceof Histogram)) return snapshot;
    const { values } = await metric.get();
    for (const { labels, value, metricName } of values) {
      const { route, method, le } = labels;
      // Only the API: not the dashboard, and no probes.
      if (metricName !== `${METRIC}_bucket` || le === undefined || !String(route).startsWith('/v1/')) continue;
      const name = `${method} ${route}`;
      const counts: Counts = snapshot.get(name) ?? new Map<number, number>();
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      counts.set(bound, (counts.get(bound) ?? 0) + value);
      snapshot.set(name, counts);
    }
    return snapshot;
  };
  const sample = async (): Promise<void> => {
    samples.push({ atMs: monotonicMs(), snapshot: await take() });
    if (samples.length > SAMPLES) samples.shift();
  };
  const timer = setInterval(() => void sample().catch(() => undefined), SAMPLE_MS);
  timer.unref();

  return {
    async read() {
      const now = await take();
      // In the first minute: all requests since the start.
      const base = samples.length === SAMPLES ? samples[0] : undefined;
      const rows: LatencyRow[] = [];
      for (const [route, counts] of now) {
        const earlier = base?.snapshot.get(route);
        const recent = new Map([...counts].map(([bound, count]) => [bound, count - (earlier?.get(bound) ?? 0)]));
        const requests = recent.get(Number.POSITIVE_INFINITY) ?? 0;
        if (requests > 0)
          rows.push({ route, requests, p50Ms: 1_000 * quantile(recent, 0.5), p99Ms: 1_000 * quantile(recent, 0.99) });
      }
      rows.sort((a, b) => b.requests - a.requests);
      return {
        overSeconds: Math.round((monotonicMs() - (base?.atMs ?? startedMs)) / 1_000),
        rows: rows.slice(0, ROWS),
      };
    },
    close: () => clearInterval(timer),
  };
}

/**
 * A quantile of a histogram, as Prometheus' histogram_quantile estimates it: values are assumed to be evenly spread within
 * their bucket; beyond the last finite bound it is that bound.
 * @param counts cumulative, by upper bound
 * @param part 0..1
 */
export function quantile(counts: ReadonlyMap<number, number>, part: number): number {
  const bounds = [...counts.keys()].sort((a, b) => a - b);
  const rank = part * (counts.get(Number.POSITIVE_INFINITY) ?? 0);
  let lower = 0;
  let below = 0;
  for (const bound of bounds) {
    const count = counts.get(bound) ?? 0;
    if (count >= rank && count > below) {
      if (bound === Number.POSITIVE_INFINITY) return lower;
      return lower + (bound - lower) * ((rank - below) / (count - below));
    }
    lower = bound === Number.POSITIVE_INFINITY ? lower : bound;
    below = count;
  }
  return lower;
}
