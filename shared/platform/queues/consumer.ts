// One queue's jobs in this process: what runs them, waits for a store that is away, and reports those that are given up.
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job as BullJob } from 'bullmq';
import type { QueueName } from '../../kernel/jobs.ts';
import type { DeadJob, JobRun, LockTimes } from './types.ts';
import { type Backend, type BullWorker, within } from './backend.ts';

export interface ConsumerOptions {
  readonly queue: QueueName;
  /** By job name; each knows the payload of its own. */
  readonly handlers: Readonly<Record<string, (payload: never) => Promise<void>>>;
  readonly concurrency: number;
  readonly onDead: ((job: DeadJob) => Promise<void>) | undefined;
  readonly backend: Backend;
  readonly locks: LockTimes;
  /** The newest jobs that were given up, of whichever worker. */
  readonly failedJobs: () => Promise<BullJob[]>;
  readonly isPassing: (error: unknown) => boolean;
  readonly onJob: (run: JobRun) => void;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  /** Waits for the running jobs, but no longer than this. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * How often a job may be found abandoned. A crash is no attempt for BullMQ; without this a job that ends its process would
 * be started for ever. Starts are not counted: a worker that is stopped while a store is away starts its job in vain.
 */
const MAX_ABANDONED = 4;
/** Rest before the store is asked again: by us, and by BullMQ (whose default is 15 s). */
const RETRY_MS = 500;
/** The longest rest of a job that meets the same trouble again and again. */
const RETRY_MAX_MS = 5_000;
/** How often jobs are looked for that were given up while nobody could record it. */
const LOOK_FOR_DEAD_MS = 10_000;
/** Recorded jobs that are remembered, so that they are not recorded at each look. More than one look shows. */
const REMEMBERED = 5_000;
/** For what remains to be said to the stores once all handlers have ended. */
const GRACE_MS = 1_000;

export function startConsumer(options: ConsumerOptions): Consumer {
  const { queue, handlers, backend, locks, onDead, onError } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const recorded = new Set<string>();
  const recording = new Set<Promise<void>>();
  const running = new Set<Promise<void>>();
  let worker: BullWorker | undefined;

  const rest = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);

  /** Gives a job back that this process cannot finish now: it counts as no attempt, and any worker may take it. */
  const giveBack = async (job: BullJob, token: string | undefined, reason: Error): Promise<never> => {
    try {
      await job.moveToDelayed(Date.now() + RETRY_MS, token);
    } catch (error) {
      // The queue's store is away, too: nobody can be told, and the job is found abandoned.
      onError(error);
      throw reason;
    }
    throw new DelayedError(reason.message);
  };

  const carryOut = async (job: BullJob, token: string | undefined): Promise<void> => {
    const handler = handlers[job.name];
    if (handler === undefined) throw new Error(`no handler for the job ${job.name} of queue ${queue}`);
    for (let restMs = RETRY_MS; ; restMs = Math.min(2 * restMs, RETRY_MAX_MS)) {
      const startedMs = performance.now();
      const ended = (outcome: JobRun['outcome']): void =>
        options.onJob({ queue, name: job.name, outcome, durationMs: performance.now() - startedMs });
      try {
        // The payload was typed with the name when the job was added.
        await handler(job.data as never);
        ended('completed');
        return;
      } catch (error) {
        // BullMQ reads the members of whatever is thrown.
        const reason = error instanceof Error ? error : new Error(String(error));
        const passing = options.isPassing(error);
        const last = !passing && job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
        ended(last ? 'dead' : 'failed');
        if (!passing) throw reason;
        onError(reason);
        if (!signal.aborted) await rest(restMs);
        if (signal.aborted) await giveBack(job, token, reason);
      }
    }
  };
  const process = async (job: BullJob, token?: string): Promise<void> => {
    const run = carryOut(job, token).finally(() => running.delete(run));
    running.add(run);
    await run;
  };

  /** Reports a job that is given up, once it was heard. */
  const report = async (job: BullJob, error: Error): Promise<void> => {
    const mark = `recorded@${job.finishedOn}`;
    const run = `${job.id}@${job.finishedOn}`;
    // The mark is kept with the job: a process that starts later must not report it again after somebody decided about it.
    if (onDead === undefined || recorded.has(run) || job.progress === mark) return;
    recorded.add(run);
    try {
      await onDead({ queue, name: job.name, payload: job.data, error, run });
      for (const oldest of recorded) {
        if (recorded.size <= REMEMBERED) break;
        recorded.delete(oldest);
      }
    } catch (reason) {
      recorded.delete(run);
      onError(reason);
      return;
    }
    // One that is removed when it fails is not there any more; and a report that is repeated does no harm.
    await job.updateProgress(mark).catch(() => undefined);
  };

  const onFailed = (job: BullJob | undefined, error: Error): void => {
    onError(error);
    // finishedOn is set when there is no further attempt.
    if (job?.finishedOn === undefined) return;
    const work = report(job, error).finally(() => recording.delete(work));
    recording.add(work);
  };

  /** A process may end between giving up a job and recording that. */
  const lookForDead = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for (const job of await options.failedJobs()) {
          if (signal.aborted) break;
          await report(job, new Error(job.failedReason ?? 'no reason is known'));
        }
      } catch (error) {
        onError(error);
      }
      await rest(LOOK_FOR_DEAD_MS);
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
      // One that could not begin, or that broke off, does not recover.
      next.abandon();
      await rest(RETRY_MS);
    }
  };

  /** Whether the worker closed in time: handlers have all of it, BullMQ's own end (it waits for a store that is away) little. */
  const closes = async (closing: Promise<void>, timeoutMs: number): Promise<boolean> => {
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
  const looking = onDead === undefined ? Promise.resolve() : lookForDead();
  return {
    async close(timeoutMs) {
      stop.abort();
      if (worker !== undefined && !(await closes(worker.close(), timeoutMs))) {
        onError(
          new Error(`the worker of queue ${queue} did not end within ${timeoutMs} ms; its jobs are left to others`),
        );
        worker.abandon();
      }
      await within(Promise.all([looking, ...recording]), GRACE_MS, 'recording dead jobs').catch(onError);
    },
  };
}
