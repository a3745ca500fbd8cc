// What the queues and their consumers say to each other. Types only.
import type { QueueName } from '../../kernel/jobs.ts';

/** How long a job of a process that is gone stays with it: at most both together. */
export interface LockTimes {
  /** A running job that is not renewed for this long counts as abandoned. Default: 10,000. */
  readonly lockMs: number;
  /** How often abandoned jobs are looked for. Default: 5,000. */
  readonly lookMs: number;
}

/** One run of a handler. */
export interface JobRun {
  readonly queue: QueueName;
  readonly name: string;
  readonly outcome: 'completed' | 'failed' | 'dead';
  readonly durationMs: number;
}

/** A job that is given up. */
export interface DeadJob {
  readonly queue: QueueName;
  readonly name: string;
  readonly payload: unknown;
  readonly error: Error;
  /** Names this failure: the same job and the same end of it, whoever reports it and however often. */
  readonly run: string;
}
