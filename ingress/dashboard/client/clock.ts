// The service's clock, by which all times on the pages are reckoned: this machine's own may be wrong, and must not let an
// approval look expired that is not.

/** An answer says whole seconds, and was under way: less than this is no difference. */
const TOLERATED_MS = 5_000;

let aheadMs = 0;

/**
 * Takes what an answer said of the time.
 * @param date its header `Date`; what is none changes nothing
 * @param atMs when it came, by this machine's clock
 */
export function heardTime(date: string | null, atMs = Date.now()): void {
  const ms = Date.parse(date ?? '');
  if (Number.isNaN(ms)) return;
  const difference = ms - atMs;
  aheadMs = Math.abs(difference) < TOLERATED_MS ? 0 : difference;
}

/** A time of this machine's clock as the service's clock has it, in milliseconds since 1970. */
export function byService(localMs: number): number {
  return localMs + aheadMs;
}
