// Repeats a request that may be repeated, with exponential back-off and full jitter, until its time is over.
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { Runtime } from './runtime.ts';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** The same request would fail again, whatever the answer says. */
const FINAL_STATUSES = [400, 401, 403, 404, 413, 415, 422];

/** @param isIdempotent whether a request that the service may have carried out can be sent again */
export function mayRepeat(error: unknown, isIdempotent: boolean): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return isIdempotent;
  if (error instanceof UnexpectedAnswerError)
    return error.status === 429 || error.status === 503 || (error.isTruncated && isIdempotent);
  if (!(error instanceof ApiError) || FINAL_STATUSES.includes(error.status)) return false;
  // 409 with Retry-After: the first request with this Idempotency-Key is still running.
  const isRunning = error.status === 409 && error.retryAfterSeconds !== undefined;
  return isRunning || error.status === 429 || error.status === 503 || error.retryable;
}

function delayMs(error: unknown, attempt: number, runtime: Runtime): number {
  const retryAfter =
    error instanceof ApiError || error instanceof UnexpectedAnswerError ? error.retryAfterSeconds : undefined;
  return retryAfter === undefined
    ? runtime.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
    : retryAfter * 1_000;
}

export interface RetryOptions {
  readonly retries: number;
  readonly isIdempotent: boolean;
  /** On the runtime's clock. */
  readonly endMs: number;
  readonly signal: AbortSignal | undefined;
  readonly runtime: Runtime;
}

/** @throws what the last attempt has thrown; without a wait when Retry-After is longer than the time left */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, isIdempotent, endMs, signal, runtime } = options;
  for (let done = 0; ; done += 1) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = delayMs(error, done, runtime);
      if (done >= retries || !mayRepeat(error, isIdempotent) || runtime.nowMs() + waitMs >= endMs) throw error;
      await runtime.sleep(waitMs, signal);
    }
  }
}
