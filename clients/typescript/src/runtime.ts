// Time and randomness, as dependencies: a test replaces them.
import { CancelledError } from './errors.ts';

export interface Runtime {
  /** Milliseconds of a clock that is never set back. */
  nowMs(): number;
  /** Milliseconds of the wall clock, which may be wrong. */
  wallMs(): number;
  /** @throws {CancelledError} when the signal is aborted before the time is over */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
  newId(): string;
}

export function buildCancelledError(signal: AbortSignal): CancelledError {
  return new CancelledError('The call was cancelled.', { cause: signal.reason });
}

export const SYSTEM_RUNTIME: Runtime = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(buildCancelledError(signal));
      const end = (): void => {
        clearTimeout(timer);
        if (signal !== undefined) reject(buildCancelledError(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end);
        resolve();
      }, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
};

/**
 * @returns the milliseconds since this call, by the clock that has gone further: the one stands still while the machine sleeps, the other
 * may be set back
 */
export function startTimer({ nowMs, wallMs }: Pick<Runtime, 'nowMs' | 'wallMs'>): () => number {
  const start = { now: nowMs(), wall: wallMs() };
  return () => Math.max(nowMs() - start.now, wallMs() - start.wall);
}

/** A longer delay fires at once: setTimeout takes 32 bits. */
const MAX_DELAY_MS = 2_147_483_647;

/** A signal that is aborted by a timer or by another signal; `clear` ends both. */
export function startDeadline(ms: number, outer?: AbortSignal) {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  const timer = setTimeout(cancel, Math.min(ms, MAX_DELAY_MS));
  outer?.addEventListener('abort', cancel, { once: true });
  if (outer?.aborted === true) cancel();
  return {
    signal: controller.signal,
    clear(): void {
      clearTimeout(timer);
      outer?.removeEventListener('abort', cancel);
    },
  };
}
