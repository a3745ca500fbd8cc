// When a webhook is tried again, and when its endpoint is given a rest. Pure.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Pauses after the first to seventh failed attempt, 27.6 hours together: the example of the Standard Webhooks specification. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/**
 * A message holds back later ones about its subject until it has failed this often (35 minutes). The index
 * webhook_delivery_holding has the same number.
 */
export const HOLDING_ATTEMPTS = 4;

/** How far ahead the next attempt of a message may be. */
export const DUE_AHEAD = `interval '${Math.max(...RETRY_AFTER_MS)} milliseconds'`;

/** When the next attempt is due; undefined: there is none. @param attempts how many have failed, 1 or more */
export function nextAttemptMs(attempts: number, nowMs: number): number | undefined {
  const pauseMs = RETRY_AFTER_MS[attempts - 1];
  return pauseMs === undefined ? undefined : nowMs + pauseMs;
}

/** An endpoint without a success for this long is disabled at its next failure. */
const DISABLE_AFTER_MS = 3 * DAY_MS;
export const REST_MAX_MS = MINUTE_MS;

/** Whether a failure disables the endpoint. @param sinceMs the first failure since the last success @param nowMs the earliest of the clocks (`deletionMs`) */
export const isGivenUp = (sinceMs: number, nowMs: number): boolean => nowMs - sinceMs >= DISABLE_AFTER_MS;

/**
 * Pause of an endpoint after a batch without any success, so that a receiver that is away is not tried for every waiting
 * message: a tenth of the time that it has been failing.
 */
export function restMs(sinceMs: number, nowMs: number): number {
  return Math.min(REST_MAX_MS, Math.max(SECOND_MS, (nowMs - sinceMs) / 10));
}
