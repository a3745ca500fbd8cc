// Set-up for tests of the guard over streamable HTTP: a guard, an HTTP server behind it, and requests.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SYSTEM_CLOCK } from '../../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../../cli/mcp-guard/custos.ts';
import { Guard } from '../../../cli/mcp-guard/guard.ts';
import type { AccessOptions } from '../../../cli/mcp-guard/http-access.ts';
import { guardHttp, type HttpGuard } from '../../../cli/mcp-guard/http.ts';
import type { CallReport } from '../../../cli/mcp-guard/reports.ts';
import { type FakeCustos, startFakeCustos } from '../../support/fake-custos.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (received: Received, response: http.ServerResponse) => void;

export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value));
  };
export const result = (id: unknown, value: object = { content: [{ type: 'text', text: 'done' }] }): object => ({
  jsonrpc: '2.0',
  id,
  result: value,
});
export const call = (id: number, args: object = {}, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'do', arguments: args, ...more },
});

export interface Raw {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
}

/** A guard between the test and an HTTP server whose answers the test chooses. */
export interface HttpGuardUnderTest {
  readonly custos: FakeCustos;
  readonly guard: HttpGuard;
  /** The server behind the guard. */
  readonly upstream: http.Server;
  /** The requests that reached the server, except those for its tools. */
  readonly received: Received[];
  readonly reports: CallReport[];
  readonly logs: string[];
  answer: Answer;
  /** The tool that the server lists. */
  tool: object;
  /** Of the answers with that list. */
  listHeaders: Readonly<Record<string, string>>;
  /** Starts another guard in front of the same server. */
  start(access?: Partial<AccessOptions>): Promise<HttpGuard>;
  /** The status of a request with headers that fetch does not permit. */
  statusOf(guard: HttpGuard, request: Raw): Promise<number | undefined>;
  send(body: unknown, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export async function startHttpGuard(): Promise<HttpGuardUnderTest> {
  const custos = await startFakeCustos();
  const received: Received[] = [];
  const reports: CallReport[] = [];
  const logs: string[] = [];
  const upstream = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      if (body.includes('"tools/list"'))
        return json(
          result((JSON.parse(body) as { id: unknown }).id, { tools: [on.tool] }),
          200,
          on.listHeaders,
        )(one, response);
      received.push(one);
      return on.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const start = async (access: Partial<AccessOptions> = {}): Promise<HttpGuard> => {
    const client = createCustos({ url: custos.url, key: custos.key, clock: SYSTEM_CLOCK, newId: randomUUID });
    return guardHttp({
      listen: { host: '127.0.0.1', port: 0 },
      publicUrl: undefined,
      token: undefined,
      ...access,
      upstream: new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`),
      guard: new Guard({
        agentId: 'a',
        server: 's',
        custos: client,
        clock: SYSTEM_CLOCK,
        waitMs: 60_000,
        newId: randomUUID,
      }),
      session: {
        reporter: { called: (report) => void reports.push(report), notCalled: () => undefined },
        hide: undefined,
        log: (line) => void logs.push(line),
      },
      newId: randomUUID,
      log: (line) => void logs.push(line),
    });
  };

  const guard = await start();
  const on: HttpGuardUnderTest = {
    custos,
    guard,
    upstream,
    received,
    reports,
    logs,
    tool: { name: 'do' },
    listHeaders: {},
    answer: (one, response) => json(result((JSON.parse(one.body || '{}') as { id?: unknown }).id))(one, response),
    start,
    async statusOf({ address }, { path, method, headers, body }) {
      const { port, pathname } = new URL(address);
      return new Promise((resolve, reject) => {
        const all = { 'content-type': 'application/json', ...headers } as http.OutgoingHttpHeaders;
        http
          .request({ port, path: path ?? pathname, method: method ?? 'POST', headers: all }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
          .on('error', reject)
          .end(method === 'GET' ? undefined : (body ?? JSON.stringify(call(1))));
      });
    },
    send: (body, init = {}) =>
      fetch(guard.address, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...init.headers },
      }),
    async close() {
      await guard.close();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
      await custos.close();
    },
  };
  return on;
}
