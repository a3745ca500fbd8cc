// The answers of the dashboard's routes of dead jobs. Types only, which the server imports as well.
import type { DeadJobKind, DeadJobRecord } from '#shared/platform/queues/dead-jobs.js';

/** The agent, intent or webhook that a job works for, as far as its payload names one that exists. */
export interface JobSubject {
  readonly agentId?: string;
  readonly intentId?: string;
  /** Such as `delete db/customers`. */
  readonly request?: string;
  readonly webhookId?: string;
  readonly url?: string;
}

/** A dead job: an item of GET /dashboard/api/dead-jobs. */
export type DeadJob = Omit<DeadJobRecord, 'failedAt' | 'resolvedAt'> & {
  readonly failedAt: string;
  readonly resolvedAt: string | null;
  readonly subject: JobSubject;
  /** The short name of its organisation; null: it works for the whole installation. */
  readonly organisation: string | null;
};

/** GET /dashboard/api/dead-jobs/kinds: the most frequent ones first, at most 20. */
export interface DeadJobKinds {
  readonly kinds: readonly DeadJobKind[];
}
