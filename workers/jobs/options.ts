// The options under which a queue stores a job: its id, its attempts and how long it is kept. Pure.
import { randomUUID } from 'node:crypto';
import type { Job } from '../../shared/kernel/jobs.ts';
import type { JobOptions } from '../../shared/platform/queues/types.ts';
import { type Definition, THREE_ATTEMPTS } from './definition.ts';
import { definitionOf } from './list.ts';

/** BullMQ refuses an id with a colon. */
const idOf = (parts: readonly string[]): string => parts.map((part) => encodeURIComponent(part)).join('-');

/** The coalescing key of a job; undefined: it has none. */
export function coalescingOf(
  job: Job,
): { readonly kind: 'once' | 'wake-up'; readonly key: readonly string[] } | undefined {
  // The payload belongs to the name under which the definition was found.
  const definition = definitionOf(job) as Definition<Job['payload'], never> | undefined;
  const coalescing = definition?.coalescing;
  if (coalescing === undefined || coalescing.kind === 'none') return undefined;
  return { kind: coalescing.kind, key: coalescing.key(job.payload) };
}

/** A queue ignores a job whose id it already holds, so the id decides what there can be only one of. */
export function jobOptions(job: Job): JobOptions {
  const { attempts, backoffMs } = definitionOf(job)?.retries ?? THREE_ATTEMPTS;
  const retries = { attempts, backoff: { type: 'exponential', delay: backoffMs } } as const;
  const coalescing = coalescingOf(job);
  if (coalescing?.kind === 'once') {
    const { retryOf } = job.payload;
    const retry = retryOf === undefined ? [] : ['retry', retryOf];
    return { ...retries, jobId: idOf([job.name, ...coalescing.key, ...retry]), removeOnComplete: true };
  }
  if (coalescing?.kind === 'wake-up' && job.payload.swept === true) {
    const jobId = idOf([job.name, 'swept', ...coalescing.key]);
    return { ...retries, jobId, removeOnComplete: true, removeOnFail: true };
  }
  return { ...retries, jobId: `${job.name}-${randomUUID()}` };
}
