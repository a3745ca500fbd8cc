// The errors of the client: one base class, and a class for each way in which a call can fail.

export interface ErrorOptions {
  readonly cause?: unknown;
}

/** Base class of all errors of this package. */
export class CustosError extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
  }
}

/** One wrong member of a request. */
export interface FieldError {
  /** RFC 6901 pointer into the body, `?name` for a query parameter, `{name}` for a path parameter. */
  readonly pointer: string;
  readonly message: string;
}

/** An answer in problem+json (RFC 9457), as the service sends it. */
export interface Problem {
  readonly status: number;
  /** `E1001` and so on; `custos.reference.errors()` lists them. */
  readonly code: string;
  readonly category: string;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
}

/** The service refused the request, with a code. Subclasses exist for the usual kinds. */
export class ApiError extends CustosError implements Problem {
  readonly status: number;
  readonly code: string;
  readonly category: string;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem) {
    super(`${problem.code} (${problem.status}): ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.category = problem.category;
    this.retryable = problem.retryable;
    this.requestId = problem.requestId;
    this.detail = problem.detail;
    this.errors = problem.errors;
    this.retryAfterSeconds = problem.retryAfterSeconds;
  }
}

/** 401: the key is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {}
/** 403: the key lacks the scope, or may not name this agent. */
export class PermissionError extends ApiError {}
/** 400, 413, 415, 422: the request is not what the description says. `errors` names its members. */
export class InvalidRequestError extends ApiError {}
/** 404 */
export class NotFoundError extends ApiError {}
/** 409 */
export class ConflictError extends ApiError {}
/** 429, after the last repetition. */
export class RateLimitError extends ApiError {}
/** 500 and above, after the last repetition. */
export class UnavailableError extends ApiError {}

const BY_STATUS: Readonly<Record<number, new (problem: Problem) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

export function buildApiError(problem: Problem): ApiError {
  const Kind = BY_STATUS[problem.status] ?? (problem.status >= 500 ? UnavailableError : ApiError);
  return new Kind(problem);
}

/** The service could not be reached: refused, reset, unknown host, TLS. */
export class ConnectionError extends CustosError {}

/** There was no answer in time. */
export class TimeoutError extends CustosError {
  /** Of a `wait...` function: the last state that it has seen. */
  readonly lastState: unknown;

  constructor(message: string, options: ErrorOptions & { readonly lastState?: unknown } = {}) {
    super(message, options);
    this.lastState = options.lastState;
  }
}

/** The caller's signal was aborted. `cause` is the signal's reason. */
export class CancelledError extends CustosError {}

/** An answer that the description does not allow: no JSON, truncated, a proxy's page, a redirect, members missing, or too large. */
export class UnexpectedAnswerError extends CustosError {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the connection broke while the answer was read. */
  readonly isTruncated: boolean;

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly status: number;
      readonly requestId?: string | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly isTruncated?: boolean;
    },
  ) {
    super(message, options);
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isTruncated = options.isTruncated ?? false;
  }
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** `guard` or `authorize` did not permit a call: the guarded function did not run. Or, with `hasRun`, its result or error is withheld. */
export class RefusedError extends CustosError {
  /** Null: there is no decision. `cause` is then the reason. */
  readonly verdict: 'DENY' | 'DEGRADE' | 'ESCALATE' | 'ALLOW' | null;
  readonly reasons: readonly Reason[];
  readonly decisionId: string | undefined;
  /** The approval that a human must give. Repeat the call with it once it is approved: `guarded(args, { approvalId })`, or `authorize`. */
  readonly approvalId: string | undefined;
  /** Whether the guarded function has run. It must not be repeated as if it had not. */
  readonly hasRun: boolean;

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly verdict: RefusedError['verdict'];
      readonly reasons?: readonly Reason[];
      readonly decisionId?: string | undefined;
      readonly approvalId?: string | undefined;
      readonly hasRun?: boolean;
    },
  ) {
    super(message, options);
    this.verdict = options.verdict;
    this.reasons = options.reasons ?? [];
    this.decisionId = options.decisionId;
    this.approvalId = options.approvalId;
    this.hasRun = options.hasRun ?? false;
  }
}
