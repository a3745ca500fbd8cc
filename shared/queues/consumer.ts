// One queue's jobs in this process: what runs them, waits for a store that is away, and reports those that are given up.
import { setTimeout as delay } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import type { QueueName } from '../jobs.ts';
import type { DeadJob, JobRun, LockTimes } from '../queues.ts';
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
  readonly isStoreAway: (error: unknown) => Promise<boolean>;
  readonly onJob: (run: JobRun) => void;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  /** Waits for the running jobs, but no longer than this. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * A crash is no attempt for BullMQ; without this a job that ends the process would be started for ever. It is as well
 * how often a job may be found abandoned.
 */
const MAX_STARTED_ATTEMPTS = 5;
/** Rest before the store is asked again: by us, and by BullMQ (whose default is 15 s). */
const RETRY_MS = 500;
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

  const carryOut = async (job: BullJob): Promise<void> => {
    const handler = handlers[job.name];
    if (handler === undefined) throw new Error(`no handler for the job ${job.name} of queue ${queue}`);
    for (;;) {
      const startedMs = performance.now();
      const ended = (outcome: JobRun['outcome']): void =>
        options.onJob({ queue, name: job.name, outcome, durationMs: performance.now() - startedMs });
      try {
        // The payload was typed with the name when the job was added.
        await handler(job.data as never);
        ended('completed');
        return;
      } catch (error) {
        const again = !signal.aborted && (await options.isStoreAway(error));
        const last = !again && job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
        ended(last ? 'dead' : 'failed');
        if (again) await rest(RETRY_MS);
        // BullMQ reads the members of whatever is thrown.
        if (!again || signal.aborted) throw error instanceof Error ? error : new Error(String(error));
      }
    }
  };
  const process = async (job: BullJob): Promise<void> => {
    const run = carryOut(job).finally(() => running.delete(run));
    running.add(run);
    await run;
  };

  /** Reports a job that is given up, once it was heard. */
  const report = async (job: BullJob, error: Error): Promise<void> => {
    const id = `${job.id}@${job.finishedOn}`;
    if (onDead === undefined || recorded.has(id)) return;
    recorded.add(id);
    try {
      const failedAtMs = job.finishedOn ?? Date.now();
      await onDead({ queue, name: job.name, payload: job.data, error, failedAtMs });
      for (const oldest of recorded) {
        if (recorded.size <= REMEMBERED) break;
        recorded.delete(oldest);
      }
    } catch (reason) {
      recorded.delete(id);
      onError(reason);
    }
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
        maxStartedAttempts: MAX_STARTED_ATTEMPTS,
        maxStalledCount: MAX_STARTED_ATTEMPTS,
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
