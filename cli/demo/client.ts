// The demo's HTTP client: JSON requests with retries, and errors in sentences.
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../exit.ts';

/** The reason why the story can't continue, as a sentence. */
export class DemoError extends CommandError {}

export interface DemoClient {
  /** @throws {DemoError} when the answer has another status, or there is no answer */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object, status: number, idempotencyKey?: string): Promise<T>;
  delete<T>(path: string): Promise<T>;
  /** Only the status; any status is accepted. */
  statusOf(path: string): Promise<number>;
}

export interface ClientOptions {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** Deadline of the whole story, on the clock of performance.now(). */
  readonly deadlineMs: number;
}

const ANSWER_TIMEOUT_MS = 10_000;
const POLL_MS = 100;
const DEFAULT_TIMEOUT_MS = 20_000;
/** Rate limit, and a store that is unavailable for a moment. Both come with Retry-After. */
const RETRIED = [429, 503];

/** @throws {DemoError} when nothing answers */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (error) {
    const { origin } = new URL(url);
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw new DemoError(
      late
        ? `${origin} did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s.`
        : `Nothing answers at ${origin}. Start the service with "npx custos start", or give its address with --url.`,
      { cause: error },
    );
  }
}

export function createDemoClient({ url, key, deadlineMs }: ClientOptions): DemoClient {
  /** Retries until the deadline. */
  const request = async (method: string, path: string, body?: object, idempotencyKey?: string): Promise<Response> => {
    const headers = {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    for (;;) {
      const answer = await send(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const delayMs = 1_000 * Math.max(1, Number(answer.headers.get('retry-after') ?? 1));
      if (!RETRIED.includes(answer.status) || performance.now() + delayMs > deadlineMs) return answer;
      await answer.arrayBuffer();
      await delay(delayMs);
    }
  };
  const read = async <T>(
    method: string,
    path: string,
    statuses: readonly number[],
    body?: object,
    idempotencyKey?: string,
  ): Promise<T> => {
    const answer = await request(method, path, body, idempotencyKey);
    const text = await answer.text();
    if (!statuses.includes(answer.status))
      throw new DemoError(`${method} ${path} was answered with ${answer.status}${problemIn(text)}`);
    try {
      // The service guarantees the shape; the story checks the values that it needs.
      return JSON.parse(text) as T;
    } catch {
      throw new DemoError(`${method} ${path} was answered with something that is not JSON.`);
    }
  };
  return {
    // 202: a result that is pending, such as a proof that is not in its log yet.
    get: (path) => read('GET', path, [200, 202]),
    post: (path, body, status, idempotencyKey) => read('POST', path, [status], body, idempotencyKey),
    delete: (path) => read('DELETE', path, [200]),
    async statusOf(path) {
      const answer = await request('GET', path);
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

/** The content of a problem document, as the end of a sentence. */
function problemIn(text: string): string {
  try {
    const { code, detail } = JSON.parse(text) as { code?: unknown; detail?: unknown };
    if (typeof code === 'string') return typeof detail === 'string' ? ` ${code}: ${detail}` : ` ${code}.`;
  } catch {
    // Not JSON.
  }
  return ', without an error of Custos.';
}

/**
 * Polls until `look` gives a value.
 * @throws {DemoError} that names `what`, after `timeoutMs`
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() >= deadlineMs)
      throw new DemoError(`Timed out after ${timeoutMs / 1_000} s waiting for ${what}. Is a worker process running?`);
    await delay(POLL_MS);
  }
}
