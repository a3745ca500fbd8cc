// Stop signals of the supervisor: the first starts an orderly shutdown, the second ends everything at once.
import { SAME_SIGNAL_MS } from '../../shared/platform/process/lifecycle.ts';

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly requested: AbortSignal;
  /** Settles with the first signal. */
  readonly received: Promise<void>;
}

/** With SIGHUP, so that the database does not keep running when the terminal is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @param onSecond called for a second signal; it ends everything by force */
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
