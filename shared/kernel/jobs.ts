// Names and payload types of all jobs, by queue. Everything else about a job is in workers/jobs/<name>.ts.
import type { Environment } from './vocabulary.ts';

/** Payloads hold ids, a version and trace ids, never content: the handler reads the row, which is the source of truth. */
interface Payload {
  /** Version of the payload's shape. */
  readonly v: 1;
  /** W3C trace context of the request that caused the job. */
  readonly traceparent?: string;
  /** Queued by the sweeper, which repeats it for as long as work waits. */
  readonly swept?: true;
  /** The id of the dead job that this one repeats. */
  readonly retryOf?: string;
}

interface LogPayload extends Payload {
  readonly organisationId: string;
  readonly environment: Environment;
}

export interface JobMap {
  readonly intents: {
    /**
     * Evaluates all submitted intents that wait. With `intentId`: a dead job, whose intent alone is evaluated when an operator retries
     * it. Earlier versions queued such a job for each intent.
     */
    readonly evaluate: LogPayload & { readonly intentId?: string; readonly approvalId?: string };
  };
  readonly trust: {
    /** Folds all waiting signals of all tenants. */
    readonly fold: Payload;
  };
  readonly proofs: {
    /** Appends all records that wait for one log, and signs its head. */
    readonly append: LogPayload;
  };
  readonly webhooks: {
    /** Reads new events for one endpoint from the logs, and sends the messages that are due. */
    readonly deliver: Payload & { readonly endpointId: string };
  };
  readonly upkeep: {
    /** Queues work again whose job was lost. */
    readonly sweep: Payload;
    /** Closes approvals that nobody decided or used in time. */
    readonly 'expire-approvals': Payload;
    /** Deletes charges of budgets that have left their window. */
    readonly 'forget-budgets': Payload;
    /** Deletes old rows of the change feed. */
    readonly 'forget-changes': Payload;
    /** Deletes old stored answers of Idempotency-Keys. */
    readonly 'forget-idempotency': Payload;
    /** Makes partitions ahead of time, and drops those that the settings keep no longer. */
    readonly retain: Payload;
    /** Derives the logs again with another implementation, and reports differences. */
    readonly audit: Payload;
    /** Runs the requested replays, one after the other. */
    readonly replay: Payload;
    /** Deletes old replays. */
    readonly 'forget-replays': Payload;
    /** Deletes old deliveries of webhooks. */
    readonly 'forget-deliveries': Payload;
  };
}

export type QueueName = keyof JobMap;
export type JobName<Q extends QueueName> = keyof JobMap[Q] & string;
export type JobPayload<Q extends QueueName, N extends JobName<Q>> = JobMap[Q][N];

export const QUEUE_NAMES = ['intents', 'trust', 'proofs', 'webhooks', 'upkeep'] as const satisfies readonly QueueName[];

/** A job to be queued. */
export type Job = {
  [Q in QueueName]: {
    [N in JobName<Q>]: {
      readonly queue: Q;
      readonly name: N;
      readonly payload: JobPayload<Q, N>;
      /** When the work was accepted, by the database's clock. Absent: now. */
      readonly acceptedAtMs?: number;
    };
  }[JobName<Q>];
}[QueueName];
