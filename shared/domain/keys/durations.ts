// Durations as callers write them: a number and one unit letter, `90d`.
import { invalidField } from '../../kernel/errors.ts';

/** For schemas; the bounds are checked here, because an expression cannot. */
export const DURATION_PATTERN = '^[0-9]{1,7}[mhdw]$';

const MINUTE_MS = 60_000;
const UNIT_MS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 1_440 * MINUTE_MS, w: 10_080 * MINUTE_MS } as const;

/** A duration in milliseconds, or undefined when the text is none. `m` minutes, `h` hours, `d` days, `w` weeks. */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]{1,7})([mhdw])$/.exec(text);
  if (match === null) return undefined;
  // The expression allows no other letter.
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

export interface DurationBounds {
  /** As a caller would write them. */
  readonly min: string;
  readonly max: string;
}

/** How long a key may live (`expiresIn`). */
export const LIFETIME: DurationBounds = { min: '1m', max: '3650d' };
/** How long a rotated key may outlive its rotation (`overlap`). */
export const OVERLAP: DurationBounds = { min: '0m', max: '30d' };
/**
 * Not `0m`: a key that rotates itself and loses the answer could not ask for it again with the same Idempotency-Key,
 * because it would be revoked. Whoever has lost a key says `0m`.
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
