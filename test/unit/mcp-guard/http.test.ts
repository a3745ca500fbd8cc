// The guard over streamable HTTP: who may ask, what is stopped, and how a request ends when one side is gone or confused.
import { randomUUID } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../../cli/mcp-guard/custos.ts';
import { MAX_FRAME_BYTES } from '../../../cli/mcp/frames.ts';
import { Guard } from '../../../cli/mcp-guard/guard.ts';
import { guardHttp, type HttpGuard } from '../../../cli/mcp-guard/http.ts';
import type { CallReport } from '../../../cli/mcp-guard/reports.ts';
import { type FakeCustos, startFakeCustos } from '../../support/fake-custos.ts';
import { waitFor } from '../../support/wait.ts';

interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (received: Received, response: http.ServerResponse) => void;

const json =
  (value: unknown, status = 200): Answer =>
  (_, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof value === 'string' ? value : JSON.stringify(value));
  };
const result = (id: unknown, value: object = { content: [{ type: 'text', text: 'done' }] }): object => ({
  jsonrpc: '2.0',
  id,
  result: value,
});
const call = (id: number, args: object = {}, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'do', arguments: args, ...more },
});

describe('the guard over HTTP', () => {
  let custos: FakeCustos;
  let upstream: http.Server;
  let guard: HttpGuard;
  let received: Received[];
  let reports: CallReport[];
  let answer: Answer;

  beforeEach(async () => {
    custos = await startFakeCustos();
    [received, reports] = [[], []];
    answer = ({ body }, response) =>
      json(result((JSON.parse(body || '{}') as { id?: unknown }).id))({} as Received, response);
    upstream = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        if (body.includes('"tools/list"'))
          return json(result((JSON.parse(body) as { id: unknown }).id, { tools: [{ name: 'do' }] }))(
            {} as Received,
            response,
          );
        const one = { method: request.method ?? '', headers: request.headers, body };
        received.push(one);
        return answer(one, response);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`);
    const client = createCustos({
      url: custos.url,
      key: custos.key,
      clock: SYSTEM_CLOCK,
      newId: randomUUID,
    });
    guard = await guardHttp({
      port: 0,
      upstream: url,
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
        log: () => undefined,
      },
      newId: randomUUID,
      log: () => undefined,
    });
  });
  afterEach(async () => {
    await guard.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    await custos.close();
  });

  const send = async (body: unknown, init: RequestInit = {}): Promise<Response> =>
    fetch(guard.address, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...init.headers },
    });

  it('passes headers and bytes on, both ways, and leaves out its own connection', async () => {
    answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
        .end(' {"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
    const text = ' {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"n":1.0}}';
    const response = await send(text, { headers: { authorization: 'Bearer x', 'x-own': 'y' } });
    expect(await response.text()).to.equal(' {"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
    expect(response.headers.get('mcp-session-id')).to.equal('s1');
    expect(received[0]?.body).to.equal(text);
    expect(received[0]?.headers).to.include({ authorization: 'Bearer x', 'x-own': 'y', 'accept-encoding': 'identity' });
  });

  it('asks about a call with the digest that it has fetched, forwards it, and reports it', async () => {
    expect(await (await send(call(1, { p: 'a' }))).json()).to.deep.equal(result(1));
    expect(custos.asked[0]?.tool).to.deep.include({ server: 's', name: 'do', arguments: { p: 'a' } });
    expect(custos.asked[0]?.tool.definition_digest).to.match(/^sha256:/);
    expect(reports.map(({ outcome }) => outcome)).to.deep.equal(['success']);
  });

  it('answers a denied call with a tool result and status 200', async () => {
    custos.answer = () => ({ verdict: 'DENY' });
    const response = await send(call(1, {}, { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }));
    const { result: refused } = (await response.json()) as { result: { isError: boolean; resultType: string } };
    expect([response.status, refused.isError, refused.resultType, received]).to.deep.equal([200, true, 'complete', []]);
  });

  for (const [what, init, status] of [
    ['another host', { headers: { host: 'evil.example' } }, 403],
    ['a web page of another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['another path', { path: '/other' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}') }, 415],
    ['a body in UTF-16', { headers: { 'content-type': 'application/json; charset=utf-16' } }, 415],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['garbage', { body: Buffer.from('{') }, 400],
    ['two methods', { body: Buffer.from('{"method":"ping","method":"tools/call","id":1}') }, 400],
    ['a header that names another tool', { headers: { 'mcp-name': 'read' } }, 400],
    ['a header that names another method', { headers: { 'mcp-method': 'ping' } }, 400],
    ['a body of 16 MB and one byte', { body: Buffer.alloc(MAX_FRAME_BYTES + 1, ' ') }, 400],
  ] as const)
    it(`refuses ${what} with ${status}, and forwards nothing`, async () => {
      const { port, pathname } = new URL(guard.address);
      const given: { path?: string; method?: string; headers?: Record<string, string>; body?: Buffer } = init;
      const seen = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', ...given.headers };
        const request = http.request(
          { port, path: given.path ?? pathname, method: given.method ?? 'POST', headers },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        request.on('error', reject).end(given.body ?? JSON.stringify(call(1)));
      });
      expect([seen, received, custos.asked]).to.deep.equal([status, [], []]);
    });

  it('takes headers that name the same, also encoded', async () => {
    const name = `=?base64?${Buffer.from('do').toString('base64')}?=`;
    const response = await send(call(1), { headers: { 'mcp-method': 'tools/call', 'mcp-name': name } });
    expect(await response.json()).to.deep.equal(result(1));
  });

  it('streams notices while a call waits for a human, and the result of the server after them', async () => {
    custos.answer = ({ approval_id: approval }) => ({ verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' });
    const response = await send(call(1, {}, { _meta: { progressToken: 7 } }));
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      custos.approvals.set(/apr_\w+/.exec(text)?.[0] ?? '', 'approved');
    }
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, line]) => JSON.parse(line ?? '') as { method?: string; id?: number },
    );
    expect(data.at(0)?.method).to.equal('notifications/progress');
    expect(data.at(-1)).to.deep.equal(result(1));
  });

  for (const how of ['goes away', 'cancels it', 'cancels it without a session'] as const)
    it(`drops a call that waits for a human when its client ${how}`, async () => {
      custos.answer = () => ({ verdict: 'ESCALATE' });
      const headers: Record<string, string> = how === 'cancels it' ? { 'mcp-session-id': 's1' } : {};
      const controller = new AbortController();
      const response = await send(call(1), { headers, signal: controller.signal });
      if (how === 'goes away') controller.abort();
      else {
        const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
        expect((await send(cancel, { headers })).status).to.equal(202);
        expect(await response.text()).to.not.include('"id":1');
      }
      const polls = custos.polls;
      custos.approvals.set('apr_01m7z6w78c5ardnz9csgncbv86', 'approved');
      custos.answer = () => ({ verdict: 'ALLOW' });
      await send(call(2, { other: true }), { headers });
      expect(received.map(({ body }) => (JSON.parse(body) as { id: number }).id)).to.deep.equal([2]);
      expect(custos.polls).to.be.most(polls + 1);
    });

  it('ends the request of the server when the client goes away, and reports the call as unanswered', async () => {
    let isClosed = false;
    answer = (_, response) => {
      response.once('close', () => (isClosed = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const controller = new AbortController();
    await send(call(1), { signal: controller.signal });
    controller.abort();
    await waitFor(() => isClosed && reports.length > 0);
    expect(reports.map(({ outcome }) => outcome)).to.deep.equal(['unanswered']);
  });

  it('redacts results in JSON and in events, also when a session fetches them again on another stream', async () => {
    custos.answer = () => ({ verdict: 'DEGRADE', obligations: [{ type: 'redact_fields', fields: ['email'] }] });
    const secret = JSON.stringify(result(1, { content: [{ type: 'text', text: '{"email":"a@b"}' }] }));
    const headers = { 'mcp-session-id': 's1' };
    answer = json(secret);
    const first = await (await send(call(1), { headers })).text();
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: 5\ndata: ${secret}\n\n`);
    const again = await fetch(guard.address, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': '4' },
    });
    const second = await again.text();
    for (const text of [first, second]) expect(text).to.include('[redacted]');
    expect(first + second).to.not.include('a@b');
    expect(second).to.include('id: 5');
  });

  for (const [what, said] of [
    ['garbage', json('hello')],
    [
      'events of garbage',
      (_: Received, response: http.ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: hello\n\n'),
    ],
    [
      'a compressed answer',
      (_: Received, response: http.ServerResponse) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    ],
  ] as const)
    it(`gives the client an error when the server answers with ${what}`, async () => {
      answer = said;
      const text = await (await send(call(1))).text();
      expect(text).to.include('-32603').and.include('"id":1');
    });

  it('gives the client an error when the server breaks off, and when nothing listens', async () => {
    answer = (_, response) => response.destroy();
    expect(await (await send(call(1))).text()).to.include('can not be reached');
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    const response = await send(call(2));
    expect([response.status, (await response.text()).includes('"id":2')]).to.deep.equal([502, true]);
  });

  it('passes errors of the server on, with its status', async () => {
    answer = json({ error: 'session not found' }, 404);
    const response = await send(call(1));
    expect([response.status, await response.json()]).to.deep.equal([404, { error: 'session not found' }]);
  });

  it('stops calls in batches, and answers all of a batch in one array', async () => {
    custos.answer = ({ tool }) => ({ verdict: tool.arguments['no'] === true ? 'DENY' : 'ALLOW' });
    answer = ({ body }, response) =>
      json((JSON.parse(body) as { id: unknown }[]).map(({ id }) => result(id)))({} as Received, response);
    const answers = (await (await send([call(1, { no: true }), call(2)])).json()) as {
      id: number;
      result: { isError?: boolean };
    }[];
    expect(answers.map(({ id, result: { isError } }) => [id, isError])).to.deep.equal([
      [2, undefined],
      [1, true],
    ]);
    expect(received).to.have.length(1);
    const none = (await (await send([call(3, { no: true })])).json()) as { id: number }[];
    expect(none.map(({ id }) => id)).to.deep.equal([3]);
    expect(received).to.have.length(1);
  });
});
