// Under which id a job is queued. A queue ignores a job whose id it has, so the id decides what there can be only one of. Pure.
import { randomUUID } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import type { Job } from '../../kernel/jobs.ts';

/** No id of BullMQ may hold a colon. */
const part = (text: string): string => encodeURIComponent(text);

type IdOptions = Pick<JobsOptions, 'jobId' | 'removeOnComplete' | 'removeOnFail'>;

/**
 * - The evaluation of an intent is one for each time that the intent is due: when it was accepted, and after each approval
 *   it waited for. However often it is queued meanwhile, it is one job. Its id is free again once it ended well.
 * - A wake-up of the sweeper is one for each log: it comes again anyway, as long as something waits there.
 * - Any other wake-up has an id of its own: one that arrives while another runs must not be lost.
 */
export function idOptionsOf(job: Job): IdOptions {
  if (job.queue === 'intents') {
    const { intentId, approvalId = 'first', retryOf } = job.payload;
    const again = retryOf === undefined ? '' : `-retry-${part(retryOf)}`;
    return { jobId: `${job.name}-${part(intentId)}-${part(approvalId)}${again}`, removeOnComplete: true };
  }
  if (job.payload.swept === true) {
    const { organisationId = 'all', environment = 'all' } = job.payload as {
      organisationId?: string;
      environment?: string;
    };
    const jobId = `${job.name}-swept-${part(organisationId)}-${part(environment)}`;
    return { jobId, removeOnComplete: true, removeOnFail: true };
  }
  return { jobId: `${job.name}-${randomUUID()}` };
}
