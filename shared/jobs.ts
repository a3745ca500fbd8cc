// The jobs that queues carry: one map from queue to job name to payload types both ends.

/** Payloads are ids, never content: the row is the truth. */
export interface JobMap {
  readonly upkeep: {
    /** Deletes rows of the change feed that every process has long seen. */
    readonly 'forget-changes': Record<string, never>;
    /** Deletes stored answers of Idempotency-Keys that are older than they are kept. */
    readonly 'forget-idempotency': Record<string, never>;
  };
}

export type QueueName = keyof JobMap;
export type JobName<Q extends QueueName> = keyof JobMap[Q] & string;
export type JobPayload<Q extends QueueName, N extends JobName<Q>> = JobMap[Q][N];
