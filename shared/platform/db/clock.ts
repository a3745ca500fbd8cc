// The clock of an installation is the database's. A process never stores its own wall clock and never compares it with a
// stored time, except before it deletes for good. It extrapolates the database's time with its monotonic clock, which nobody can set.
import type { Logger } from '../observe/logger.ts';
import type { Sql } from './database.ts';

/** One sample of the database's clock. `askedAtMs` and `answeredAtMs` are monotonic times. All in milliseconds. */
export interface ClockSample {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  /** Since 1970, read between the two. */
  readonly databaseMs: number;
}

/**
 * A larger correction means that the database's clock was set, and is followed at once. A smaller one never moves time
 * backwards.
 */
const STEP_MS = 1_000;
/**
 * A decision follows a step forward of so much only after so long: then its process knows of all that was written before the step, and nothing
 * that it leaves out looks old to an auditor (core/verification/moment.ts). All processes read the clock, and changes, twice a second.
 * Meanwhile PostgreSQL takes no decision, because all are of a time long ago (migration 0051); so smaller steps are followed at once.
 */
const HELD_STEP_MS = 30_000;
const FOLLOWED_AFTER_MS = 3_000;
/** After the database's clock was set, nothing is deleted for its age for so long: it may be wrong, and soon be set again. */
const SETTLED_AFTER_MS = 3_600_000;
/** From this difference on, this machine's clock is reported, and the database's counts as set. */
const SKEW_MS = 5_000;

/**
 * The estimated offset (database time minus monotonic time) after one more sample. The database's time at the answer lies
 * between the sampled one and that plus the round trip; an offset within these bounds stays as it is.
 */
export function offsetAfter(offsetMs: number | undefined, sample: ClockSample): number {
  const least = sample.databaseMs - sample.answeredAtMs;
  const most = sample.databaseMs - sample.askedAtMs;
  return offsetMs === undefined ? (least + most) / 2 : Math.min(Math.max(offsetMs, least), most);
}

/** Describes the skew of this machine's clock; undefined: there is none. */
export function skewProblem(machineMs: number, databaseMs: number): string | undefined {
  const apartMs = machineMs - databaseMs;
  if (Math.abs(apartMs) < SKEW_MS) return undefined;
  const seconds = Math.round(Math.abs(apartMs) / 1_000);
  return `the clock of this machine is ${seconds} s ${apartMs > 0 ? 'ahead of' : 'behind'} the database's; let both follow the same time servers`;
}

export interface DatabaseClock {
  /** The database's time in whole milliseconds since 1970. */
  nowMs(): number;
  /** The time of a decision: the same, but for the first seconds after the database's clock was set forward by much. */
  decisionMs(): number;
  /**
   * The time by which data may be deleted for its age: the earlier of the database's and this machine's. -Infinity, by which nothing is old,
   * while the two differ, and for an hour after the database's was set.
   */
  deletionMs(): number;
  monotonicMs(): number;
  /** Call it with each sample of the database's clock. */
  observe(sample: ClockSample): void;
  /** The skew of this machine's clock, as a sentence. */
  problem(): string | undefined;
}

export interface DatabaseClockDeps {
  readonly db: Sql;
  readonly monotonicMs: () => number;
  /** This machine's wall clock, only to detect skew and to delete nothing that is young by it. */
  readonly machineMs: () => number;
  /** Called when the machine's clock becomes wrong, and when it is right again (undefined). */
  readonly onProblem: (problem: string | undefined) => void;
}

/** A clock that never goes back by less than STEP_MS. */
function steady(read: () => number): () => number {
  let latestMs = 0;
  return () => {
    const now = read();
    latestMs = latestMs - now > STEP_MS ? now : Math.max(latestMs, now);
    return latestMs;
  };
}

const READ = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms';

/** Samples once; `observe` keeps the estimate current. @throws {ApiError} E6002 */
export async function startDatabaseClock(deps: DatabaseClockDeps): Promise<DatabaseClock> {
  const { db, monotonicMs, machineMs, onProblem } = deps;
  const askedAtMs = monotonicMs();
  const [row] = await db.query<{ ms: number }>(READ, []);
  if (row === undefined) throw new Error('the database returned no time');
  let offsetMs = offsetAfter(undefined, { askedAtMs, answeredAtMs: monotonicMs(), databaseMs: row.ms });
  let setAtMs = -Infinity;
  /** For decisions: the offset that they use, and since when another one is known. */
  let decisionOffsetMs = offsetMs;
  let aheadSinceMs: number | undefined;
  let reported: string | undefined;

  const followForDecisions = (): void => {
    if (offsetMs - decisionOffsetMs >= HELD_STEP_MS) {
      aheadSinceMs ??= monotonicMs();
      if (monotonicMs() - aheadSinceMs < FOLLOWED_AFTER_MS) return;
    }
    decisionOffsetMs = offsetMs;
    aheadSinceMs = undefined;
  };

  const clock: DatabaseClock = {
    nowMs: steady(() => Math.round(monotonicMs() + offsetMs)),
    decisionMs: steady(() => Math.round(monotonicMs() + decisionOffsetMs)),
    deletionMs() {
      const isSettled = monotonicMs() - setAtMs >= SETTLED_AFTER_MS;
      return isSettled && clock.problem() === undefined ? Math.min(clock.nowMs(), machineMs()) : -Infinity;
    },
    monotonicMs,
    observe(sample) {
      const offsetBeforeMs = offsetMs;
      offsetMs = offsetAfter(offsetMs, sample);
      if (Math.abs(offsetMs - offsetBeforeMs) >= SKEW_MS) setAtMs = monotonicMs();
      followForDecisions();
      const problem = clock.problem();
      if ((problem === undefined) !== (reported === undefined)) onProblem(problem);
      reported = problem;
    },
    problem: () => skewProblem(machineMs(), clock.nowMs()),
  };
  reported = clock.problem();
  if (reported !== undefined) onProblem(reported);
  return clock;
}

/** For `onProblem`. */
export const reportClock =
  (logger: Logger): DatabaseClockDeps['onProblem'] =>
  (problem) => {
    if (problem === undefined) logger.info('the clock of this machine agrees with the database again');
    else logger.warn(`${problem}; what the service stores and compares is the database's time`);
  };

/** The database's time now, for a command that needs it once. @throws {ApiError} E6002 */
export async function databaseNowMs(db: Sql): Promise<number> {
  const [row] = await db.query<{ ms: number }>(READ, []);
  if (row === undefined) throw new Error('the database returned no time');
  return Math.round(row.ms);
}
