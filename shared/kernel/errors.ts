// The table of error codes. The reference endpoint, the OpenAPI document and the tests derive from it.

export const ERROR_CATEGORIES = ['authentication', 'validation', 'limit', 'not_found', 'conflict', 'internal'] as const;

export interface ErrorEntry {
  /** The HTTP statuses this code can have; the first is the default. */
  readonly statuses: readonly [number, ...number[]];
  readonly title: string;
  readonly category: (typeof ERROR_CATEGORIES)[number];
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  readonly when: string;
}

function entry(
  category: ErrorEntry['category'],
  statuses: ErrorEntry['statuses'],
  title: string,
  when: string,
): ErrorEntry {
  return { statuses, title, category, retryable: false, when };
}

/** An entry for an error that may pass by itself. */
function transient(...columns: Parameters<typeof entry>): ErrorEntry {
  return { ...entry(...columns), retryable: true };
}

export const ERROR_TABLE = {
  E1001: entry('authentication', [401], 'API key missing', 'the API key is missing'),
  E1002: entry('authentication', [401], 'API key invalid', 'the API key is invalid or has been revoked'),
  E1003: entry('authentication', [401], 'API key expired', 'the API key has expired; a new one must be generated'),
  E1004: entry('authentication', [403], 'Permission lacking', 'the key lacks permission for the operation'),
  E2001: entry(
    'validation',
    [400, 422],
    'Request invalid',
    'the request is not what the schema says (400), or files of a policy set have errors (422)',
  ),
  E2005: entry('validation', [413], 'Body too large', 'the body is larger than 1 MB, or 8 MB for a policy set'),
  E2006: entry(
    'validation',
    [400],
    'Not valid JSON',
    'the body is not valid JSON; duplicate member names, lone surrogates, integer literals beyond 2^53-1, overflow such as 1e400 and depth over 64 count as invalid',
  ),
  E2009: entry('validation', [415], 'Content type not supported', 'the content type is not JSON'),
  E2010: entry(
    'conflict',
    [409, 422],
    'Idempotency key in conflict',
    'the idempotency key is in use by a running request (409) or was used with another body (422)',
  ),
  E3001: transient(
    'limit',
    [429],
    'Rate limit exceeded',
    'the rate limit is exceeded; Retry-After says when to come back',
  ),
  E4001: entry(
    'not_found',
    [404],
    'Resource not found',
    'the resource does not exist in this organisation and environment',
  ),
  E4002: entry('not_found', [404], 'Agent not found', 'the agent does not exist in this organisation and environment'),
  E4003: entry('not_found', [404], 'Proof not found', 'the proof does not exist in this organisation and environment'),
  E4004: entry('not_found', [404], 'Endpoint not found', 'there is no such endpoint'),
  E4005: entry(
    'not_found',
    [405],
    'Method not allowed',
    'the endpoint exists, but not with this method; Allow lists the methods it has',
  ),
  E4006: entry(
    'not_found',
    [410],
    'Dropped by retention',
    'the decision, the record of the proof, or the approval is older than its organisation keeps such data; receipts that were given out still verify',
  ),
  E5001: entry('conflict', [409], 'Approval closed', 'the approval is already closed'),
  E5002: entry('conflict', [409], 'Illegal state change', 'the resource cannot change from its state to that one'),
  E5003: entry('conflict', [409], 'Already exists', 'a resource with this id already exists'),
  E5004: entry(
    'conflict',
    [409],
    'Decision no longer stands',
    'what is repeated was allowed, and is not any more: it expired, the environment is halted, the agent not active, the key not valid, or it would be denied now',
  ),
  E6001: transient('internal', [500], 'Internal error', 'an internal error; nothing internal is in the text'),
  E6002: transient('internal', [503], 'Dependency down', 'a dependency is down; Retry-After says when to come back'),
};

export type ErrorCode = keyof typeof ERROR_TABLE;

/** One error of a request. `pointer` is an RFC 6901 pointer into the body, or `?name` for a query parameter, `{name}` for a path parameter. */
export interface FieldError {
  readonly pointer: string;
  readonly message: string;
}

export interface ApiErrorOptions {
  readonly status?: number;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** The decision that the error is about; the access log names it. */
  readonly decisionId?: string;
}

/** An error with a code of the table. `detail` is shown to the caller: it states what to do and nothing internal. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly decisionId: string | undefined;

  constructor(code: ErrorCode, detail: string, options: ApiErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? ERROR_TABLE[code].statuses[0];
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.decisionId = options.decisionId;
  }
}

/** The usual refusal of one field: E2001 with its pointer. */
export function invalidField(pointer: string, message: string): ApiError {
  return new ApiError('E2001', `The request is invalid: ${pointer || 'the body'} ${message}.`, {
    errors: [{ pointer, message }],
  });
}

/** @param what the beginning of the sentence */
export function droppedByRetention(what: string): ApiError {
  return new ApiError(
    'E4006',
    `${what} is older than what is kept, and was dropped. The log says when, and which setting demanded it.`,
  );
}

/** For a branch that the types exclude. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
