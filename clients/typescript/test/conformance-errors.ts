// Errors of the client as the conformance harness compares them.
import {
  ApiError,
  CancelledError,
  ConnectionError,
  RefusedError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../src/index.ts';

/** The error of a guarded function in a case. */
export class FunctionError extends Error {}

export function describeError(error: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  if (error instanceof FunctionError) return { type: 'function', message };
  if (error instanceof CancelledError) return { type: 'cancelled', message };
  if (error instanceof ConnectionError) return { type: 'connection', message };
  if (error instanceof TimeoutError) return { type: 'timeout', message, state: error.lastState };
  if (error instanceof UnexpectedAnswerError) {
    const { status, requestId } = error;
    return { type: 'unexpected', message, status, requestId };
  }
  if (error instanceof ApiError) {
    const { status, code, category, retryable, requestId, retryAfterSeconds } = error;
    return { type: 'api', message, status, code, category, retryable, requestId, retryAfterSeconds };
  }
  if (!(error instanceof RefusedError)) return undefined;
  const { verdict, decisionId, approvalId, hasRun, cause } = error;
  const type = cause === undefined ? undefined : (describeError(cause)?.['type'] ?? 'other');
  return { type: 'refused', message, verdict, decisionId, approvalId, hasRun, cause: type };
}
