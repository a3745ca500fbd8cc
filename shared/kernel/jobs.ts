// The jobs that queues carry: one map from queue to job name to payload types both ends.
import type { Environment } from './vocabulary.ts';

/** Payloads are ids, a version and trace ids, never content: the row is the truth. */
interface Payload {
  /** Version of the payload's shape. */
  readonly v: 1;
  /** W3C trace context of the request that caused it. */
  readonly traceparent?: string;
  /** The sweeper asks for it, which comes again as long as something waits. */
  readonly swept?: true;
  /** The dead job that this one repeats. */
  readonly retryOf?: string;
}

interface LogPayload extends Payload {
  readonly organisationId: string;
  readonly environment: Environment;
}

export interface JobMap {
  readonly intents: {
    /** Evaluates one submitted intent, again when the approval that it waited for was decided. */
    readonly evaluate: LogPayload & { readonly intentId: string; readonly approvalId?: string };
  };
  readonly trust: {
    /** Folds all signals that wait, of whatever tenant. */
    readonly fold: Payload;
  };
  readonly proofs: {
    /** Appends all records that wait for one log. */
    readonly append: LogPayload;
  };
  readonly upkeep: {
    /** Hands to the queues what stayed behind. */
    readonly sweep: Payload;
    /** Ends approvals that nobody decided or used in time. */
    readonly 'expire-approvals': Payload;
    /** Deletes rows of the change feed that every process has long seen. */
    readonly 'forget-changes': Payload;
    /** Deletes stored answers of Idempotency-Keys that are older than they are kept. */
    readonly 'forget-idempotency': Payload;
    /** Derives the logs again with another implementation, and names what differs. */
    readonly audit: Payload;
    /** Runs the replays that were asked for, one after the other. */
    readonly replay: Payload;
    /** Deletes replays that are older than they are kept. */
    readonly 'forget-replays': Payload;
  };
}

export type QueueName = keyof JobMap;
export type JobName<Q extends QueueName> = keyof JobMap[Q] & string;
export type JobPayload<Q extends QueueName, N extends JobName<Q>> = JobMap[Q][N];

export const QUEUE_NAMES = ['intents', 'trust', 'proofs', 'upkeep'] as const satisfies readonly QueueName[];

/** A job to be queued, as a value. */
export type Job = {
  [Q in QueueName]: {
    [N in JobName<Q>]: {
      readonly queue: Q;
      readonly name: N;
      readonly payload: JobPayload<Q, N>;
      /** When its work was accepted, by the database's clock. Absent: now. */
      readonly acceptedAtMs?: number;
    };
  }[JobName<Q>];
}[QueueName];
