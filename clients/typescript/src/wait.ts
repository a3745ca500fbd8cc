// Waits until an object has reached a state: the service holds the request where it can, and the client polls with back-off.
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions, Http, OperationName } from './http.ts';
import type { Runtime } from './runtime.ts';

export interface WaitOptions {
  /** For the whole wait. Default: 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest time for which the service holds a request. */
const MAX_HELD_SECONDS = 30;
const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 2_000;
/** For the answer itself: the service has to give it before the wait is over. */
const MARGIN_MS = 500;
/** In addition to the time for which the service holds the request. */
const ANSWER_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 60_000;

/** An outage that may pass while there is still time to wait. */
function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable || error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof UnexpectedAnswerError;
}

/** @throws {TimeoutError} with `lastState` when the state is not reached in time */
export async function waitUntil<State>(
  { http, runtime }: { readonly http: Http; readonly runtime: Runtime },
  operation: OperationName,
  id: string,
  isReached: (state: State) => boolean,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: WaitOptions = {},
): Promise<State> {
  const endMs = runtime.nowMs() + timeoutMs;
  let lastState: State | undefined;
  let cause: unknown;
  for (let pollMs = FIRST_POLL_MS; ; ) {
    const leftMs = endMs - runtime.nowMs();
    // Also for NaN, which would never end.
    if (!(leftMs > 0))
      throw new TimeoutError(`The state of ${id} that is waited for was not reached in time.`, { lastState, cause });
    const held = Math.min(MAX_HELD_SECONDS, Math.floor((leftMs - MARGIN_MS) / 1_000));
    const request = { operation, path: [id], ...(held < 1 ? {} : { waitSeconds: held }) };
    const options: CallOptions = { signal, timeoutMs: Math.min(leftMs, held * 1_000 + ANSWER_TIMEOUT_MS) };
    const askedMs = runtime.nowMs();
    try {
      lastState = (await http.send(request, options)).body as State;
      cause = undefined;
      if (isReached(lastState)) return lastState;
    } catch (error) {
      if (!isTransient(error)) throw error;
      cause = error;
    }
    // A request that was held has waited already.
    const nowMs = runtime.nowMs();
    await runtime.sleep(Math.max(0, Math.min(askedMs + pollMs, endMs) - nowMs), signal);
    pollMs = Math.min(2 * pollMs, MAX_POLL_MS);
  }
}
