// One HTTP request of the fault harness. A cut connection is a result, not an error.
import { performance } from 'node:perf_hooks';

export type Json = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly key: string;
  readonly body?: object;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
}

/** Times are monotonic milliseconds of this process. */
export interface Answered {
  readonly status: number;
  readonly json: Json;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Nobody answered: `cut` at once, or `silent` until the time limit. Whether the request was carried out is unknown. */
export interface Unanswered {
  readonly status: 'cut' | 'silent';
  readonly sentAtMs: number;
}

/** Ingress refuses requests within two seconds when its stores are away. The rest is a margin for a busy machine. */
export const ANSWER_WITHIN_MS = 15_000;

export async function ask(address: string, asked: Asked): Promise<Answered | Unanswered> {
  const { method = 'POST', path, key, body, requestId, idempotencyKey } = asked;
  const sentAtMs = performance.now();
  try {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    const answeredAtMs = performance.now();
    return { status: response.status, json: parsed(text), sentAtMs, answeredAtMs };
  } catch (error) {
    return { status: error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'cut', sentAtMs };
  }
}

/** Checkpoints are text. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { text };
  }
}
