// Hours of the day and days of the week, in a time zone: what `withinHours` compares a time with.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { nearestName } from '../../kernel/near.ts';
import type { ComparisonOutcome } from './comparisons.ts';
import { minutesOfDay, parseHours, timeOf } from './values.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const MEMBERS = ['hours', 'zone', 'days'];
export const UTC = 'UTC';
const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1_440;

/** A valid value of `withinHours`. */
export interface Hours {
  /** Minutes since midnight; `from` is later than `to` in a range over midnight. */
  readonly from: number;
  readonly to: number;
  /** By their positions in WEEKDAYS; undefined: all. A range over midnight belongs to the day on which it begins. */
  readonly days: readonly number[] | undefined;
  readonly zone: string;
}

interface Written {
  readonly hours?: string;
  readonly zone?: string;
  readonly days?: readonly string[];
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A zone of the IANA database as this Node.js has it. Offsets such as "+02:00", which Intl knows too, are refused: they ignore summer time.
 */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(zone)) return false;
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}

const ZONES = Intl.supportedValuesOf('timeZone');

function zoneProblem(zone: unknown): string | undefined {
  if (zone === undefined || (typeof zone === 'string' && isZone(zone))) return undefined;
  const near = typeof zone === 'string' ? nearestName(zone, ZONES) : undefined;
  const meant = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  return `has the zone ${JSON.stringify(zone)}, which is no time zone such as "Europe/Berlin"${meant}`;
}

function daysProblem(days: unknown): string | undefined {
  if (days === undefined) return undefined;
  const known: readonly unknown[] = WEEKDAYS;
  const isList = Array.isArray(days) && days.length > 0 && new Set(days).size === days.length;
  return isList && days.every((day) => known.includes(day))
    ? undefined
    : `has days that are not a list of ${WEEKDAYS.join(', ')}, each at most once`;
}

const HOURS_PROBLEM = 'must be two different times such as "08:00-18:00"';

/** Describes what is wrong with a value; undefined when it is valid. @param isWithoutDate whether the fact is a mere time of day */
export function hoursProblem(value: unknown, isWithoutDate: boolean): string | undefined {
  if (!isPlain(value))
    return parseHours(value) === undefined
      ? `${HOURS_PROBLEM}, or {"hours": "08:00-18:00", "zone": "Europe/Berlin", "days": ["mon"]}`
      : undefined;
  const stranger = Object.keys(value).find((key) => !MEMBERS.includes(key));
  if (stranger !== undefined) return `has the member ${JSON.stringify(stranger)}; known are ${MEMBERS.join(', ')}`;
  const { hours, zone, days } = value;
  if (hours === undefined && days === undefined) return 'must have "hours" or "days"';
  if (hours !== undefined && parseHours(hours) === undefined) return `has hours that are wrong: ${HOURS_PROBLEM}`;
  if (isWithoutDate && (zone !== undefined || days !== undefined))
    return 'has a zone or days, which a time of day without a date does not have: compare time.now';
  return zoneProblem(zone) ?? daysProblem(days);
}

/** Converts a valid value. */
export function hoursOf(value: unknown): Hours {
  // A checked value that is no text has these members.
  const written: Written = typeof value === 'string' ? { hours: value } : (value as Written);
  const { from, to } = parseHours(written.hours) ?? { from: 0, to: MINUTES_PER_DAY };
  const days = written.days?.map((day) => WEEKDAYS.findIndex((known) => known === day));
  return { from, to, days, zone: written.zone ?? UTC };
}

interface LocalTime {
  readonly minute: number;
  /** Position in WEEKDAYS. */
  readonly weekday: number;
}

type Clock = (atMs: number) => LocalTime;

/** Making one takes about as long as checking a policy. */
const clocks = new BoundedCache<Clock>({ max: ZONES.length });

/** The clock of a zone, whose name may be in any case. @throws {RangeError} for an unknown zone */
function clockOf(zone: string): Clock {
  const name = zone.toLowerCase();
  const known = clocks.get(name);
  if (known !== undefined) return known;
  const clock = newClock(zone);
  clocks.set(name, clock);
  return clock;
}

/** Reads clocks and calendars of a zone. Remembers the last minute, because decisions ask about the present. */
function newClock(zone: string): Clock {
  if (zone === UTC)
    return (atMs) => {
      const date = new Date(atMs);
      return { minute: date.getUTCHours() * 60 + date.getUTCMinutes(), weekday: (date.getUTCDay() + 6) % 7 };
    };
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  let last: { readonly at: number; readonly time: LocalTime } | undefined;
  return (atMs) => {
    const at = Math.floor(atMs / MINUTE_MS);
    if (last?.at === at) return last.time;
    const parts = new Map(format.formatToParts(at * MINUTE_MS).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
    const day = parts.get('weekday')?.toLowerCase();
    const time = { minute, weekday: WEEKDAYS.findIndex((known) => known === day) };
    last = { at, time };
    return time;
  };
}

function isWithin({ from, to, days }: Hours, { minute, weekday }: LocalTime): boolean {
  const isDay = (day: number): boolean => days === undefined || days.includes(day);
  if (from < to) return minute >= from && minute < to && isDay(weekday);
  return (minute >= from && isDay(weekday)) || (minute < to && isDay((weekday + 6) % 7));
}

/** The minutes of the day, in UTC, at which the result may change in winter or in summer. */
export function utcMarks(value: unknown, yearMs: number): number[] {
  const { from, to, zone } = hoursOf(value);
  const clock = clockOf(zone);
  const offsets = [0, 182].map((day) => {
    const date = new Date(yearMs + day * MINUTES_PER_DAY * MINUTE_MS);
    return clock(date.getTime()).minute - (date.getUTCHours() * 60 + date.getUTCMinutes());
  });
  const minutes = offsets.flatMap((offset) => [0, from, to].map((minute) => minute - offset));
  return [...new Set(minutes.map((minute) => ((minute % MINUTES_PER_DAY) + MINUTES_PER_DAY) % MINUTES_PER_DAY))];
}

/** The test of a prepared value on a time, or on a number of minutes since midnight UTC. */
export type HoursTest = (actual: unknown) => ComparisonOutcome;

/**
 * Compiles a valid value. Hours are those of the zone's clocks: an hour that is skipped in spring never is, and one that is repeated in
 * autumn is twice.
 */
export function compileHours(value: unknown): HoursTest {
  const hours = hoursOf(value);
  const clock = clockOf(hours.zone);
  const hasDate = hours.zone !== UTC || hours.days !== undefined;
  return (actual) => {
    const atMs = timeOf(actual);
    const minute = atMs === undefined && !hasDate ? minutesOfDay(actual) : undefined;
    if (minute !== undefined) return isWithin(hours, { minute, weekday: 0 }) ? 'yes' : 'no';
    if (atMs === undefined) return 'missing';
    return isWithin(hours, clock(atMs)) ? 'yes' : 'no';
  };
}
