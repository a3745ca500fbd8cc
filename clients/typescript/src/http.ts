// Sends one request to the service and reads its answer. Every failure is a typed error; no error contains the key.
import {
  buildApiError,
  ConnectionError,
  CustosError,
  type FieldError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
import { OPERATIONS, type OperationMembers } from './generated/members.ts';
import { parseJson } from './json-text.ts';
import { withRetries } from './retry.ts';
import { buildCancelledError, type Runtime, startDeadline } from './runtime.ts';
import { fromWire, toWire } from './spelling.ts';

const MAX_ANSWER_BYTES = 8 * 1_048_576;
/** An answer wraps what a request said, of 64 levels, in more of them. */
const MAX_ANSWER_DEPTH = 128;

export type OperationName = keyof typeof OPERATIONS;

/** Options that each call takes. */
export interface CallOptions {
  /** Ends the request and the wait before a repetition. */
  readonly signal?: AbortSignal | undefined;
  /** For the call with all its repetitions. */
  readonly timeoutMs?: number | undefined;
  /** Sent as Idempotency-Key by calls that write. Default: a random id for each call, which its repetitions keep. */
  readonly idempotencyKey?: string | undefined;
  /** Sent as X-Request-Id. */
  readonly requestId?: string | undefined;
}

export interface HttpRequest {
  readonly operation: OperationName;
  /** Values for the names in braces, in their order. */
  readonly path?: readonly string[];
  /** Values are strings, numbers or undefined. */
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** Seconds for `Prefer: wait`. */
  readonly waitSeconds?: number;
  readonly isText?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** In camelCase; text for text. */
  readonly body: unknown;
}

export interface Http {
  send(request: HttpRequest, options?: CallOptions): Promise<Answer>;
}

export interface HttpOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
  readonly runtime: Runtime;
}

export function createHttp({ url, key, timeoutMs, retries, fetch, runtime }: HttpOptions): Http {
  const isCancelled = (signal: AbortSignal | undefined): signal is AbortSignal => signal?.aborted === true;

  /** One request, without repetitions. */
  const attempt = async (
    address: string,
    request: HttpRequest,
    init: RequestInit,
    { signal, leftMs }: { readonly signal: AbortSignal | undefined; readonly leftMs: number },
  ): Promise<Answer> => {
    if (isCancelled(signal)) throw buildCancelledError(signal);
    const deadline = startDeadline(leftMs, signal);
    try {
      const response = await fetch(address, { ...init, signal: deadline.signal });
      return await readAnswer(response, request);
    } catch (error) {
      if (isCancelled(signal)) throw buildCancelledError(signal);
      if (deadline.signal.aborted) throw new TimeoutError('Custos did not answer in time.');
      if (error instanceof CustosError) throw error;
      throw new ConnectionError(`Custos could not be reached${codeOf(error)}.`, { cause: error });
    } finally {
      deadline.clear();
    }
  };

  return {
    send(request, options = {}) {
      const [method = 'GET'] = request.operation.split(' ');
      const { respelled }: OperationMembers = OPERATIONS[request.operation];
      const body = request.body === undefined ? undefined : JSON.stringify(toWire(request.body, respelled));
      const headers = {
        accept: request.isText === true ? 'text/plain' : 'application/json',
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'POST' ? { 'idempotency-key': options.idempotencyKey ?? runtime.newId() } : {}),
        ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
        ...(request.waitSeconds === undefined ? {} : { prefer: `wait=${request.waitSeconds}` }),
      };
      // A redirect could lead the key to another host.
      const init: RequestInit = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) };
      const { signal } = options;
      const endMs = runtime.nowMs() + (options.timeoutMs ?? timeoutMs);
      return withRetries(
        () => {
          checkHeaders(headers);
          return attempt(url + addressOf(request), request, init, { signal, leftMs: endMs - runtime.nowMs() });
        },
        { retries, isIdempotent: isIdempotent(request.operation), endMs, signal, runtime },
      );
    },
  };
}

