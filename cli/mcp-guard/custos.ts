// The decision client: the guard's requests to the service. Every failure is a sentence, never an exception.
import { objectOf, parseJson } from '../../shared/kernel/json.ts';
import type { Clock } from './clock.ts';
import { type Attempt, type Question, readDecision, type Ruling } from './decision.ts';

export interface CustosOptions {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly clock: Clock;
  readonly newId: () => string;
  /** For one question, with all repetitions: a model waits for it. */
  readonly answerTimeoutMs?: number;
}

export type ApprovalStatus =
  | { readonly kind: 'status'; readonly status: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly isFinal: boolean };

/** The parts of a question that the service sees. */
export type Asked = Pick<Question, 'agentId' | 'server' | 'definitionDigest' | 'annotations'> & {
  readonly call: Pick<Question['call'], 'name' | 'arguments'>;
};

export interface Custos {
  ask(question: Question, attempt: Attempt, signal: AbortSignal): Promise<Ruling>;
  /** The parsed answers of dry runs with explanations, in order; a sentence when there are none. Needs the scope admin:*. */
  dryRuns(questions: readonly Asked[]): Promise<readonly unknown[] | string>;
  approval(id: string, signal: AbortSignal): Promise<ApprovalStatus>;
  /** Sends a report once. @returns whether it is done, is to be tried again, or was refused with this sentence */
  report(path: string, body: object): Promise<'done' | 'later' | { readonly refused: string }>;
}

const ANSWER_TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 250;
/** Of POST /v1/enforce/batch. */
const BATCH_SIZE = 100;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface Answer {
  readonly status: number;
  /** X-Request-Id as the service has seen it: a proxy can replace the guard's. */
  readonly requestId: string | null;
  /** How far this clock is ahead of the service's. */
  readonly clockAheadMs: number;
  readonly body: unknown;
  /** Undefined: the service did not name a time. */
  readonly retryAfterMs: number | undefined;
}

/** Why there was no answer. */
interface Failure {
  readonly sentence: string;
  /** A connection that broke: with a kept one the service may have closed it just then. */
  readonly isBroken: boolean;
}

