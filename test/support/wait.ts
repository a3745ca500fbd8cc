// Waits for a condition in tests. The error at the deadline names the condition.
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Default: 90,000, which is long enough for a machine with ten times the work it can do. */
  readonly timeoutMs?: number;
  /** Time between two polls. Default: 20 at first, then a twentieth of the time waited so far, at most 250. */
  readonly intervalMs?: number;
  /** Names the condition in the error. */
  readonly what?: string;
}

const LEAST_INTERVAL_MS = 20;
const MOST_INTERVAL_MS = 250;

/** The longer a wait took, the less often it looks: a look at a process costs that process and its database processor time, too. */
const intervalAfter = (waitedMs: number): number =>
  Math.min(MOST_INTERVAL_MS, Math.max(LEAST_INTERVAL_MS, waitedMs / 20));

/**
 * Polls until `condition` gives a value other than undefined, null or false, and returns that value. An error that it throws
 * means "not yet" and becomes the cause of the error at the deadline.
 */
export async function waitFor<T>(
  condition: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = 90_000, intervalMs, what = 'the condition' } = options;
  const begunMs = performance.now();
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value;
    } catch (error) {
      cause = error;
    }
    const waitedMs = performance.now() - begunMs;
    if (waitedMs >= timeoutMs) {
      const because = cause instanceof Error ? ` (${cause.message})` : '';
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}${because}`, { cause });
    }
    await delay(intervalMs ?? intervalAfter(waitedMs));
  }
}
