// Queues on BullMQ behind one factory: on Redis when there is one, else on BullMQ's own tables in the same PostgreSQL.
import type { DeadJob, JobRun, LockTimes } from './types.ts';
import type { Queue, Telemetry } from 'bullmq';
import { type Job, type JobName, type JobPayload, QUEUE_NAMES, type QueueName } from '../../kernel/jobs.ts';
import type { Backend, BullQueue } from './backend.ts';
import { within } from './backend.ts';
import { type Consumer, startConsumer } from './consumer.ts';
import { createPostgresBackend } from './postgres.ts';
import { createRedisBackend } from './redis.ts';
import { idOptionsOf } from './job-id.ts';
import { telemetryOf } from '../observe/telemetry.ts';

export { evictionProblem } from './redis.ts';

export interface QueueOptions {
  readonly databaseUrl: string;
  /** With it queues live in Redis. */
  readonly redisUrl?: string | undefined;
  /** Every queue, worker and client reports here; an `error` event without a listener would end the process. */
  readonly onError: (error: unknown) => void;
  /**
   * Most PostgreSQL connections of the producers. Default: 2. On PostgreSQL a process opens at most these and three for
   * each queue it works on (two for queries, one that listens); on Redis one, and when it works on queues another, and
   * one for each of them.
   */
  readonly connections?: number;
  /**
   * Whether what a handler threw is trouble that passes by itself, such as a store that is away. Then the handler is
   * started again, for as long as it takes, and no attempt is counted. Default: never.
   */
  readonly isPassing?: (error: unknown) => boolean;
  /** Hears of every end of a handler. */
  readonly onJob?: (run: JobRun) => void;
  /** Makes a span of each run of a job; absent: none. */
  readonly telemetry?: Telemetry | undefined;
  /** The database's clock, by which jobs are dated. Default: this machine's. */
  readonly nowMs?: () => number;
  /** For tests of crashes; see there for the meaning and the defaults. */
  readonly locks?: LockTimes;
}

/** What is done for each name of a queue. It may be started more than once for one job, and by several workers at once. */
export type Handlers<Q extends QueueName> = {
  readonly [N in JobName<Q>]: (payload: JobPayload<Q, N>) => Promise<void>;
};

/** What else is to be done when a job of a name is given up; may be called more than once for one job. */
export type DeadHooks<Q extends QueueName> = {
  readonly [N in JobName<Q>]?: (payload: JobPayload<Q, N>, error: Error) => Promise<void>;
};

export interface WorkOptions {
  /** Jobs of the queue that run at once in this process. */
  readonly concurrency: number;
  /** Called for each job that is given up, again and again until it succeeds once (and perhaps once more). */
  readonly onDead?: (job: DeadJob) => Promise<void>;
}

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Given up, kept to be looked at; the newest 10,000. */
  readonly failed: number;
  /** Age of the job that waits longest; 0 when none waits. */
  readonly oldestWaitingMs: number;
}

export interface Producer {
  /**
   * Queues jobs. When it rejects, some may be queued all the same: the whole batch is to be repeated.
   * @throws within 2 s while the store is away.
   */
  add(jobs: readonly Job[]): Promise<void>;
}

export interface Queues extends Producer {
  /**
   * Makes sure that a job is made every so often, once for the whole installation. Repeating it changes nothing, unless
   * the next one is further away than it can be.
   * @throws within 2 s while the store is away.
   */
  every<Q extends QueueName, N extends JobName<Q>>(
    queue: Q,
    name: N,
    everyMs: number,
    payload: JobPayload<Q, N>,
  ): Promise<void>;
  /** Takes jobs of a queue from now on, as soon as the store answers. Once for each queue. */
  work<Q extends QueueName>(queue: Q, handlers: Handlers<Q>, options: WorkOptions): void;
  /** @throws within 2 s while the store is away. */
  counts(queue: QueueName): Promise<QueueCounts>;
  /**
   * When the work of the job that is next in line was accepted; undefined: none waits. As jobs wait in the order in which
   * their work was accepted, the job of earlier work is not waiting any more. @throws within 2 s while the store is away.
   */
  oldestWaitingAtMs(queue: QueueName): Promise<number | undefined>;
  /** BullMQ's own queues, for tools that show them. @throws within 2 s while the store is away. */
  opened(): Promise<readonly Queue[]>;
  /**
   * Takes no new job, waits for the running ones (20 s when not told otherwise), and closes every connection. A job
   * that still runs then is left to another worker.
   */
  close(timeoutMs?: number): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1_900;
const CLOSE_TIMEOUT_MS = 20_000;
/** As much as two clocks that are right may differ. */
const LATE_MS = 1_000;
const LOCKS: LockTimes = { lockMs: 10_000, lookMs: 5_000 };

/** Connects when first used. */
export function createQueues(options: QueueOptions): Queues {
  const { databaseUrl, redisUrl, onError, connections = 2, locks = LOCKS, telemetry, nowMs = Date.now } = options;
  const backend: Backend =
    redisUrl === undefined
      ? createPostgresBackend(databaseUrl, connections, onError, telemetry)
      : createRedisBackend(redisUrl, onError, telemetry);
  const queues = new Map<QueueName, Promise<BullQueue>>();
  const consumers: Consumer[] = [];

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
              ...idOptionsOf(job),
              timestamp: job.acceptedAtMs ?? nowMs(),
              ...(telemetry === undefined ? {} : telemetryOf(job.payload.traceparent)),
            },
          }));
          const [first, ...others] = bulk;
          await ask(name, async (queue): Promise<unknown> => {
            // Its bulk insert makes and drops two tables in PostgreSQL each time: 6 ms for a single wake-up, 20 times a second.
            if (first === undefined || others.length > 0) return queue.addBulk(bulk);
            return queue.add(first.name, first.data, first.opts);
          });
        }),
      );
    },
    async every(queue, name, everyMs, payload) {
      await ask(queue, async (opened) => {
        const next = (await opened.getJobScheduler(name))?.next ?? 0;
        // Scheduled by a clock that was ahead and has been put right: until then nothing would be made.
        if (next > nowMs() + 2 * everyMs + LATE_MS) await opened.removeJobScheduler(name);
        return opened.upsertJobScheduler(name, { every: everyMs }, { name, data: payload });
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
        const [counts, datedMs] = await Promise.all([
          queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
          backend.nextDatedMs(name, queue),
        ]);
        const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
        const oldestWaitingMs = datedMs === undefined ? 0 : Math.max(0, nowMs() - datedMs);
        return { waiting, active, delayed, failed, oldestWaitingMs };
      }),
    oldestWaitingAtMs: (name) => ask(name, (queue) => backend.nextDatedMs(name, queue)),
    opened: () =>
      // Both backends open whole queues; what is used of them here is less.
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
