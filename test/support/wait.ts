// Waiting in tests: for a condition, with a deadline that says what was waited for.
import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Default: 30,000: a condition that never comes is an error, and a machine that is busy is none. */
  readonly timeoutMs?: number;
  /** How long to rest between two looks. Default: 20. */
  readonly intervalMs?: number;
  /** Names the condition in the error. */
  readonly what?: string;
}

/**
 * Looks again and again until `condition` gives something other than undefined, null or false, and returns that.
 * An error that it throws counts as "not yet" and is the cause of the error at the deadline.
 */
export async function waitFor<T>(
  condition: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = 30_000, intervalMs = 20, what = 'the condition' } = options;
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
