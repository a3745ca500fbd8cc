// The options under which a queue stores a job: its id, its attempts and how long it is kept. Pure.
import { randomUUID } from 'node:crypto';
import type { Job } from '../../shared/kernel/jobs.ts';
import type { JobOptions } from '../../shared/platform/queues/types.ts';
import { type Definition, THREE_ATTEMPTS } from './definition.ts';
import type { Drains } from './drains.ts';
import { definitionOf } from './list.ts';

/** BullMQ refuses an id with a colon. */
const idOf = (parts: readonly string[]): string => parts.map((part) => encodeURIComponent(part)).join('-');

/** What tells two wake-ups apart; undefined: the job is none. */
export function wakeUpKeyOf(job: Job): readonly string[] | undefined {
  // The payload belongs to the name under which the definition was found.
  const definition = definitionOf(job) as Definition<Job['payload'], never> | undefined;
  const coalescing = definition?.coalescing;
  return coalescing?.kind === 'wake-up' ? coalescing.key(job.payload) : undefined;
}

/**
 * Gives a wake-up to the running drain with its key. One of a single traced request is queued, so that its job is part of the trace.
 * @returns false: the job must be queued
 */
export function wakeRunning(drains: Drains, job: Job): boolean {
  const key = wakeUpKeyOf(job);
  return key !== undefined && job.payload.traceparent === undefined && drains.wake(job.queue, key);
}

/**
 * The sweeper's wake-ups of this time are one job. A killed worker's job keeps its id until the queue finds it abandoned, after 10 s
 * and more, and others must be able to take the work before that.
 */
const SWEPT_ONCE_IN_MS = 3_000;

/** A queue ignores a job whose id it already holds, so the id decides what there can be only one of. */
export function jobOptions(job: Job): JobOptions {
  const { attempts, backoffMs } = definitionOf(job)?.retries ?? THREE_ATTEMPTS;
  const retries = { attempts, backoff: { type: 'exponential', delay: backoffMs } } as const;
  const key = wakeUpKeyOf(job);
  if (key !== undefined && job.payload.swept === true) {
    const span = Math.floor((job.acceptedAtMs ?? 0) / SWEPT_ONCE_IN_MS);
    const jobId = idOf([job.name, 'swept', ...key, String(span)]);
    return { ...retries, jobId, removeOnComplete: true, removeOnFail: true };
  }
  return { ...retries, jobId: `${job.name}-${randomUUID()}` };
}