/** Whether a second time changes nothing: a PATCH could undo what somebody else did in between, and the end of a halt could end another one. */
function isIdempotent(operation: string): boolean {
  return !operation.startsWith('PATCH ') && operation !== 'DELETE /v1/halt';
}

/** Otherwise fetch would fail as if the service were away. @throws {TypeError} */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const name of ['idempotency-key', 'x-request-id'])
    if (headers[name] !== undefined && !/^[\x20-\x7e]{1,255}$/.test(headers[name]))
      throw new TypeError(`${name} must have 1 to 255 printable ASCII characters`);
}

function addressOf({ operation, path = [], query = {} }: HttpRequest): string {
  const values = [...path];
  const filled = operation.slice(operation.indexOf(' ') + 1).replace(/\{[^}]+\}/g, () => {
    const value = values.shift();
    // An empty value would address the list, and "." would be removed by URL normalisation.
    if (typeof value !== 'string' || ['', '.', '..'].includes(value))
      throw new TypeError(`${operation} needs an id that is not empty`);
    return encodeURIComponent(value);
  });
  const params = Object.entries(query).flatMap(([name, value]: [string, string | number | undefined]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return params.length === 0 ? filled : `${filled}?${new URLSearchParams(params).toString()}`;
}

/** " (ECONNREFUSED)" where the error names a code: undici has it in the cause of "fetch failed". */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

async function readAnswer(response: Response, request: HttpRequest): Promise<Answer> {
  const { status, headers } = response;
  const retryAfterSeconds = retryAfterOf(headers);
  const requestId = headers.get('x-request-id') ?? undefined;
  const unexpected = (why: string, options: { cause?: unknown; isTruncated?: boolean } = {}): UnexpectedAnswerError =>
    new UnexpectedAnswerError(`The answer to ${request.operation} is not one of Custos: ${why}.`, {
      ...options,
      status,
      requestId,
      retryAfterSeconds,
    });
  // In a browser a redirect that is not followed has the status 0.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    throw unexpected('it is a redirect');
  }
  let text: string | undefined;
  try {
    text = await readText(response);
  } catch (error) {
    throw unexpected('it is incomplete, or not UTF-8', { cause: error, isTruncated: true });
  }
  if (text === undefined) throw unexpected('it has more than 8 MB');
  if (response.ok && request.isText === true) {
    if (!(headers.get('content-type') ?? '').startsWith('text/plain')) throw unexpected('it is not plain text');
    return { status, headers, body: text };
  }
  let body: unknown;
  try {
    const value = parseJson(text, MAX_ANSWER_DEPTH);
    body = response.ok ? fromWire(value) : value;
  } catch (error) {
    throw unexpected(`it has the status ${status} and is not strict JSON`, { cause: error });
  }
  if (response.ok) {
    const missing = missingMember(body, request.operation);
    if (missing !== undefined) throw unexpected(missing);
    return { status, headers, body };
  }
  const { code, detail, category, retryable, requestId: inBody, errors } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof detail !== 'string')
    throw unexpected(`it has the status ${status} and no error code`);
  throw buildApiError({
    status,
    code,
    detail,
    category: typeof category === 'string' ? category : '',
    retryable: retryable === true,
    requestId: typeof inBody === 'string' ? inBody : requestId,
    errors: Array.isArray(errors) ? (errors as FieldError[]) : [],
    retryAfterSeconds,
  });
}

function missingMember(answer: unknown, operation: OperationName): string | undefined {
  const { required = [] }: OperationMembers = OPERATIONS[operation];
  if (required.length === 0) return undefined;
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return 'it is not a JSON object';
  const missing = required.find((name) => !Object.hasOwn(answer, name));
  if (missing !== undefined) return `it has no member ${missing}`;
  return 'items' in answer && !Array.isArray(answer.items) ? 'its items are not a list' : undefined;
}

/** @returns undefined when the body is too large */
async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  // A byte order mark stays, and is no JSON.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Retry-After in seconds. A date counts from the answer's own Date, because the local clock may be wrong. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
