// The shape of a job definition. `list.ts` holds all of them; the relay, the sweeper, the queues and the schedule read it.
import type { JobName, JobPayload, QueueName } from '../../shared/kernel/jobs.ts';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { isAhead, isRecent, NEVER_AHEAD } from '../../shared/platform/db/elapsed.ts';
import { inOneRun } from './one-run.ts';

export interface Retries {
  /** Runs that may fail by the job's own fault before it is dead. Transient errors of a store count as none. */
  readonly attempts: number;
  /** Wait before the second run; doubles for each further one. */
  readonly backoffMs: number;
}

/**
 * Which jobs are the same job. `key` gives the parts that tell two of them apart.
 * - `none`: each is a job of its own.
 * - `wake-up`: the job only says that rows wait. The relay makes one job of all outbox rows with the same key. A queue may
 *   hold several, because one that arrives while another runs must not be lost, except those of the sweeper: it repeats
 *   them for as long as rows wait, so a queue holds one for each key and three seconds.
 */
export type Coalescing<Payload> =
  | { readonly kind: 'none' }
  | { readonly kind: 'wake-up'; readonly key: (payload: Payload) => readonly string[] };

/** How the sweeper finds work whose job was lost, and dead jobs whose work was done. */
export interface Sweeping {
  /**
   * Inserts an outbox row for each piece of work that was accepted before $1 and has no job, and returns one row for each.
   * It leaves out work whose dead job is recent (`RETRY_DEAD_AFTER`).
   */
  readonly requeue: Statement;
  /** Rows after which the statement stops; it runs again when it returns as many. Absent: it finds all at once. */
  readonly batch?: number;
  /** SQL condition over a row `d` of dead_job: its work was done by another job. */
  readonly isDone: string;
}

/** A definition whose payload type is known, and its name not. */
export interface Definition<Payload, Deps> {
  readonly queue: QueueName;
  readonly name: string;
  /** Jobs that run at once in a process. BullMQ counts them by queue: the highest number among a queue's jobs applies. */
  readonly concurrency: number;
  readonly retries: Retries;
  readonly coalescing: Coalescing<Payload>;
  /** Scheduled this often, once for the whole installation. */
  readonly everyMs?: number;
  readonly sweeping?: Sweeping;
  /** Makes the handler. It may run more than once for one job, and in several workers at the same time. */
  readonly handler: (deps: Deps) => (payload: Payload) => Promise<void>;
  /** Makes the handler for a dead job. It may run more than once for one job. */
  readonly onDead?: (deps: Deps) => (payload: Payload, error: Error) => Promise<void>;
}

export interface JobDefinition<Q extends QueueName, N extends JobName<Q>, Deps>
  extends Definition<JobPayload<Q, N>, Deps> {
  readonly queue: Q;
  readonly name: N;
}

/** Enough for an error that passes within seconds and is not known as transient; a lasting one is reported soon. */
export const THREE_ATTEMPTS: Retries = { attempts: 3, backoffMs: 1_000 };
/** More than there are upkeep jobs: each has a place of its own, so a long one delays neither the sweeper nor any other. */
const UPKEEP_CONCURRENCY = 16;
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;

/** A scheduled job without a payload. One run at a time works in the installation; a second one returns at once. */
export function upkeepJob<N extends JobName<'upkeep'>, Deps>(job: {
  readonly name: N;
  readonly everyMs: number;
  /** Runs the job. It may run more than once for one job, and beside a run of a worker that was frozen or cut off. */
  readonly run: (deps: Deps) => Promise<void>;
  /** Its runs share the work by claims of their own: several may work at a time. */
  readonly hasClaims?: true;
}): JobDefinition<'upkeep', N, Deps & { readonly db: Sql }> {
  const { name, everyMs, run, hasClaims } = job;
  return {
    queue: 'upkeep',
    name,
    concurrency: UPKEEP_CONCURRENCY,
    retries: THREE_ATTEMPTS,
    coalescing: { kind: 'none' },
    everyMs,
    handler: (deps) => () => (hasClaims === true ? run(deps) : inOneRun(deps.db, name, () => run(deps))),
  };
}

/** The sweeper repeats work whose job is dead this often: rarely, but for as long as the work waits. */
const RETRY_DEAD_AFTER = `interval '30 seconds'`;

/** SQL condition: too early to repeat the work of a row of dead_job. */
export const diedLately = (row: string): string => isRecent(`${row}.failed_at`, RETRY_DEAD_AFTER);

/** SQL condition: accepted before $1 and at least `age` ago, or by a clock that was set back since. @param ahead how far ahead it can be */
export const acceptedBefore = (column: string, age: string, ahead: string = NEVER_AHEAD): string =>
  `(${column} < least($1::timestamptz, now() - interval '${age}') OR ${isAhead(column, ahead)})`;
