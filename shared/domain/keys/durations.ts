// Durations as callers write them: a number and one unit letter, `90d`.
import { parseDuration } from '../../kernel/durations.ts';
import { invalidField } from '../../kernel/errors.ts';

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
