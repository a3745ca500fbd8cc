// The part of BullMQ that both stores (Redis and PostgreSQL) share.
import type { Job as BullJob, IQueueBackend, JobProgress, Queue, Worker } from 'bullmq';
import type { PoolUse } from '../db/database.ts';
import { isPassing, TookTooLong } from '../db/trouble.ts';
import type { QueueName } from '../../kernel/jobs.ts';

export type BullQueue = Pick<
  Queue,
  | 'add'
  | 'addBulk'
  | 'upsertJobScheduler'
  | 'getJobScheduler'
  | 'removeJobScheduler'
  | 'getJobCounts'
  | 'getCountsPerPriority'
  | 'getJobs'
  | 'isPaused'
  | 'waitUntilReady'
  | 'close'
>;
export type BullWorker = Pick<Worker, 'run' | 'waitUntilReady' | 'close'> & {
  onFailed(listener: (job: BullJob | undefined, error: Error) => void): void;
  /** Drops the running jobs: their results are not reported any more, so that another worker takes them. */
  abandon(): void;
};

export interface WorkerSettings {
  readonly concurrency: number;
  readonly maxStalledCount: number;
  readonly lockDuration: number;
  readonly stalledInterval: number;
  readonly runRetryDelay: number;
  readonly autorun: false;
}

/** One of the two stores. All its queues, workers and clients report errors to the `onError` of the factory. */
export interface Backend {
  /** A queue that is ready. @throws within about two seconds when the store does not answer */
  openQueue(name: QueueName): Promise<BullQueue>;
  /** A worker that is not started yet. */
  createWorker(
    name: QueueName,
    process: (job: BullJob, token?: string) => Promise<void>,
    settings: WorkerSettings,
  ): BullWorker;
  /** The date of the first waiting job; undefined: none waits. */
  nextDatedMs(name: QueueName, queue: BullQueue): Promise<number | undefined>;
  /** When the first delayed job is due; undefined: none is delayed. */
  nextDelayedMs(name: QueueName, queue: BullQueue): Promise<number | undefined>;
  /** The producers' pool; undefined before the first use, and on Redis. */
  connections(): PoolUse | undefined;
  /** Closes the connections that queues and workers share. */
  close(): Promise<void>;
}

/**
 * Completed jobs are kept only for a look at the last few. Failed ones are kept longer, and recorded as dead jobs as well.
 * On PostgreSQL the end of each job reads all completed ones: with a hundred kept, that cost more than the rest of the job.
 */
export const JOB_OPTIONS = {
  removeOnComplete: { count: 10 },
  removeOnFail: { count: 10_000 },
} as const;

/** A queue of either backend, once it is ready. @throws within about two seconds when the store does not answer */
export async function openedQueue<
  Q extends BullQueue & { on(event: 'error', listener: (error: Error) => void): unknown },
>(queue: Q, store: 'PostgreSQL' | 'Redis', onError: (error: unknown) => void): Promise<Q> {
  queue.on('error', onError);
  try {
    await within(queue.waitUntilReady(), STORE_TIMEOUT_MS, `the first answer of ${store}`);
  } catch (error) {
    // A queue whose first connection failed never recovers.
    queue.close().catch(onError);
    throw error;
  }
  return queue;
}

/** The worker of either backend, with its errors reported, pauses after transient errors, and `abandon`. */
export function wrapWorker<D, R, B extends IQueueBackend, P extends JobProgress, C>(
  worker: Worker<D, R, string, B, P, C>,
  onError: (error: unknown) => void,
): BullWorker {
  worker.on('error', onError);
  pauseOnTransientErrors(worker, onError);
  return Object.assign(worker, {
    onFailed: (listener: Parameters<BullWorker['onFailed']>[0]) => void worker.on('failed', listener),
    abandon() {
      worker.close(true).catch(onError);
      // A graceful close that has begun waits for ever while Redis is away and its client pauses between two attempts to
      // connect, and `close(true)` does not interrupt it. The worker's timer would renew its locks until the process ends.
      worker['lockManager'].close().catch(onError);
      worker.getBackend().close(true).catch(onError);
    },
  });
}

type Retry = <T>(work: () => Promise<T>, options: object) => Promise<T>;

/**
 * Makes a worker pause and retry when its own statements fail with a transient error. BullMQ does so only for the connection
 * errors that it knows (ECONNREFUSED, and the text below). After any other one, such as ECONNRESET or SQLSTATE 25006, it takes
 * the next job at once, in a busy loop, and a job that could not be marked as completed counts as failed.
 */
function pauseOnTransientErrors<D, R, B extends IQueueBackend, P extends JobProgress, C>(
  worker: Worker<D, R, string, B, P, C>,
  onError: (error: unknown) => void,
): void {
  // BullMQ declares the name of its private method, and no type.
  const retry = (worker['retryIfFailed'] as Retry).bind(worker);
  // Handlers run outside of it: the consumer classifies their errors.
  worker['retryIfFailed'] = <T>(work: () => Promise<T>, options: object): Promise<T> =>
    retry(async () => {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        // BullMQ retries without reporting the error.
        onError(error);
        throw new Error('Connection is closed.', { cause: error });
      }
    }, options);
}

/** Limit for one answer of the store; the limit of `add` is a little higher. */
export const STORE_TIMEOUT_MS = 1_500;

/** The same promise, rejected after a time-out. Its operation is not cancelled and may still take effect. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(what, timeoutMs)), timeoutMs);
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
