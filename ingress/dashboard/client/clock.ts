// The service's clock. Relative times use it, because this machine's clock may be wrong and would make a valid approval look
// expired.

/** The header Date has whole seconds, and the answer took time to arrive: smaller differences are ignored. */
const TOLERATED_MS = 5_000;

let aheadMs = 0;

/**
 * Takes the service's time from an answer.
 * @param date its header `Date`; an invalid one is ignored
 * @param atMs when it arrived, by this machine's clock
 */
export function syncClock(date: string | null, atMs = Date.now()): void {
  const ms = Date.parse(date ?? '');
  if (Number.isNaN(ms)) return;
  const difference = ms - atMs;
  aheadMs = Math.abs(difference) < TOLERATED_MS ? 0 : difference;
}

/** Converts a time of this machine's clock to the service's, in milliseconds since 1970. */
export function byService(localMs: number): number {
  return localMs + aheadMs;
}
