// The demo's HTTP client: JSON in, JSON out, patient with a service that says "later", and clear about what went wrong.
import { CommandError } from '../exit.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Why the story cannot go on, as a sentence for whoever watches it. */
export class DemoError extends CommandError {}

export interface DemoClient {
  /** @throws {DemoError} when the answer has another status, or none comes */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object, status: number, idempotencyKey?: string): Promise<T>;
  delete<T>(path: string): Promise<T>;
  /** The status alone, whatever it is. */
  statusOf(path: string): Promise<number>;
}

export interface ClientOptions {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** When the whole story must be over, on the clock of performance.now(). */
  readonly deadlineMs: number;
}

const ANSWER_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 100;
const DEFAULT_PATIENCE_MS = 20_000;
/** A key's limits, and a store that is away for a moment: both say when to come back. */
const LATER = [429, 503];

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
        : `Nothing answers at ${origin}. Start the service with "npm start", or say with --url where it runs.`,
      { cause: error },
    );
  }
}

export function createDemoClient({ url, key, deadlineMs }: ClientOptions): DemoClient {
  /** Asks again while the service says "later", until the deadline. */
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
      const restMs = 1_000 * Math.max(1, Number(answer.headers.get('retry-after') ?? 1));
      if (!LATER.includes(answer.status) || performance.now() + restMs > deadlineMs) return answer;
      await answer.arrayBuffer();
      await delay(restMs);
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
      // Which shape an answer has is the service's to keep; what the story needs of it, the story checks.
      return JSON.parse(text) as T;
    } catch {
      throw new DemoError(`${method} ${path} was answered with something that is not JSON.`);
    }
  };
  return {
    // 202: an answer that is still to come, such as a proof that is not in its log yet.
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

/** What a problem document says, as the end of a sentence. */
function problemIn(text: string): string {
  try {
    const { code, detail } = JSON.parse(text) as { code?: unknown; detail?: unknown };
    if (typeof code === 'string') return typeof detail === 'string' ? ` ${code}: ${detail}` : ` ${code}.`;
  } catch {
    // Not JSON.
  }
  return ', and no reason that Custos would give.';
}

/**
 * Looks again and again until `look` gives something.
 * @throws {DemoError} naming what was waited for, after `timeoutMs`
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  timeoutMs = DEFAULT_PATIENCE_MS,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() >= deadlineMs)
      throw new DemoError(`Waited ${timeoutMs / 1_000} s in vain for ${what}. Is a worker process running?`);
    await delay(LOOK_EVERY_MS);
  }
}
