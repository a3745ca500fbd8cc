// What is used of BullMQ, whichever store it keeps its jobs in.
import type { Job as BullJob, IQueueBackend, JobProgress, Queue, Worker } from 'bullmq';
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
  | 'getJobs'
  | 'waitUntilReady'
  | 'close'
>;
export type BullWorker = Pick<Worker, 'run' | 'waitUntilReady' | 'close'> & {
  onFailed(listener: (job: BullJob | undefined, error: Error) => void): void;
  /** Gives up what still runs: its result is not reported any more, so that another worker takes the job. */
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

/** One of the two stores. Everything it opens reports its errors to the `onError` it was made with. */
export interface Backend {
  /** A queue that answers now. @throws within about two seconds when the store does not. */
  openQueue(name: QueueName): Promise<BullQueue>;
  /** A worker that does not run yet. */
  createWorker(
    name: QueueName,
    process: (job: BullJob, token?: string) => Promise<void>,
    settings: WorkerSettings,
  ): BullWorker;
  /** When the job that is next in line was dated; undefined: none waits. */
  nextDatedMs(name: QueueName, queue: BullQueue): Promise<number | undefined>;
  /** Closes the connections that queues and workers shared. */
  close(): Promise<void>;
}

/**
 * Jobs that ended well are of no use any more, but for a look at the last few; failed ones are looked at, and recorded
 * elsewhere too. In PostgreSQL each end of a job reads all that are kept: with a hundred it cost more than the rest of the job.
 */
export const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { count: 10 },
  removeOnFail: { count: 10_000 },
} as const;

type Retry = <T>(work: () => Promise<T>, options: object) => Promise<T>;

/**
 * Makes a worker rest and repeat when its own statements fail for a reason that passes. BullMQ does so only for errors that
 * it knows as the connection's (ECONNREFUSED, and the text below). After any other one, such as ECONNRESET or SQLSTATE 25006,
 * it takes the next job at once, again and again; and a job that is done and could not be marked as done counts as failed.
 */
export function restInTrouble<D, R, B extends IQueueBackend, P extends JobProgress, C>(
  worker: Worker<D, R, string, B, P, C>,
  onError: (error: unknown) => void,
): void {
  // BullMQ declares the name of its private method, and no type.
  const retry = (worker['retryIfFailed'] as Retry).bind(worker);
  // Handlers run outside of it: what they throw is judged by the consumer.
  worker['retryIfFailed'] = <T>(work: () => Promise<T>, options: object): Promise<T> =>
    retry(async () => {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        // BullMQ repeats in silence.
        onError(error);
        throw new Error('Connection is closed.', { cause: error });
      }
    }, options);
}

/** What `abandon` does, whichever backend and connection the worker has. */
export function abandonWorker<D, R, B extends IQueueBackend, P extends JobProgress, C>(
  worker: Worker<D, R, string, B, P, C>,
  onError: (error: unknown) => void,
): void {
  worker.close(true).catch(onError);
  // An end that was begun in order waits for ever when the client of a Redis that is away rests between two tries to
  // connect, and can not be forced any more. Until the end of the process the worker's timer would renew its locks.
  worker['lockManager'].close().catch(onError);
  worker.getBackend().close(true).catch(onError);
}

/** How long anybody waits for an answer of the store; the bound of `add` is a little above. */
export const STORE_TIMEOUT_MS = 1_500;

/** The same promise, rejected when it takes too long. What it does may still happen. */
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
