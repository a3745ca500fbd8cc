// Computes the time facts of an instant, in UTC.
import type { Facts } from './types.ts';

/** The `time` facts of an instant, in milliseconds since 1970. */
export function timeFactsOf(nowMs: number): Facts['time'] {
  const date = new Date(nowMs);
  const now = date.toISOString();
  return {
    now,
    date: now.slice(0, 10),
    hour: date.getUTCHours(),
    minute_of_day: date.getUTCHours() * 60 + date.getUTCMinutes(),
    weekday: date.getUTCDay() || 7,
  };
}
