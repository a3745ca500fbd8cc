// Metrics of a worker process: queues, jobs, the outbox and dead jobs, read at each scrape.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../shared/platform/db/database.ts';
import { QUEUE_NAMES } from '../shared/kernel/jobs.ts';
import { watchAges } from './age-metrics.ts';
import { watchLogs } from './log-metrics.ts';
import type { Queues } from '../shared/platform/queues/queues.ts';
import type { JobRun } from '../shared/platform/queues/types.ts';
import { countDeadJobs } from '../shared/platform/queues/dead-jobs.ts';

/** In seconds: from a wake-up that finds nothing to an append of thousands of rows. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Results of an attempt to send a webhook. */
const DELIVERY_OUTCOMES = ['delivered', 'retried', 'failed'] as const;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface WorkerMetricsDeps {
  readonly db: Database;
  readonly queues: Pick<Queues, 'counts'>;
}

export interface WorkerMetrics {
  readonly registry: Registry;
  /** For `onJob` of createQueues. */
  observeJob(run: JobRun): void;
  /** Counts an attempt to send a webhook. */
  countDelivery(outcome: (typeof DELIVERY_OUTCOMES)[number]): void;
  /** Adds the metrics of these stores. */
  watch(deps: WorkerMetricsDeps): void;
  /** The exposition text and its content type. Metrics of a store that is away are absent. */
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
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);
  return {
    registry,
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    observeJob: ({ queue, name, outcome, durationMs }) =>
      duration.observe({ queue, name, outcome }, durationMs / 1_000),
    watch({ db, queues }) {
      watchLogs(registry, db);
      watchAges(registry, db);
      const oldest = new Gauge({
        name: 'custos_queue_oldest_waiting_seconds',
        help: 'Age of the first waiting job, by queue; 0 when none waits',
        labelNames: ['queue'] as const,
        registers,
      });
      new Gauge({
        name: 'custos_queue_jobs',
        help: 'Jobs by queue and state (waiting, active, delayed, failed)',
        labelNames: ['queue', 'state'] as const,
        registers,
        async collect() {
          await Promise.all(
            QUEUE_NAMES.map(async (queue) => {
              const counts = await queues.counts(queue).catch(() => undefined);
              if (counts === undefined) {
                oldest.remove({ queue });
                for (const state of STATES) this.remove({ queue, state });
                return;
              }
              oldest.set({ queue }, counts.oldestDueMs / 1_000);
              for (const state of STATES) this.set({ queue, state }, counts[state]);
            }),
          );
        },
      });
      new Gauge({
        name: 'custos_dead_jobs',
        help: 'Dead jobs that wait for a decision, by queue',
        labelNames: ['queue'] as const,
        registers,
        async collect() {
          const open = await countDeadJobs(db).catch(() => undefined);
          for (const queue of QUEUE_NAMES) {
            if (open === undefined) this.remove({ queue });
            else this.set({ queue }, open.get(queue) ?? 0);
          }
        },
      });
    },
    expose: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
