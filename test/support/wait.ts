// Waits for a condition in tests. The error at the deadline names the condition.
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Default: 90,000, which is long enough for a machine with ten times the work it can do. */
  readonly timeoutMs?: number;
  /** Time between two polls. Default: 20. */
  readonly intervalMs?: number;
  /** Names the condition in the error. */
  readonly what?: string;
}

/**
 * Polls until `condition` gives a value other than undefined, null or false, and returns that value. An error that it throws
 * means "not yet" and becomes the cause of the error at the deadline.
 */
export async function waitFor<T>(
  condition: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = 90_000, intervalMs = 20, what = 'the condition' } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value;
    } catch (error) {
      cause = error;
    }
    if (Date.now() >= deadline)
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, cause === undefined ? undefined : { cause });
    await delay(intervalMs);
  }
}
