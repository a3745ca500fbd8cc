// For tests of durations on busy machines: a duration that exceeds its limit is measured again.

const ATTEMPTS = 6;
let again = 0;

/** Number of repeated measurements in this process. The run reports the sum. */
export const measuredAgain = (): number => again;

/**
 * The minimum of up to six measurements, in milliseconds. Measuring stops at the first one below the limit. The minimum is
 * right because other work on the machine can only lengthen a duration. Assertions about results belong in `measure`, so
 * that they run each time.
 */
export async function leastMs(limitMs: number, measure: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= limitMs; attempt += 1) {
    if (attempt > 0) again += 1;
    least = Math.min(least, await measure());
  }
  return least;
}

/**
 * Runs a scenario that is valid only if it takes less than `withinMs`, such as one within a one-second window. If it fails
 * and took longer, it is run again from the start.
 */
export async function undisturbed(withinMs: number, scenario: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const startedMs = performance.now();
    try {
      return await scenario();
    } catch (error) {
      if (performance.now() - startedMs < withinMs || attempt === ATTEMPTS) throw error;
      again += 1;
    }
  }
}
