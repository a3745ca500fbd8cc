// A small HTTP server that imitates the service, also a failing one: slow responses, garbage, or no response.
import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { generateKey } from '../../shared/domain/keys/format.ts';
import { atEnd } from './cleanup.ts';

/** An enforcement request of the guard, as sent to POST /v1/enforce. */
export interface Asked {
  readonly agent_id: string;
  readonly tool: {
    readonly server: string;
    readonly name: string;
    readonly arguments: Record<string, unknown>;
    readonly definition_digest?: string;
  };
  readonly approval_id?: string;
  readonly dry_run?: boolean;
}

/** How a request is answered: members of a decision, a raw response, or no response until the test releases it. */
export type Said =
  | { readonly verdict: 'ALLOW' | 'DENY' | 'ESCALATE' | 'DEGRADE'; readonly [member: string]: unknown }
  | { readonly raw: string; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly hang: true }
  | { readonly cut: true };

export interface FakeCustos {
  readonly url: string;
  readonly key: string;
  /** Every enforcement request so far. */
  readonly asked: readonly Asked[];
  /** Bodies of POST /v1/proofs and /v1/trust/signals. */
  readonly proofs: readonly Record<string, unknown>[];
  readonly signals: readonly Record<string, unknown>[];
  /** Requests that were permitted, by decision id. */
  readonly permitted: ReadonlyMap<string, Asked>;
  /** Status of approvals by id. An id that is not in the map is pending. */
  readonly approvals: Map<string, string>;
  /** How often approvals were read. */
  polls: number;
  answer: (asked: Asked, n: number) => Said | Promise<Said>;
  /** Responses of the other routes, such as 503 for a report. */
  other: ((path: string) => Said | undefined) | undefined;
  close(): Promise<void>;
}

const ALLOW: Said = { verdict: 'ALLOW' };
const APPROVAL = 'apr_01m7z6w78c5ardnz9csgncbv86';

export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalize(value)).digest('hex')}`;
}

/** The members of a decision that the guard reads. */
export function decisionFor(asked: Asked, decisionId: string, said: { verdict: string }): Record<string, unknown> {
  const allowed = said.verdict === 'ALLOW' || said.verdict === 'DEGRADE';
  const { server, name } = asked.tool;
  return {
    decision_id: decisionId,
    allowed,
    agent_id: asked.agent_id,
    tool: { server, name, arguments_digest: digestOf(asked.tool.arguments), known: true, changed: false },
    reasons: [{ policy: 'p', rule: 'r', effect: said.verdict, code: 'SOME_CODE', message: 'because of the test' }],
    obligations: [],
    ...(said.verdict === 'ESCALATE'
      ? { approval: { approval_id: APPROVAL, expires_at: '2030-01-01T00:00:00.000Z' } }
      : {}),
    expires_at: '2030-01-01T00:00:00.000Z',
    ...said,
  };
}

export async function startFakeCustos(answer: FakeCustos['answer'] = () => ALLOW): Promise<FakeCustos> {
  const [asked, proofs, signals]: [Asked[], Record<string, unknown>[], Record<string, unknown>[]] = [[], [], []];
  const permitted = new Map<string, Asked>();
  const approvals = new Map<string, string>();
  let decisions = 0;
  const decided = new Map<string, object>();
  const server = http.createServer((request, response) => {
    void respond(request, response);
  });
  const decide = async (question: Asked): Promise<Said | Record<string, unknown>> => {
    asked.push(question);
    const said = await fake.answer(question, asked.length);
    if (!('verdict' in said)) return said;
    decisions += 1;
    const id = `dec_${String(decisions).padStart(26, '0')}`;
    const decision = decisionFor(question, id, said);
    if (decision['allowed'] === true && question.dry_run === undefined)
      permitted.set(String(decision['decision_id']), question);
    return question.dry_run === true
      ? { ...decision, dry_run: true, allowed: false, decision_id: undefined }
      : decision;
  };
  /** In a batch, a response that is not a decision becomes an error at its position. */
  const member = async (question: Asked): Promise<object> => {
    const said = await decide(question);
    if (typeof said['raw' as never] !== 'string') return said;
    const { raw } = said as { raw: string };
    return { error: raw.startsWith('{') ? (JSON.parse(raw) as object) : {} };
  };
  const bodyFor = async (
    path: string,
    body: Record<string, unknown>,
    requestId: string,
  ): Promise<[number, unknown]> => {
    const approvalId = /^\/v1\/approvals\/(\w+)$/.exec(path)?.[1];
    if (approvalId !== undefined) fake.polls += 1;
    if (approvalId !== undefined) return [200, { approvalId, status: approvals.get(approvalId) ?? 'pending' }];
    if (path === '/v1/enforce') {
      // The guard sends one id as X-Request-Id and as Idempotency-Key.
      const answer = decided.get(requestId) ?? {
        request_id: requestId,
        ...(await decide(body as unknown as Asked)),
      };
      if ('decision_id' in answer) decided.set(requestId, answer);
      return [200, answer];
    }
    if (path === '/v1/enforce/batch')
      return [200, { decisions: await Promise.all((body['requests'] as Asked[]).map(member)) }];
    (path === '/v1/proofs' ? proofs : signals).push(body);
    return [202, {}];
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const special = path.startsWith('/v1/enforce') ? undefined : fake.other?.(path);
    const [status, answered] =
      special === undefined
        ? await bodyFor(path, text === '' ? {} : JSON.parse(text), String(request.headers['x-request-id']))
        : [200, special];
    const said = answered as Record<string, unknown>;
    if (said['hang'] === true) return;
    if (said['cut'] === true) {
      response.destroy();
      return;
    }
    const isRaw = typeof said['raw'] === 'string';
    response.writeHead(isRaw ? ((said['status'] as number | undefined) ?? 200) : status, {
      'content-type': 'application/json',
      ...(isRaw ? (said['headers'] as Record<string, string> | undefined) : {}),
    });
    response.end(isRaw ? String(said['raw']) : JSON.stringify(answered));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const fake: FakeCustos = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: generateKey('test').key,
    asked,
    proofs,
    signals,
    permitted,
    approvals,
    polls: 0,
    answer,
    other: undefined,
    close,
  };
  atEnd(async () => {
    if (server.listening) await close();
  });
  return fake;
}
