// Metrics of one process: the HTTP histogram in a separate prom-client registry, because a test process may run two services.
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export const REQUEST_HISTOGRAM = 'custos_http_request_duration_seconds';

export interface Metrics {
  readonly registry: Registry;
  /** Records one answered request. `route` is the path template, not the path, so that the number of series stays bounded. */
  observeRequest(route: string, method: string, status: number, durationMs: number): void;
  /** The exposition text and its content type. */
  expose(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/**
 * Upper bounds of the histogram's buckets in seconds, with the objectives of 40 ms and 2 s among them. The table request_count
 * has an array with a number for each: a change of the bounds needs a migration that empties it.
 */
export const REQUEST_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export interface MetricsOptions {
  /** Also collect metrics of Node.js and the process; off in tests with many registries. Default: true. */
  readonly processMetrics?: boolean;
}

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (options.processMetrics !== false) collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: REQUEST_HISTOGRAM,
    help: 'Time from a request to its answer, by route, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: REQUEST_BOUNDS_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    observeRequest: (route, method, status, durationMs) =>
      duration.observe({ route, method, status }, durationMs / 1_000),
    expose: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

/** Adds the counter of log lines that found no room (line-writer.ts). */
export function countDroppedLines(registry: Registry, dropped: () => number): void {
  new Counter({
    name: 'custos_log_lines_dropped_total',
    help: 'Log lines that were dropped because the output was not read, or was full',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dropped());
    },
  });
}
