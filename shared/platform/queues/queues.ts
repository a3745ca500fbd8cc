// Queues on BullMQ behind one factory: on Redis when there is one, else on BullMQ's own tables in the same PostgreSQL.
import type { DeadJob, JobOptions, JobRun, LockTimes } from './types.ts';
import type { Queue, Telemetry } from 'bullmq';
import { type Job, type JobName, type JobPayload, QUEUE_NAMES, type QueueName } from '../../kernel/jobs.ts';
import type { PoolUse } from '../db/database.ts';
import type { Backend, BullQueue } from './backend.ts';
import { within } from './backend.ts';
import { type Consumer, startConsumer } from './consumer.ts';
import type { RedisStore } from './installation.ts';
import { createPostgresBackend } from './postgres.ts';
import { createRedisBackend } from './redis.ts';

export { evictionProblem } from './redis.ts';

export interface QueueOptions {
  readonly databaseUrl: string;
  /** When given, the queues are in Redis. */
  readonly redis?: RedisStore | undefined;
  /** Called with every error of a queue, worker or client. An `error` event without a listener would end the process. */
  readonly onError: (error: unknown) => void;
  /**
   * Most PostgreSQL connections of the producers. Default: 2. On PostgreSQL a process opens at most these, and three for
   * each queue that it works on (two for queries, one that listens). On Redis it opens one, one more when it works on
   * queues, and one for each of those.
   */
  readonly connections?: number;
  /** The id and the retries of a job. A process without it adds and schedules no jobs. */
  readonly jobOptions?: (job: Job) => JobOptions;
  /**
   * Whether an error is transient, such as a store that is away. Then the handler runs again until it succeeds or fails
   * otherwise, and no attempt is counted. Default: never.
   */
  readonly isPassing?: (error: unknown) => boolean;
  /** Called after each run of a handler. */
  readonly onJob?: (run: JobRun) => void;
  /** Makes a span of each run of a job; absent: no spans. */
  readonly telemetry?: Telemetry | undefined;
  /** The database's clock, by which jobs are dated. Default: this machine's. */
  readonly nowMs?: () => number;
  /** Shorter in tests of crashes. */
  readonly locks?: LockTimes;
}

/** One handler per job name. It may run more than once for one job, and in several workers at the same time. */
export type Handlers<Q extends QueueName> = {
  readonly [N in JobName<Q>]: (payload: JobPayload<Q, N>) => Promise<void>;
};

/** Called for a dead job, by job name; may be called more than once for one job. */
export type DeadHooks<Q extends QueueName> = {
  readonly [N in JobName<Q>]?: (payload: JobPayload<Q, N>, error: Error) => Promise<void>;
};

export interface WorkOptions {
  /** Most jobs of the queue that run at the same time in this process. */
  readonly concurrency: number;
  /** Called for each dead job, and repeated until it has succeeded (at-least-once). */
  readonly onDead?: (job: DeadJob) => Promise<void>;
}

export interface QueueCounts {
  /** Also in a paused queue. */
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Dead jobs that the store still holds: the newest 10,000. */
  readonly failed: number;
  /** Age of the first waiting job, or of a delayed one since its time came, whichever is older; 0: no job is due. */
  readonly oldestDueMs: number;
  /** Whether somebody paused the queue: then workers take no job of it. */
  readonly isPaused: boolean;
}

export interface Producer {
  /**
   * Queues jobs. When it rejects, some of them may be queued already: repeat the whole batch.
   * @throws within 2 s while the store is away.
   */
  add(jobs: readonly Job[]): Promise<void>;
}

export interface Queues extends Producer {
  /**
   * Ensures that a job is queued at this interval, once for the whole installation. Idempotent: a repeated call changes
   * nothing, unless the next run is later than the interval allows.
   * @throws within 2 s while the store is away.
   */
  every(job: Job, everyMs: number): Promise<void>;
  /** Starts to take jobs of a queue, as soon as the store answers. Call it once for each queue. */
  work<Q extends QueueName>(queue: Q, handlers: Handlers<Q>, options: WorkOptions): void;
  /** @throws within 2 s while the store is away. */
  counts(queue: QueueName): Promise<QueueCounts>;
  /**
   * When the work of the first waiting job was accepted; undefined: none waits. Jobs wait in the order in which their work
   * was accepted, so no job of earlier work waits. @throws within 2 s while the store is away.
   */
  oldestWaitingAtMs(queue: QueueName): Promise<number | undefined>;
  /** The producers' pool of connections to PostgreSQL; undefined before the first use, and on Redis. */
  connections(): PoolUse | undefined;
  /** BullMQ's own queues, for tools that show them. @throws within 2 s while the store is away. */
  opened(): Promise<readonly Queue[]>;
  /**
   * Takes no new jobs, waits for the running ones (20 s by default), and closes every connection. A job that still runs
   * after that is left to another worker.
   */
  close(timeoutMs?: number): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1_900;
const CLOSE_TIMEOUT_MS = 20_000;
/** Two correct clocks may differ by as much. */
const CLOCK_TOLERANCE_MS = 1_000;
const LOCKS: LockTimes = { lockMs: 10_000, lookMs: 5_000 };

/** Connects at the first use. */
export function createQueues(options: QueueOptions): Queues {
  const { databaseUrl, redis, onError, connections = 2, locks = LOCKS, telemetry, nowMs = Date.now } = options;
  const backend: Backend =
    redis === undefined
      ? createPostgresBackend(databaseUrl, connections, onError, telemetry)
      : createRedisBackend(redis, onError, telemetry);
  const queues = new Map<QueueName, Promise<BullQueue>>();
  const consumers: Consumer[] = [];
  /** The intervals of the jobs that this process has scheduled: an earlier version may have used others. */
  const scheduled = new Map<string, number>();

  const queueOf = (name: QueueName): Promise<BullQueue> => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const opening = backend.openQueue(name);
    queues.set(name, opening);
    opening.catch(() => queues.delete(name));
    return opening;
  };
  const ask = <T>(name: QueueName, question: (queue: BullQueue) => Promise<T>): Promise<T> =>
    within(queueOf(name).then(question), ANSWER_TIMEOUT_MS, `an answer of the queue ${name}`);
  const optionsOf = (job: Job): JobOptions => {
    if (options.jobOptions === undefined) throw new Error('queues without jobOptions add no jobs');
    return options.jobOptions(job);
  };

