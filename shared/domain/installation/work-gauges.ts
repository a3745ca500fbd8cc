// Gauges of workers, waiting work and the database.
import { QUEUE_NAMES } from '../../kernel/jobs.ts';
import { ALIVE_WITHIN_SECONDS, processesAlive } from '../../platform/process/heartbeat.ts';
import { within } from '../../platform/queues/backend.ts';
import { countDeadJobs } from '../../platform/queues/dead-jobs.ts';
import { countWaitingIntents, readBacklog, readQueues } from './backlog.ts';
import { type GaugeGroup, gaugeGroup, type InstallationDeps } from './gauge-group.ts';

/** Shorter than the deadline of a scrape: the ages of rows are served while the queues' store is away. */
const STORE_TIMEOUT_MS = 500;
/** The size of a database of many files takes a while to compute, as a count of rows does, and changes slowly. */
const SIZE_FRESH_MS = 60_000;
const SIZE = 'SELECT pg_database_size(current_database())::float8 AS bytes';
/** Absent before the first process has counted. */
const HISTORY_LAG =
  'SELECT extract(epoch FROM now() - counted_to)::float8 AS seconds FROM agent_history_to WHERE counted_to > to_timestamp(0)';
/** Rows that are counted at most. */
const MOST_ROWS = 100_000;
const DEFAULT_ROWS = ['decision', 'intent_parse']
  .map(
    (table) =>
      `SELECT '${table}' AS "table", (SELECT count(*) FROM (SELECT FROM ${table}_default LIMIT ${MOST_ROWS}) AS found)::float8 AS rows`,
  )
  .join(' UNION ALL ');
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

async function queuesOf({ sql, queues }: InstallationDeps) {
  const backlog = await readBacklog(sql);
  const counts: typeof queues.counts = (queue) =>
    within(queues.counts(queue), STORE_TIMEOUT_MS, `the jobs of the queue ${queue}`);
  return readQueues({ counts }, backlog.queues);
}

export const WORK_GAUGES: readonly GaugeGroup[] = [
  gaugeGroup({
    read: async ({ sql }) => (await processesAlive(sql, 'workers')).length,
    gauges: [
      {
        name: 'custos_workers_alive',
        help: `Worker processes whose last heartbeat is at most ${ALIVE_WITHIN_SECONDS} seconds old`,
        samples: (alive) => [{ value: alive }],
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => readBacklog(sql),
    gauges: [
      {
        name: 'custos_outbox_oldest_seconds',
        help: 'Age of the oldest accepted work that no queue has yet; 0 when there is none',
        samples: ({ outbox }) => [{ value: outbox }],
      },
      {
        name: 'custos_log_inbox_oldest_seconds',
        help: 'Age of the oldest record that is promised and not in its signed log yet; 0 when there is none',
        samples: ({ queues }) => [{ value: queues.proofs }],
      },
      {
        name: 'custos_trust_inbox_oldest_seconds',
        help: 'Age of the oldest signal that is in no score yet; 0 when there is none',
        samples: ({ queues }) => [{ value: queues.trust }],
      },
      {
        name: 'custos_webhook_oldest_seconds',
        help: 'Age of the oldest message that a webhook has not received yet; 0 when there is none',
        samples: ({ webhookMessage }) => [{ value: webhookMessage }],
      },
    ],
  }),
  gaugeGroup({
    read: queuesOf,
    gauges: [
      {
        name: 'custos_queue_oldest_waiting_seconds',
        help: 'Age of the oldest accepted work of the queue that is not done, or of its first job that is due; 0 when there is none',
        labelNames: ['queue'],
        samples: (queues) =>
          queues.flatMap(({ queue, oldestSeconds }) =>
            oldestSeconds === undefined ? [] : [{ labels: { queue }, value: oldestSeconds }],
          ),
      },
      {
        name: 'custos_queue_jobs',
        help: 'Jobs by queue and state (waiting, active, delayed, failed)',
        labelNames: ['queue', 'state'],
        samples: (queues) =>
          queues.flatMap(({ queue, jobs }) =>
            jobs === undefined ? [] : STATES.map((state) => ({ labels: { queue, state }, value: jobs[state] })),
          ),
      },
      {
        name: 'custos_queue_paused',
        help: 'Whether somebody paused the queue, so that workers take no job of it (1) or not (0)',
        labelNames: ['queue'],
        samples: (queues) =>
          queues.flatMap(({ queue, jobs }) =>
            jobs === undefined ? [] : [{ labels: { queue }, value: Number(jobs.isPaused) }],
          ),
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => countWaitingIntents(sql),
    gauges: [
      {
        name: 'custos_intents_waiting',
        help: 'Submitted intents that wait for a worker, and not for an approval',
        samples: (waiting) => [{ value: waiting }],
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => countDeadJobs(sql),
    gauges: [
      {
        name: 'custos_dead_jobs',
        help: 'Dead jobs that wait for a decision, by queue',
        labelNames: ['queue'],
        samples: (dead) => QUEUE_NAMES.map((queue) => ({ labels: { queue }, value: dead.get(queue) ?? 0 })),
      },
    ],
  }),
  gaugeGroup({
    read: ({ sql }) => sql.query<{ seconds: number }>(HISTORY_LAG, []),
    gauges: [
      {
        name: 'custos_agent_history_lag_seconds',
        help: 'Age of the decisions up to which the histories of agents are counted; normally one to two minutes',
        samples: (rows) => rows.map(({ seconds }) => ({ value: seconds })),
      },
    ],
  }),
  gaugeGroup({
    freshMs: SIZE_FRESH_MS,
    read: ({ sql }) => sql.query<{ table: string; rows: number }>(DEFAULT_ROWS, []),
    gauges: [
      {
        name: 'custos_default_partition_rows',
        help: `Rows that are in no partition of their time, ${MOST_ROWS} at most; normally 0`,
        labelNames: ['table'],
        samples: (tables) => tables.map(({ table, rows }) => ({ labels: { table }, value: rows })),
      },
    ],
  }),
  gaugeGroup({
    freshMs: SIZE_FRESH_MS,
    read: ({ sql }) => sql.query<{ bytes: number }>(SIZE, []),
    gauges: [
      {
        name: 'custos_database_size_bytes',
        help: 'Size of the database on disk, without the write-ahead log',
        samples: (rows) => rows.map(({ bytes }) => ({ value: bytes })),
      },
    ],
  }),
];
