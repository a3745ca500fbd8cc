// How fast submitted intents are decided beside enforcement: a feedback controller, additive increase and multiplicative decrease (AIMD).
//
// Ingress reports how long enforcement takes (enforcement-notice.ts). When that is longer than usual, workers take smaller batches and rest
// between them; when it is not, they become faster step by step. If slowness does not help, what enforcement takes becomes the usual.
import { INTENTS_PER_BATCH } from '../shared/domain/decisions/intent-batch.ts';

export interface Pace {
  /** Roughly the share of their full speed, from the least one to 1. */
  readonly speed: number;
  /** How long enforcement takes while workers do not hold it up, in milliseconds. */
  readonly usualMs: number;
}

export interface EnforcementReport {
  /** How long enforcement took. */
  readonly tookMs: number;
  /** Whether batches were decided meanwhile. */
  readonly wasBeside: boolean;
}

/** Enforcement as fast as this is never too slow: it is about what a commit takes on a good disk. */
const FAST_MS = 4;
/** Times what is usual. Reports differ by themselves. */
const TOO_SLOW = 1.2;
const DECREASE = 0.6;
const INCREASE = 0.05;
/** Shares by which the usual time approaches a report. A single slow one must not raise it much. */
const LOWER_BY = 0.25;
const RAISE_BY = 0.1;
const MOST_RAISE = 1.1;

/** Some 10 ms of processor time, which the worker and PostgreSQL spend in turns; for a full batch it is some 70. */
export const SMALL_BATCH = 25;
/** Below this speed batches are small and followed by a rest. */
const REST_BELOW = 0.5;
/** So that accepted work always moves, also when a batch takes long. */
const MOST_REST_MS = 400;

/** Enforcement comes first: at the beginning it is held up as little as possible. */
export const firstPace = (leastSpeed: number): Pace => ({ speed: leastSpeed, usualMs: FAST_MS });

/** @param leastSpeed more than 0, at most 1 */
export function nextPace({ speed, usualMs }: Pace, { tookMs, wasBeside }: EnforcementReport, leastSpeed: number): Pace {
  const isTooSlow = tookMs > TOO_SLOW * Math.max(FAST_MS, usualMs);
  const next = isTooSlow ? speed * DECREASE : speed + INCREASE;
  return {
    // Without batches a report does not show whether the speed is too high.
    speed: wasBeside ? Math.min(1, Math.max(leastSpeed, next)) : speed,
    usualMs: nextUsual(usualMs, tookMs, wasBeside && speed > leastSpeed),
  };
}

/** @param isHeldUp workers may be why enforcement took longer */
function nextUsual(usualMs: number, tookMs: number, isHeldUp: boolean): number {
  const apart = tookMs - usualMs;
  if (apart <= 0) return usualMs + LOWER_BY * apart;
  return isHeldUp ? usualMs : Math.min(usualMs * MOST_RAISE, usualMs + RAISE_BY * apart);
}

/** Most intents of the next batch. */
export function batchSize(speed: number): number {
  const above = Math.max(0, speed - REST_BELOW) / (1 - REST_BELOW);
  return Math.round(SMALL_BATCH + (INTENTS_PER_BATCH - SMALL_BATCH) * above);
}

/** The rest after a batch. Batches take twice the speed as a share of the time, and at half the speed all of it. */
export function restMs(speed: number, batchMs: number): number {
  return Math.min(MOST_REST_MS, batchMs * Math.max(0, REST_BELOW / speed - 1));
}
