// For tests that are about time, on machines with other work: a time that other work made longer is measured again.

const ATTEMPTS = 6;
let again = 0;

/** How often a time was measured again in this process; the run reports the sum. */
export const measuredAgain = (): number => again;

/**
 * The least of up to six measurements, in milliseconds; the first one below the limit is the last. Other work on the
 * machine makes a time longer, and nothing makes it shorter than it is. Assertions about the answer belong in `measure`,
 * so that they run each time.
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
 * Runs a scenario that means something only when it takes less than `withinMs`, such as one within a window of a second:
 * when it fails and the machine has taken longer, it is run again, from its beginning.
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