  return {
    async add(jobs) {
      await Promise.all(
        QUEUE_NAMES.map(async (name) => {
          const members = jobs.filter((job) => job.queue === name);
          if (members.length === 0) return;
          const bulk = members.map((job) => ({
            name: job.name,
            data: job.payload,
            opts: {
              ...optionsOf(job),
              timestamp: job.acceptedAtMs ?? nowMs(),
              ...(telemetry === undefined ? {} : telemetryOf(job.payload.traceparent)),
            },
          }));
          const [first, ...others] = bulk;
          await ask(name, async (queue): Promise<unknown> => {
            // On PostgreSQL a bulk insert creates and drops two tables, which takes 6 ms; single wake-ups come 20 times a second.
            if (first === undefined || others.length > 0) return queue.addBulk(bulk);
            return queue.add(first.name, first.data, first.opts);
          });
        }),
      );
    },
    async every(job, everyMs) {
      const { queue, name, payload } = job;
      const { attempts, backoff } = optionsOf(job);
      await ask(queue, async (opened) => {
        const next = (await opened.getJobScheduler(name))?.next ?? 0;
        // It was scheduled by a clock that ran ahead and was corrected since. Nothing would be queued until that time.
        const isTooLate = next > nowMs() + 2 * everyMs + CLOCK_TOLERANCE_MS;
        // The next run is set when a run begins, so it is in the past only while the run is late, or when its job is lost.
        if (!isTooLate && next > nowMs() - CLOCK_TOLERANCE_MS && scheduled.get(`${queue} ${name}`) === everyMs) return;
        if (isTooLate) await opened.removeJobScheduler(name);
        await opened.upsertJobScheduler(name, { every: everyMs }, { name, data: payload, opts: { attempts, backoff } });
        scheduled.set(`${queue} ${name}`, everyMs);
      });
    },
    work(queue, handlers, { concurrency, onDead }) {
      consumers.push(
        startConsumer({
          queue,
          handlers,
          concurrency,
          onDead,
          backend,
          locks,
          failedJobs: () => ask(queue, (opened) => opened.getJobs(['failed'], 0, 999)),
          isPassing: options.isPassing ?? (() => false),
          onJob: options.onJob ?? (() => undefined),
          onError,
        }),
      );
    },
    counts: (name) =>
      ask(name, async (queue) => {
        const [counts, { 0: waiting = 0 }, isPaused, datedMs, delayedUntilMs] = await Promise.all([
          queue.getJobCounts('active', 'delayed', 'failed'),
          // No job has a priority. On PostgreSQL `getJobCounts` has 0 waiting jobs for a paused queue.
          queue.getCountsPerPriority([0]),
          queue.isPaused(),
          backend.nextDatedMs(name, queue),
          backend.nextDelayedMs(name, queue),
        ]);
        const { active = 0, delayed = 0, failed = 0 } = counts;
        const now = nowMs();
        // Only workers make delayed jobs wait, so without a worker they stay delayed after their time.
        const oldestDueMs = Math.max(0, now - (datedMs ?? now), now - (delayedUntilMs ?? now));
        return { waiting, active, delayed, failed, oldestDueMs, isPaused };
      }),
    oldestWaitingAtMs: (name) => ask(name, (queue) => backend.nextDatedMs(name, queue)),
    connections: () => backend.connections(),
    opened: () =>
      // Both backends open a whole BullMQ queue; BullQueue names the part that is used here.
      Promise.all(QUEUE_NAMES.map((name) => ask(name, async (queue) => queue as Queue))),
    async close(timeoutMs = CLOSE_TIMEOUT_MS) {
      await Promise.all(consumers.map((consumer) => consumer.close(timeoutMs)));
      for (const opening of queues.values())
        await within(
          opening.then((queue) => queue.close()),
          ANSWER_TIMEOUT_MS,
          'closing a queue',
        ).catch(() => undefined);
      await within(backend.close(), ANSWER_TIMEOUT_MS, 'closing the connections').catch(onError);
    },
  };
}

/**
 * Job options with which each run continues the given trace. The span that is active when the job is added, such as one of the
 * relay, is not its cause, so BullMQ must not take it instead (`omitContext`).
 */
function telemetryOf(traceparent: string | undefined): {
  telemetry: { metadata?: string; omitContext: true };
} {
  return {
    telemetry: {
      omitContext: true,
      ...(traceparent === undefined ? {} : { metadata: JSON.stringify({ traceparent }) }),
    },
  };
}
