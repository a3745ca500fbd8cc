// Jobs, handlers and options for the tests of the queues.
import { jobOptions } from '../../workers/jobs/options.ts';
import type { Job } from '../../shared/kernel/jobs.ts';
import type { Handlers } from '../../shared/platform/queues/queues.ts';
import type { JobOptions } from '../../shared/platform/queues/types.ts';

export const intent = (intentId: string): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId: 'org_1', environment: 'test', intentId },
});
/** A wake-up of the sweeper. */
export const swept = (organisationId: string): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId, environment: 'test', swept: true },
});
export const fold: Job = { queue: 'trust', name: 'fold', payload: { v: 1 } };
export const SWEEP: Job = { queue: 'upkeep', name: 'sweep', payload: { v: 1 } };
export const LOCKS = { lockMs: 1_000, lookMs: 300 };
export const WORKER = 'test/process/queue-worker.js';
export const nothing = async (): Promise<void> => undefined;
/** Handlers of the upkeep queue, of which only `sweep` does anything. */
export const upkeepWith = (sweep: () => Promise<void>): Handlers<'upkeep'> => ({
  sweep,
  'expire-approvals': nothing,
  'forget-changes': nothing,
  'forget-idempotency': nothing,
  audit: nothing,
  replay: nothing,
  'forget-replays': nothing,
  'forget-budgets': nothing,
  'forget-deliveries': nothing,
  retain: nothing,
});
/** Job options without retries, so that a job dies at its first failure. */
export const oneAttempt = (job: Job): JobOptions => ({ ...jobOptions(job), attempts: 1 });
