// The operators on times: hours of the day, before and after an instant, and the age of a time at the decision.
import { parseDuration } from '../../kernel/durations.ts';
import { compareTime, outcome } from './comparisons.ts';
import { compileHours, hoursProblem, type HoursTest } from './hours.ts';
import type { Entry } from './operator.ts';
import { timeOf } from './values.ts';

const INSTANT: Pick<Entry, 'types' | 'valueProblem' | 'example'> = {
  types: ['timestamp'],
  valueProblem: (value) => (timeOf(value) === undefined ? 'must be an RFC 3339 time' : undefined),
  example: '2026-12-24T00:00:00Z',
};

/** The fact that ages are relative to. It is on record with the decision, so a replay gives the same result. */
export const NOW = 'time.now';
/** How far a time may be ahead of the decision, because clocks differ; one further ahead has no age. */
const MAX_AHEAD_MS = 5 * 60_000;

/** The time of the decision, and the time that is as old as the compared age. */
interface Moments {
  readonly now: number;
  readonly limit: number;
}

function nowOf(facts: object): number {
  const time: unknown = Reflect.get(facts, 'time');
  return timeOf(typeof time === 'object' && time !== null ? Reflect.get(time, 'now') : undefined) ?? Number.NaN;
}

/** An operator on the age of a time. */
function age(description: string, holds: (at: number, limit: number) => boolean): Entry {
  return {
    description: `${description} than the duration (a number and m, h, d or w), at the time of the decision; a time more than 5 minutes ahead counts as missing`,
    types: ['timestamp'],
    valueProblem: (value) =>
      typeof value === 'string' && (parseDuration(value) ?? 0) > 0
        ? undefined
        : 'must be a duration: a number above 0 and m, h, d or w, such as "30m", "24h" or "7d"',
    prepare: (value) => parseDuration(String(value)),
    binds: [NOW],
    bind: (durationMs, facts): Moments => {
      const now = nowOf(facts);
      return { now, limit: now - Number(durationMs) };
    },
    example: '24h',
    test: (actual, value) => {
      // Made by `bind` alone.
      const { now, limit } = value as Moments;
      const at = timeOf(actual);
      if (at === undefined || Number.isNaN(now) || at > now + MAX_AHEAD_MS) return 'missing';
      return outcome(holds(at, limit));
    },
  };
}

export const TIME_OPERATORS = {
  withinHours: {
    description:
      'is a time of day from the first, inclusive, to the second, exclusive; over midnight when the first is later. UTC, or {"hours", "zone", "days"}: an IANA zone, and the days on which the hours begin',
    types: ['minutes', 'timestamp'],
    valueProblem: (value, type) => hoursProblem(value, type === 'minutes'),
    prepare: compileHours,
    example: '08:00-18:00',
    // Made by `prepare` alone.
    test: (actual, value) => (value as HoursTest)(actual),
  },
  before: { ...INSTANT, description: 'is an earlier time', test: compareTime((a, v) => a < v) },
  after: { ...INSTANT, description: 'is a later time', test: compareTime((a, v) => a > v) },
  olderThan: age('is a time longer ago', (at, limit) => at < limit),
  newerThan: age('is a time less long ago', (at, limit) => at > limit),
} as const satisfies Readonly<Record<string, Entry>>;
