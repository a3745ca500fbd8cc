// The one clock of an installation: the database's. A process reads its own wall clock for nothing that is stored or compared
// with a stored time; it counts on from the database's time with its monotonic clock, which nobody can set.
import type { Logger } from '../observe/logger.ts';
import type { Sql, Statement } from './database.ts';

/** One look at the database's clock; the times of asking and of the answer are monotonic. All in milliseconds. */
export interface ClockSample {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  /** Since 1970, read between asking and answer. */
  readonly databaseMs: number;
}

/** A larger correction is a clock that was set, and is followed at once; a smaller one never makes time go back. */
const STEP_MS = 1_000;
/** As much as this machine's own clock may differ before somebody is told. */
const SKEW_MS = 5_000;

/**
 * What is known after one more sample, as the database's time minus the monotonic time. When it was answered, the
 * database's time was the sample's or up to the time of the whole question later: what fits into that stays as it is.
 */
export function offsetAfter(offsetMs: number | undefined, sample: ClockSample): number {
  const least = sample.databaseMs - sample.answeredAtMs;
  const most = sample.databaseMs - sample.askedAtMs;
  return offsetMs === undefined ? (least + most) / 2 : Math.min(Math.max(offsetMs, least), most);
}

/** What is wrong with this machine's clock; undefined: nothing. */
export function skewProblem(machineMs: number, databaseMs: number): string | undefined {
  const apartMs = machineMs - databaseMs;
  if (Math.abs(apartMs) < SKEW_MS) return undefined;
  const seconds = Math.round(Math.abs(apartMs) / 1_000);
  return `the clock of this machine is ${seconds} s ${apartMs > 0 ? 'ahead of' : 'behind'} the database's; let both follow the same time servers`;
}

export interface DatabaseClock {
  /** The database's time, whole milliseconds since 1970. */
  nowMs(): number;
  monotonicMs(): number;
  /** To be told of each look at the database's clock. */
  observe(sample: ClockSample): void;
  /** What is wrong with this machine's clock, as a sentence. */
  problem(): string | undefined;
}

export interface DatabaseClockDeps {
  readonly db: Sql;
  readonly monotonicMs: () => number;
  /** This machine's wall clock, only to tell when it is wrong. */
  readonly machineMs: () => number;
  /** Hears when the machine's clock becomes wrong, and when it is right again (undefined). */
  readonly onProblem: (problem: string | undefined) => void;
}

const READ: Statement = {
  name: 'clock-read',
  text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
};

/** Looks once; `observe` keeps it right. @throws {ApiError} E6002 */
export async function startDatabaseClock(deps: DatabaseClockDeps): Promise<DatabaseClock> {
  const { db, monotonicMs, machineMs, onProblem } = deps;
  const askedAtMs = monotonicMs();
  const [row] = await db.query<{ ms: number }>(READ, []);
  if (row === undefined) throw new Error('the database told no time');
  let offsetMs = offsetAfter(undefined, { askedAtMs, answeredAtMs: monotonicMs(), databaseMs: row.ms });
  let latestMs = 0;
  let told: string | undefined;

  const clock: DatabaseClock = {
    nowMs() {
      const now = Math.round(monotonicMs() + offsetMs);
      latestMs = latestMs - now > STEP_MS ? now : Math.max(latestMs, now);
      return latestMs;
    },
    monotonicMs,
    observe(sample) {
      offsetMs = offsetAfter(offsetMs, sample);
      const problem = clock.problem();
      if ((problem === undefined) !== (told === undefined)) onProblem(problem);
      told = problem;
    },
    problem: () => skewProblem(machineMs(), clock.nowMs()),
  };
  told = clock.problem();
  if (told !== undefined) onProblem(told);
  return clock;
}

/** For `onProblem`. */
export const reportClock =
  (logger: Logger): DatabaseClockDeps['onProblem'] =>
  (problem) => {
    if (problem === undefined) logger.info('the clock of this machine agrees with the database again');
    else logger.warn(`${problem}; what the service stores and compares is the database's time`);
  };

/** The database's time now, for a command that asks once. @throws {ApiError} E6002 */
export async function databaseNowMs(db: Sql): Promise<number> {
  const [row] = await db.query<{ ms: number }>(READ, []);
  if (row === undefined) throw new Error('the database told no time');
  return Math.round(row.ms);
}
