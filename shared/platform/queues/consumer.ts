// The consumer of one queue: runs its jobs, waits while the store is away, and reports dead jobs.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job as BullJob } from 'bullmq';
import type { QueueName } from '../../kernel/jobs.ts';
import type { DeadJob, JobRun, LockTimes } from './types.ts';
import { type Backend, type BullWorker, within } from './backend.ts';

export interface ConsumerOptions {
  readonly queue: QueueName;
  /** By job name; each takes the payload of its own job. */
  readonly handlers: Readonly<Record<string, (payload: never) => Promise<void>>>;
  readonly concurrency: number;
  readonly onDead: ((job: DeadJob) => Promise<void>) | undefined;
  readonly backend: Backend;
  readonly locks: LockTimes;
  /** The newest failed jobs of all workers. */
  readonly failedJobs: () => Promise<BullJob[]>;
  readonly isPassing: (error: unknown) => boolean;
  readonly onJob: (run: JobRun) => void;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  /** Waits for the running jobs, at most this long. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * How often a job may be found abandoned before it is dead. BullMQ counts a crash as no attempt, so without this limit a job
 * that crashes its process would run for ever. Starts are not counted, because a worker that is stopped while a store is
 * away has started its job in vain.
 */
const MAX_ABANDONED = 4;
/** First pause before a retry, here and in BullMQ (whose default is 15 s). */
const RETRY_MS = 500;
/** Limit of the exponential back-off after transient errors: work moves again within seconds after a store is back. */
const RETRY_MAX_MS = 2_000;
/** Interval of the search for dead jobs that are not recorded yet. */
const FIND_DEAD_EVERY_MS = 10_000;
/** Recorded failures that are remembered, so that a search does not record them again. A search returns fewer. */
const REMEMBERED = 5_000;
/** Time for the last calls to the stores after all handlers have ended. */
const GRACE_MS = 1_000;

export function startConsumer(options: ConsumerOptions): Consumer {
  const { queue, handlers, backend, locks, onDead, onError } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const recorded = new BoundedCache<true>({ max: REMEMBERED });
  const recording = new Set<Promise<void>>();
  const running = new Set<Promise<void>>();
  let worker: BullWorker | undefined;

  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);

  /** Returns a job to the queue that this process cannot finish now. It counts as no attempt, and any worker may take it. */
  const giveBack = async (job: BullJob, token: string | undefined, reason: Error): Promise<never> => {
    try {
      await job.moveToDelayed(Date.now() + RETRY_MS, token);
    } catch (error) {
      // The queue's store is away, too. The lock of the job expires, and another worker finds it abandoned.
      onError(error);
      throw reason;
    }
    throw new DelayedError(reason.message);
  };

  const runJob = async (job: BullJob, token: string | undefined): Promise<void> => {
    const handler = handlers[job.name];
    if (handler === undefined) throw new Error(`no handler for the job ${job.name} of queue ${queue}`);
    for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      const startedMs = performance.now();
      const observe = (outcome: JobRun['outcome']): void =>
        options.onJob({ queue, name: job.name, outcome, durationMs: performance.now() - startedMs });
      try {
        // The payload was typed with the name when the job was added.
        await handler(job.data as never);
        observe('completed');
        return;
      } catch (error) {
        // BullMQ reads members of the thrown value, so it must be an Error.
        const reason = error instanceof Error ? error : new Error(String(error));
        const passing = options.isPassing(error);
        const isLast = !passing && job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
        observe(isLast ? 'dead' : 'failed');
        if (!passing) throw reason;
        onError(reason);
        if (!signal.aborted) await pause(pauseMs);
        if (signal.aborted) await giveBack(job, token, reason);
      }
    }
  };
  const process = async (job: BullJob, token?: string): Promise<void> => {
    const run = runJob(job, token).finally(() => running.delete(run));
    running.add(run);
    await run;
  };

  /** Reports a dead job until `onDead` has succeeded once. */
  const report = async (job: BullJob, error: Error): Promise<void> => {
    const mark = `recorded@${job.finishedOn}`;
    const run = `${job.id}@${job.finishedOn}`;
    // The mark is stored with the job: a process that starts later must not report it after an operator has resolved it.
    if (onDead === undefined || recorded.get(run) === true || job.progress === mark) return;
    recorded.set(run, true);
    try {
      await onDead({ queue, name: job.name, payload: job.data, error, run });
    } catch (reason) {
      recorded.delete(run);
      onError(reason);
      return;
    }
    // A job with removeOnFail is gone already. A repeated report does no harm.
    await job.updateProgress(mark).catch(() => undefined);
  };

  const onFailed = (job: BullJob | undefined, error: Error): void => {
    onError(error);
    // BullMQ sets finishedOn after the last attempt.
    if (job?.finishedOn === undefined) return;
    const work = report(job, error).finally(() => recording.delete(work));
    recording.add(work);
  };

  /** Finds dead jobs that are not recorded, because a process ended between the last attempt and the record. */
  const findDead = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for (const job of await options.failedJobs()) {
          if (signal.aborted) break;
          await report(job, new Error(job.failedReason ?? 'unknown reason'));
        }
      } catch (error) {
        onError(error);
      }
      await pause(FIND_DEAD_EVERY_MS);
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = backend.createWorker(queue, process, {
        concurrency: options.concurrency,
        maxStalledCount: MAX_ABANDONED,
        lockDuration: locks.lockMs,
        stalledInterval: locks.lookMs,
        runRetryDelay: RETRY_MS,
        autorun: false,
      });
      worker = next;
      next.onFailed(onFailed);
      try {
        await next.waitUntilReady();
        if (!signal.aborted) await next.run();
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      if (signal.aborted) return;
      // A worker that failed to start, or stopped by itself, does not recover.
      next.abandon();
      await pause(RETRY_MS);
    }
  };

  /**
   * Whether the worker closed in time. Handlers may use all of the time. BullMQ's own close, which waits while the store is
   * away, gets GRACE_MS after the last handler.
   */
  const closesInTime = async (closing: Promise<void>, timeoutMs: number): Promise<boolean> => {
    const deadlineMs = performance.now() + timeoutMs;
    let closed = false;
    const ended = closing.then(
      () => (closed = true),
      (error: unknown) => onError(error),
    );
    while (!closed) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return false;
      const idle = running.size === 0;
      const late = new AbortController();
      const awaited = idle ? [ended] : [ended, Promise.allSettled(running)];
      await Promise.race([
        ...awaited,
        delay(idle ? Math.min(leftMs, GRACE_MS) : leftMs, undefined, { signal: late.signal }),
      ]);
      late.abort();
      if (idle && !closed && running.size === 0) return false;
    }
    return true;
  };

  void run();
  const finding = onDead === undefined ? Promise.resolve() : findDead();
  return {
    async close(timeoutMs) {
      stop.abort();
      if (worker !== undefined && !(await closesInTime(worker.close(), timeoutMs))) {
        onError(
          new Error(
            `the worker of queue ${queue} did not close within ${timeoutMs} ms; other workers will take its jobs`,
          ),
        );
        worker.abandon();
      }
      await within(Promise.all([finding, ...recording]), GRACE_MS, 'recording dead jobs').catch(onError);
    },
  };
}