export function createCustos(options: CustosOptions): Custos {
  const { url, key, clock, newId, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const request = async (
    method: 'GET' | 'POST',
    path: string,
    { body, id, signal }: { body?: string; id?: string; signal: AbortSignal },
  ): Promise<Answer | Failure> => {
    const headers = {
      'x-api-key': key,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(id === undefined ? {} : { 'idempotency-key': id, 'x-request-id': id }),
    };
    try {
      // A redirect could lead the key to another host.
      const init = { method, headers, redirect: 'manual', signal } as const;
      const response = await fetch(`${url}${path}`, body === undefined ? init : { ...init, body });
      const date = Date.parse(response.headers.get('date') ?? '');
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        status: response.status,
        // Only of the answer to this request: with another Idempotency-Key it is an earlier one that a proxy repeats.
        requestId: response.headers.get('idempotency-key') === id ? response.headers.get('x-request-id') : null,
        clockAheadMs: Number.isNaN(date) ? 0 : clock.dateMs() - date,
        body: await readBody(response),
        retryAfterMs: Number.isFinite(retryAfter) ? Math.max(0, retryAfter * 1_000) : undefined,
      };
    } catch (error) {
      return failureOf(error, signal, answerTimeoutMs);
    }
  };

  /** Repeats a request whose connection broke, or that the service wants later, under one id. */
  const ask = async (path: string, body: object, id: string, signal: AbortSignal): Promise<Answer | Failure> => {
    const text = JSON.stringify(body);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
    const endMs = clock.nowMs() + answerTimeoutMs;
    for (let breaks = 0; ; ) {
      const answer = await request('POST', path, { body: text, id, signal: deadline });
      const restMs = ('sentence' in answer ? undefined : answer.retryAfterMs) ?? RETRY_AFTER_MS;
      const isLater = 'sentence' in answer ? answer.isBroken && breaks === 0 : isForLater(answer);
      if (!isLater || clock.nowMs() + restMs >= endMs) return answer;
      if ('sentence' in answer) breaks += 1;
      await clock.sleep(restMs, deadline);
    }
  };

  return {
    async ask(question, attempt, signal) {
      const { id, approvalId } = attempt;
      const approval = approvalId === undefined ? {} : { approval_id: approvalId };
      const answer = await ask('/v1/enforce', { ...bodyOf(question), ...approval }, id, signal);
      if ('sentence' in answer) return { kind: 'none', sentence: answer.sentence };
      if (answer.status === 200) return readDecision(question, attempt, answer);
      const isLapsed = objectOf(answer.body)?.['code'] === 'E5004';
      return isLapsed ? { kind: 'void' } : { kind: 'none', sentence: problemOf(answer) };
    },
    async dryRuns(questions) {
      const answers: unknown[] = [];
      for (let at = 0; at < questions.length; at += BATCH_SIZE) {
        const requests = questions
          .slice(at, at + BATCH_SIZE)
          .map((question) => ({ ...bodyOf(question), dry_run: true, explain: true }));
        const answer = await ask('/v1/enforce/batch', { requests }, newId(), new AbortController().signal);
        if ('sentence' in answer) return answer.sentence;
        const decisions = objectOf(answer.body)?.['decisions'];
        if (answer.status !== 200 || !Array.isArray(decisions) || decisions.length !== requests.length)
          return problemOf(answer);
        const refused = decisions.map((one: unknown) => objectOf(objectOf(one)?.['error'])).find(Boolean);
        if (refused !== undefined) return problemOf({ ...answer, body: refused });
        answers.push(...(decisions as unknown[]));
      }
      return answers;
    },
    async approval(id, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
      const answer = await request('GET', `/v1/approvals/${encodeURIComponent(id)}`, { signal: deadline });
      if ('sentence' in answer) return { kind: 'failed', sentence: answer.sentence, isFinal: false };
      const status = objectOf(answer.body)?.['status'];
      if (answer.status === 200 && typeof status === 'string') return { kind: 'status', status };
      const isFinal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
      return { kind: 'failed', sentence: problemOf(answer), isFinal };
    },
    async report(path, body) {
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const answer = await request('POST', path, { body: JSON.stringify(body), signal });
      if ('sentence' in answer) return 'later';
      if (answer.status >= 200 && answer.status < 300) return 'done';
      return answer.status === 429 || answer.status >= 500 ? 'later' : { refused: problemOf(answer) };
    },
  };
}

function bodyOf({ agentId, server, call, definitionDigest, annotations }: Asked): object {
  const { name, arguments: args } = call;
  return {
    agent_id: agentId,
    tool: { server, name, arguments: args, definition_digest: definitionDigest, annotations },
  };
}

/** The parsed JSON of an answer; undefined when it is none or too large. */
async function readBody(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      // Leaving the loop cancels the rest of the body.
      return undefined;
    }
    chunks.push(chunk);
  }
  try {
    // Strictly: of a member that is there twice another reader may see the other one. A byte order mark stays, and is no JSON.
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)));
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown, signal: AbortSignal, answerTimeoutMs: number): Failure {
  if (signal.aborted)
    return { sentence: `Custos did not answer within ${answerTimeoutMs / 1_000} s.`, isBroken: false };
  // undici has the cause of "fetch failed" there.
  const code = error instanceof Error ? objectOf(error.cause)?.['code'] : undefined;
  const name = typeof code === 'string' ? ` (${code})` : '';
  return { sentence: `Custos could not be reached${name}.`, isBroken: code !== 'ECONNREFUSED' && code !== 'ENOTFOUND' };
}

/** 409 with Retry-After: the service still works on the first request with this Idempotency-Key. */
function isForLater({ status, retryAfterMs }: Answer): boolean {
  return status === 429 || status === 503 || (status === 409 && retryAfterMs !== undefined);
}

function problemOf({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const { code, detail, errors } = objectOf(body) ?? {};
  if (typeof code !== 'string' || typeof detail !== 'string')
    return `Custos answered with status ${status} and no decision.`;
  const [first] = Array.isArray(errors) ? errors.map(objectOf) : [];
  const where = first === undefined ? '' : ` (${String(first['pointer'])}: ${String(first['message'])})`;
  return `Custos did not decide: ${code}, ${detail.replace(/\.$/, '')}${where}.`;
}
