// A deadline for what another process answers. Time in which this process stood still does not count, as when it was stopped, its machine
// slept, or a long computation held its event loop: timers fire before the answers are read that have come meanwhile.

/** A timer that fires so much later than it should was held up. Turns of a busy event loop take less. */
const HELD_UP_MS = 50;

/**
 * @param end is called once, after `ms`; later by as much as the timer was held up, at most by `ms`
 * @returns a function that cancels it
 */
export function startDeadline(ms: number, end: () => void): () => void {
  const dueMs = performance.now() + ms;
  let timer = setTimeout(() => {
    const lateMs = performance.now() - dueMs;
    if (lateMs < HELD_UP_MS) end();
    else timer = setTimeout(end, Math.min(lateMs, ms));
  }, ms);
  return () => clearTimeout(timer);
}
