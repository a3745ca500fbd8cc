// The signals that ask the supervisor to stop: the first in order, the second at once.
import { SAME_SIGNAL_MS } from '../../shared/platform/process/lifecycle.ts';

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly requested: AbortSignal;
  /** Settles with the first signal. */
  readonly received: Promise<void>;
}

/** SIGHUP too: a terminal that is closed must not leave the database behind. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @param onSecond what to do when a second signal comes: end everything by force */
export function listenForStop(onSecond: () => void): StopSignals {
  const controller = new AbortController();
  let firstAtMs = 0;
  const received = new Promise<void>((resolve) => {
    for (const name of STOP_SIGNALS)
      process.on(name, () => {
        if (!controller.signal.aborted) {
          firstAtMs = performance.now();
          controller.abort();
          resolve();
        } else if (performance.now() - firstAtMs > SAME_SIGNAL_MS) onSecond();
      });
  });
  return { requested: controller.signal, received };
}
