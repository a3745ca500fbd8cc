// Time as a dependency, so that tests of waiting do not wait.
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Monotonic. */
  nowMs(): number;
  /** The time of day, which goes on while the machine is suspended. */
  dateMs(): number;
  /** Ends early, without an error, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  dateMs: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, { signal });
    } catch {
      // Aborted: the caller looks at the signal.
    }
  },
};

/** @returns the milliseconds since this call, by the clock that has gone further: the monotonic one stands still while the machine sleeps */
export function startTimer({ nowMs, dateMs }: Pick<Clock, 'nowMs' | 'dateMs'>): () => number {
  const start = { now: nowMs(), date: dateMs() };
  return () => Math.max(nowMs() - start.now, dateMs() - start.date);
}
