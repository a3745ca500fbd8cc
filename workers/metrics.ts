// Metrics of a worker process: its jobs and the webhooks that it sends.
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { JobRun } from '../shared/platform/queues/types.ts';
import type { PartitionedTable } from './jobs/retain-partitions.ts';

/** In seconds: from a wake-up that finds nothing to an append of thousands of rows. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Results of an attempt to send a webhook. */
const DELIVERY_OUTCOMES = ['delivered', 'retried', 'failed'] as const;

export interface WorkerMetrics {
  readonly registry: Registry;
  /** For `onJob` of createQueues. */
  observeJob(run: JobRun): void;
  /** Counts an attempt to send a webhook. */
  countDelivery(outcome: (typeof DELIVERY_OUTCOMES)[number]): void;
  /** Counts a partition that retention dropped. */
  countDropped(table: PartitionedTable): void;
  /** The exposition text and its content type. */
  expose(): Promise<{ readonly text: string; readonly contentType: string }>;
}

export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'custos_job_duration_seconds',
    help: 'Time a handler took, by queue, job name and outcome (completed; failed: it runs again; dead: no attempts are left)',
    labelNames: ['queue', 'name', 'outcome'] as const,
    buckets: BUCKETS,
    registers,
  });
  const deliveries = new Counter({
    name: 'custos_webhook_attempts_total',
    help: 'Attempts to send a webhook, by outcome (delivered; retried: it is sent again; failed: it is not)',
    labelNames: ['outcome'] as const,
    registers,
  });
  const dropped = new Counter({
    name: 'custos_partitions_dropped_total',
    help: 'Partitions that retention dropped, by table (decision; intent_parse)',
    labelNames: ['table'] as const,
    registers,
  });
  for (const table of ['decision', 'intent_parse']) dropped.inc({ table }, 0);
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);
  return {
    registry,
    countDropped: (table) => dropped.inc({ table }),
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    observeJob: ({ queue, name, outcome, durationMs }) =>
      duration.observe({ queue, name, outcome }, durationMs / 1_000),
    expose: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
