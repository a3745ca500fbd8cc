// Durations as callers write them: a number and one unit letter, `90d`.
import { invalidField } from '../../kernel/errors.ts';

/** For schemas. A pattern can't check the bounds; readDuration does. */
export const DURATION_PATTERN = '^[0-9]{1,7}[mhdw]$';

const MINUTE_MS = 60_000;
const UNIT_MS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 1_440 * MINUTE_MS, w: 10_080 * MINUTE_MS } as const;

/** A duration in milliseconds; undefined if the text is not one. `m` minutes, `h` hours, `d` days, `w` weeks. */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]{1,7})([mhdw])$/.exec(text);
  if (match === null) return undefined;
  // The pattern allows no other letter.
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

export interface DurationBounds {
  /** In the form that callers use. */
  readonly min: string;
  readonly max: string;
}

/** The lifetime of a key (`expiresIn`). */
export const LIFETIME: DurationBounds = { min: '1m', max: '3650d' };
/** How long a rotated key stays valid (`overlap`). */
export const OVERLAP: DurationBounds = { min: '0m', max: '30d' };
/**
 * Not `0m`: a key that rotates itself and loses the response must be able to repeat the request with the same
 * Idempotency-Key, and for that it must not be revoked yet.
 */
export const DEFAULT_OVERLAP = '1h';

/** A duration of a request in milliseconds. @throws {ApiError} E2001 at `pointer` */
export function readDuration(text: string, bounds: DurationBounds, pointer: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined || durationMs < limit(bounds.min) || durationMs > limit(bounds.max))
    throw invalidField(
      pointer,
      `must be a number and a unit letter (m minutes, h hours, d days, w weeks), from ${bounds.min} to ${bounds.max}`,
    );
  return durationMs;
}

function limit(text: string): number {
  return parseDuration(text) ?? Number.NaN;
}
