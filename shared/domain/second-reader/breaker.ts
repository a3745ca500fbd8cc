// A circuit breaker: an endpoint that fails repeatedly is left alone for a while. Whether it works is found out with a question of the
// service's own: those of callers may be made so that they fail, and must not switch the endpoint off for others.

const FAILURES_TO_DOUBT = 3;
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 60_000;

export interface BreakerDeps {
  readonly monotonicMs: () => number;
  /** Asks a harmless question. Never rejects. @returns whether the endpoint works */
  readonly probe: () => Promise<boolean>;
  /** Called when it was opened, and when it was closed. */
  readonly onChange: () => void;
}

export interface Breaker {
  /** Whether a request may be sent now. After a rest it waits for the result of a probe. */
  admit(): boolean | Promise<boolean>;
  /** A request that was admitted has ended. */
  ended(result: 'answered' | 'failed'): void;
  /** Whether the endpoint did not answer the last probe. */
  isOpen(): boolean;
}

/** Rests are 1 s long at first, and twice as long after each further failure of a probe, up to a minute. */
export function createBreaker({ monotonicMs, probe, onChange }: BreakerDeps): Breaker {
  /** Requests that failed one after the other. */
  let failures = 0;
  /** The same of probes; 0: it is closed. */
  let rests = 0;
  let restsUntilMs = 0;
  let probing: Promise<boolean> | undefined;

  const settle = (works: boolean): boolean => {
    probing = undefined;
    failures = 0;
    const wasOpen = rests > 0;
    rests = works ? 0 : rests + 1;
    if (!works) restsUntilMs = monotonicMs() + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (rests - 1));
    if (wasOpen === works) onChange();
    return works;
  };
  const check = (): Promise<boolean> => (probing ??= probe().then(settle));

  return {
    isOpen: () => rests > 0,
    admit() {
      if (rests === 0) return true;
      return monotonicMs() < restsUntilMs ? false : check();
    },
    ended(result) {
      failures = result === 'answered' ? 0 : failures + 1;
      // While it is open, and while a probe is under way, requests that were sent before say nothing new.
      if (failures >= FAILURES_TO_DOUBT && rests === 0) void check();
    },
  };
}
