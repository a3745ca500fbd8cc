// The table of error codes. The reference endpoint, the OpenAPI document and the tests derive from it.

export interface ErrorEntry {
  /** The HTTP statuses this code can have; the first is the default. */
  readonly statuses: readonly [number, ...number[]];
  readonly title: string;
  readonly category: 'authentication' | 'validation' | 'limit' | 'not_found' | 'conflict' | 'internal';
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  readonly when: string;
}

export const ERROR_TABLE = {
  E1001: {
    statuses: [401],
    title: 'API key missing',
    category: 'authentication',
    retryable: false,
    when: 'the API key is missing',
  },
  E1002: {
    statuses: [401],
    title: 'API key invalid',
    category: 'authentication',
    retryable: false,
    when: 'the API key is invalid or has been revoked',
  },
  E1003: {
    statuses: [401],
    title: 'API key expired',
    category: 'authentication',
    retryable: false,
    when: 'the API key has expired; a new one must be generated',
  },
  E1004: {
    statuses: [403],
    title: 'Permission lacking',
    category: 'authentication',
    retryable: false,
    when: 'the key lacks permission for the operation',
  },
  E2001: {
    statuses: [400],
    title: 'Request invalid',
    category: 'validation',
    retryable: false,
    when: 'the request is not what the schema says',
  },
  E2005: {
    statuses: [413],
    title: 'Body too large',
    category: 'validation',
    retryable: false,
    when: 'the body is larger than 1 MB',
  },
  E2006: {
    statuses: [400],
    title: 'Not valid JSON',
    category: 'validation',
    retryable: false,
    when: 'the body is not valid JSON; duplicate member names, lone surrogates, integer literals beyond 2^53-1, overflow such as 1e400 and depth over 64 count as invalid',
  },
  E2009: {
    statuses: [415],
    title: 'Content type not supported',
    category: 'validation',
    retryable: false,
    when: 'the content type is not JSON',
  },
  E2010: {
    statuses: [409, 422],
    title: 'Idempotency key in conflict',
    category: 'conflict',
    retryable: false,
    when: 'the idempotency key is in use by a running request (409) or was used with another body (422)',
  },
  E3001: {
    statuses: [429],
    title: 'Rate limit exceeded',
    category: 'limit',
    retryable: true,
    when: 'the rate limit is exceeded; Retry-After says when to come back',
  },
  E4001: {
    statuses: [404],
    title: 'Resource not found',
    category: 'not_found',
    retryable: false,
    when: 'the resource does not exist in this organisation and environment',
  },
  E4002: {
    statuses: [404],
    title: 'Agent not found',
    category: 'not_found',
    retryable: false,
    when: 'the agent does not exist in this organisation and environment',
  },
  E4003: {
    statuses: [404],
    title: 'Proof not found',
    category: 'not_found',
    retryable: false,
    when: 'the proof does not exist in this organisation and environment',
  },
  E4004: {
    statuses: [404],
    title: 'Endpoint not found',
    category: 'not_found',
    retryable: false,
    when: 'there is no such endpoint',
  },
  E4005: {
    statuses: [405],
    title: 'Method not allowed',
    category: 'not_found',
    retryable: false,
    when: 'the endpoint exists, but not with this method; Allow lists the methods it has',
  },
  E5001: {
    statuses: [409],
    title: 'Approval closed',
    category: 'conflict',
    retryable: false,
    when: 'the approval is already closed',
  },
  E5002: {
    statuses: [409],
    title: 'Illegal state change',
    category: 'conflict',
    retryable: false,
    when: 'the resource cannot change from its state to that one',
  },
  E5003: {
    statuses: [409],
    title: 'Already exists',
    category: 'conflict',
    retryable: false,
    when: 'a resource with this id already exists',
  },
  E5004: {
    statuses: [409],
    title: 'Decision no longer stands',
    category: 'conflict',
    retryable: false,
    when: 'what is repeated was allowed, and is not any more: the decision has expired, the environment is halted, the agent is not active, the key is not valid, or a used approval would be denied now; ask anew',
  },
  E6001: {
    statuses: [500],
    title: 'Internal error',
    category: 'internal',
    retryable: true,
    when: 'an internal error; nothing internal is in the text',
  },
  E6002: {
    statuses: [503],
    title: 'Dependency down',
    category: 'internal',
    retryable: true,
    when: 'a dependency is down; Retry-After says when to come back',
  },
} as const satisfies Record<string, ErrorEntry>;

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

/** An RFC 9457 problem document. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ErrorCode;
  category: ErrorEntry['category'];
  retryable: boolean;
  requestId: string;
  errors?: FieldError[];
}

/** The problem document of an error; `instance` is the path of the request. */
export function toProblem(error: ApiError, instance: string, requestId: string): Problem {
  const entry: ErrorEntry = ERROR_TABLE[error.code];
  return {
    type: `/v1/reference/errors#${error.code}`,
    title: entry.title,
    status: error.status,
    detail: error.message,
    instance,
    code: error.code,
    category: entry.category,
    retryable: entry.retryable || (error.code === 'E2010' && error.status === 409),
    requestId,
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
  };
}

/** For a branch that the types exclude. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
