// Types that queues, consumers and workers share.
import type { JobsOptions } from 'bullmq';
import type { QueueName } from '../../kernel/jobs.ts';

/** Both together bound how long a job of a dead process stays locked. */
export interface LockTimes {
  /** A running job whose lock is not renewed for this long counts as abandoned. Default: 10,000. */
  readonly lockMs: number;
  /** Interval of the search for abandoned jobs. Default: 5,000. */
  readonly lookMs: number;
}

/** One run of a handler. */
export interface JobRun {
  readonly queue: QueueName;
  readonly name: string;
  readonly outcome: 'completed' | 'failed' | 'dead';
  readonly durationMs: number;
}

/** A dead job: one that used up its attempts or was abandoned too often. */
export interface DeadJob {
  readonly queue: QueueName;
  readonly name: string;
  readonly payload: unknown;
  readonly error: Error;
  /** Names this failure: equal in all reports of the same end of the same job. */
  readonly run: string;
}

/** Options under which a queue stores a job. */
export type JobOptions = Required<Pick<JobsOptions, 'jobId' | 'attempts' | 'backoff'>> &
  Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'>;
