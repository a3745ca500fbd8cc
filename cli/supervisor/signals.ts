// Stop signals of the supervisor, and the end of the npx that runs it: the first starts an orderly shutdown, the second ends everything at once.
import { SAME_SIGNAL_MS } from '../../shared/platform/process/lifecycle.ts';

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly requested: AbortSignal;
  /** Settles with the first signal. */
  readonly received: Promise<void>;
}

/** With SIGHUP, so that the database does not keep running when the terminal is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npx runs a command in a shell and passes signals only to the shell, which ends without the command. */
const PARENT_CHECK_MS = 500;

/** Calls back when the process that started this one has ended. The system gives an orphan another parent. */
function onOrphaned(ended: () => void): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    ended();
  }, PARENT_CHECK_MS);
  check.unref();
}

/** @param onSecond called for a second signal; it ends everything by force */
export function listenForStop(onSecond: () => void): StopSignals {
  const controller = new AbortController();
  let firstAtMs = 0;
  const received = new Promise<void>((resolve) => {
    const requestStop = (): void => {
      firstAtMs = performance.now();
      controller.abort();
      resolve();
    };
    for (const name of STOP_SIGNALS)
      process.on(name, () => {
        if (!controller.signal.aborted) requestStop();
        else if (performance.now() - firstAtMs > SAME_SIGNAL_MS) onSecond();
      });
    // Not under `npm run`: a script may leave the service running in the background.
    if (process.env['npm_command'] === 'exec')
      onOrphaned(() => {
        if (!controller.signal.aborted) requestStop();
      });
  });
  return { requested: controller.signal, received };
}
