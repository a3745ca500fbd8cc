// Work that a process repeats until it is closed.
import { setTimeout as delay } from 'node:timers/promises';

export interface Loop {
  /** Aborts the signal and resolves when the work that is running has ended. */
  close(): Promise<void>;
}

/** Starts `work`, which repeats until `signal` is aborted. */
export function startLoop(work: (signal: AbortSignal) => Promise<void>): Loop {
  const stop = new AbortController();
  const running = work(stop.signal);
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Ends early when `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
