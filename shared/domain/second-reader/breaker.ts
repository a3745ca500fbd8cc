// A circuit breaker: after repeated failures an endpoint is left alone for a while, then tried with one request.

const FAILURES_TO_OPEN = 3;
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 60_000;

export type Admitted = 'normal' | 'probe';

export interface Breaker {
  /** Whether a request may be sent now. After a rest one request may, the probe; undefined: none. */
  admit(): Admitted | undefined;
  /** A request that was admitted has ended. */
  ended(admitted: Admitted, result: 'answered' | 'failed'): void;
  /** Whether the endpoint has failed repeatedly and has not answered since. */
  isOpen(): boolean;
}

/** Rests are 1 s long at first, and twice as long after each further failure, up to a minute. */
export function createBreaker(monotonicMs: () => number): Breaker {
  let failures = 0;
  let restsUntilMs = 0;
  let isProbing = false;
  const isOpen = (): boolean => failures >= FAILURES_TO_OPEN;
  return {
    isOpen,
    admit() {
      if (!isOpen()) return 'normal';
      if (isProbing || monotonicMs() < restsUntilMs) return undefined;
      isProbing = true;
      return 'probe';
    },
    ended(admitted, result) {
      if (admitted === 'probe') isProbing = false;
      if (result === 'answered') {
        failures = 0;
        return;
      }
      // Requests that were under way when the breaker opened say nothing new: many of them must not make the rest long.
      if (isOpen() && admitted === 'normal') return;
      failures += 1;
      if (isOpen())
        restsUntilMs = monotonicMs() + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (failures - FAILURES_TO_OPEN));
    },
  };
}
