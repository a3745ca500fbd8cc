// Answers of the guard over HTTP: streams, redaction, and the end of a request when a side disconnects or sends garbage.
import { expect } from 'chai';
import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import { waitFor } from '../../support/wait.ts';
import { call, type HttpGuardUnderTest, json, type Received, result, startHttpGuard } from './http-setup.ts';

describe('answers of the guard over HTTP', () => {
  let on: HttpGuardUnderTest;
  beforeEach(async () => {
    on = await startHttpGuard();
  });
  afterEach(() => on.close());

  it('streams notifications while a call waits for a human, followed by the result of the server', async () => {
    on.custos.answer = ({ approval_id: approval }) => ({ verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' });
    const response = await on.send(call(1, {}, { _meta: { progressToken: 7 } }));
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      on.custos.approvals.set(/apr_\w+/.exec(text)?.[0] ?? '', 'approved');
    }
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, line]) => JSON.parse(line ?? '') as { method?: string; id?: number },
    );
    expect(data.at(0)?.method).to.equal('notifications/progress');
    expect(data.at(-1)).to.deep.equal(result(1));
  });

  for (const how of ['goes away', 'cancels it', 'cancels it without a session'] as const)
    it(`drops a call that waits for a human when its client ${how}`, async () => {
      on.custos.answer = () => ({ verdict: 'ESCALATE' });
      const headers: Record<string, string> = how === 'cancels it' ? { 'mcp-session-id': 's1' } : {};
      const controller = new AbortController();
      const response = await on.send(call(1), { headers, signal: controller.signal });
      if (how === 'goes away') controller.abort();
      else {
        const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
        expect((await on.send(cancel, { headers })).status).to.equal(202);
        expect(await response.text()).to.not.include('"id":1');
      }
      const polls = on.custos.polls;
      on.custos.approvals.set('apr_01m7z6w78c5ardnz9csgncbv86', 'approved');
      on.custos.answer = () => ({ verdict: 'ALLOW' });
      await on.send(call(2, { other: true }), { headers });
      expect(on.received.map(({ body }) => (JSON.parse(body) as { id: number }).id)).to.deep.equal([2]);
      expect(on.custos.polls).to.be.most(polls + 1);
    });

  it('ends the request of the server when the client goes away, and reports the call as unanswered', async () => {
    let isClosed = false;
    on.answer = (_, response) => {
      response.once('close', () => (isClosed = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const controller = new AbortController();
    await on.send(call(1), { signal: controller.signal });
    controller.abort();
    await waitFor(() => isClosed && on.reports.length > 0);
    expect(on.reports.map(({ outcome }) => outcome)).to.deep.equal(['unanswered']);
  });

  it('redacts results in JSON and in events, also when a session fetches them again on another stream', async () => {
    on.custos.answer = () => ({ verdict: 'DEGRADE', obligations: [{ type: 'redact_fields', fields: ['email'] }] });
    const secret = JSON.stringify(result(1, { content: [{ type: 'text', text: '{"email":"a@b"}' }] }));
    const headers = { 'mcp-session-id': 's1' };
    on.answer = (_, response) => response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end('{}');
    await on.send({ jsonrpc: '2.0', id: 0, method: 'initialize' });
    on.answer = json(secret);
    const first = await (await on.send(call(1), { headers })).text();
    on.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: 5\ndata: ${secret}\n\n`);
    const again = await fetch(on.guard.address, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': '4' },
    });
    const second = await again.text();
    for (const text of [first, second]) expect(text).to.include('[redacted]');
    expect(first + second).to.not.include('a@b');
    expect(second).to.include('id: 5');
  });

  describe('when a result has to be redacted', () => {
    beforeEach(() => {
      on.custos.answer = () => ({ verdict: 'DEGRADE', obligations: [{ type: 'redact_fields', fields: ['email'] }] });
    });
    const said = (value: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...value });
    const content = [{ type: 'text', text: '{"email":"a@b"}' }];
    const secret = said({ result: { content } });
    const [asJson, asEvents] = ['application/json', 'text/event-stream'];
    for (const [what, status, type, body] of [
      ['under the id as a text', 200, asJson, said({ id: '1', result: { content } })],
      ['under no id', 200, asJson, said({ id: null, result: { content } })],
      ['with null beside it', 200, asJson, said({ method: null, params: null, error: null, result: { content } })],
      ['with an empty method', 200, asJson, said({ method: '', result: { content } })],
      ['with an error beside it', 200, asJson, said({ result: { content }, error: { code: 1, message: 'a@b' } })],
      ['under two ids', 200, asJson, `{"jsonrpc":"2.0","id":2,"result":{"content":${JSON.stringify(content)}},"id":1}`],
      ['in a message that is no response', 200, asJson, said({ email: 'a@b' })],
      ['behind a byte order mark', 200, asEvents, `\uFEFFdata: ${secret}\n\n`],
      ['in an event under another id', 200, asEvents, `data: ${said({ id: '1', result: { content } })}\n\n`],
      ['as another type', 200, 'application/json-rpc', secret],
      ['as text', 200, 'text/plain', secret],
      ['without a type', 200, undefined, secret],
      ['as an error of HTTP in text', 500, 'text/plain', 'a@b is unknown'],
      ['as an error of HTTP in JSON', 404, asJson, '{"error":"a@b is unknown"}'],
      ['as an error of HTTP in JSON as text', 500, 'text/plain', '{"error":"a@b is unknown"}'],
      ['as an error without an id', 400, asJson, said({ id: null, error: { code: -1, message: 'a@b' } })],
      ['as an error under another id', 404, asJson, said({ id: 'server-error', error: { code: -1, message: 'a@b' } })],
      ['as an error of HTTP with a result', 404, asJson, said({ id: 'x', error: { code: -1 }, result: { content } })],
    ] as const)
      it(`withholds it ${what}`, async () => {
        on.answer = (_, response) =>
          response.writeHead(status, type === undefined ? {} : { 'content-type': type, 'x-kept': '1' }).end(body);
        const response = await on.send(call(1));
        expect(await response.text()).to.not.include('a@b');
        if (status >= 400) expect([response.status, response.headers.get('x-kept')]).to.deep.equal([status, '1']);
      });

    for (const type of ['application/json-rpc', 'text/plain', undefined])
      it(`redacts JSON of the type ${type}`, async () => {
        on.answer = (_, response) =>
          response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(secret);
        const response = await on.send(call(1));
        expect(response.headers.get('content-type')).to.equal('application/json');
        expect(await response.json()).to.deep.equal(
          result(1, { content: [{ type: 'text', text: '{"email":"[redacted]"}' }] }),
        );
      });

    it('withholds what can not be read in all of its session', async () => {
      const headers = { 'mcp-session-id': 's1' };
      await on.send(call(1), { headers });
      on.answer = (_, response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('a@b is unknown');
      const response = await on.send({ jsonrpc: '2.0', id: 2, method: 'ping' }, { headers });
      expect([response.status, (await response.text()).includes('a@b')]).to.deep.equal([500, false]);
    });
  });

  it('forwards the text of an error of HTTP when nothing has to be redacted', async () => {
    on.answer = (_, response) => response.writeHead(503, { 'content-type': 'text/plain' }).end('Back at noon.');
    const response = await on.send(call(1));
    expect([response.status, await response.text()]).to.deep.equal([503, 'Back at noon.']);
  });

  const plain =
    (status: number, body: string, type: string | undefined = 'text/plain') =>
    (_: Received, response: http.ServerResponse) =>
      response
        .writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), 'mcp-session-id': 's1', 'x-kept': '1' })
        .end(body);

  for (const [what, body] of [
    ['a word', 'OK'],
    ['a message', '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"OK"}}'],
    ['an answer', JSON.stringify(result(1))],
  ] as const)
    for (const status of [200, 201, 202])
      for (const type of ['text/plain', 'application/json', ''])
        it(`are empty when nobody awaits ${what} of the type ${type || 'none'} with status ${status}`, async () => {
          on.answer = plain(status, body, type);
          const initialized = await on.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
          const ended = await fetch(on.guard.address, { method: 'DELETE', headers: { 'mcp-session-id': 's1' } });
          for (const response of [initialized, ended]) {
            expect([response.status, await response.text()]).to.deep.equal([status, '']);
            expect(['content-type', 'x-kept'].map((name) => response.headers.get(name))).to.deep.equal([null, '1']);
          }
        });

  for (const [status, type] of [
    [200, 'text/plain'],
    [202, 'application/json'],
  ] as const)
    it(`have the refusals of a batch when the server writes a word to the rest with status ${status}`, async () => {
      on.custos.answer = () => ({ verdict: 'DENY' });
      on.answer = plain(status, 'OK', type);
      const response = await on.send([call(1), { jsonrpc: '2.0', method: 'notifications/initialized' }]);
      const refusals = (await response.json()) as { id: number }[];
      expect([response.status, refusals.map(({ id }) => id)]).to.deep.equal([200, [1]]);
    });

  for (const [what, method, body] of [
    ['a call', 'POST', 'OK'],
    ['a batch with a call', 'POST', 'OK'],
    ['a stream', 'GET', 'OK'],
  ] as const)
    it(`are refused when the server writes a word to ${what}`, async () => {
      on.answer = plain(200, body);
      const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const response = await (method === 'GET'
        ? fetch(on.guard.address)
        : on.send(what === 'a call' ? call(1) : [notice, call(1)]));
      expect([response.status, (await response.text()).includes('OK')]).to.deep.equal([502, false]);
    });

  for (const type of ['application/json-rpc', 'text/plain', 'text/html; charset=utf-16', ''])
    it(`are JSON when they can be read as that, also of the type ${type || 'none'}`, async () => {
      const text = ` ${JSON.stringify(result(1))}`;
      on.answer = plain(200, text, type);
      const response = await on.send(call(1));
      expect([response.status, await response.text()]).to.deep.equal([200, text]);
      const names = ['content-type', 'mcp-session-id', 'x-kept'];
      expect(names.map((name) => response.headers.get(name))).to.deep.equal(['application/json', 's1', '1']);
    });

  it('under another id are not passed on, of any type', async () => {
    on.answer = plain(200, JSON.stringify(result('1')));
    const response = await on.send(call(1));
    expect([response.status, (await response.text()).includes('done')]).to.deep.equal([502, false]);
  });

  describe('when the server refuses a request', () => {
    const error = { code: -32_600, message: 'Session not found' };
    const send = async (value: unknown, status = 404, type = 'application/json'): Promise<[number, string]> => {
      on.answer = plain(status, typeof value === 'string' ? value : JSON.stringify(value), type);
      const response = await on.send(call(1));
      return [response.status, await response.text()];
    };

    for (const status of [400, 404, 406, 409, 500])
      it(`has its reason of status ${status} under no id, not one that the client did not send`, async () => {
        const text = `{"jsonrpc":"2.0", "id" : "server-error","error":${JSON.stringify(error)}}`;
        expect(await send(text, status)).to.deep.equal([status, text.replace('"server-error"', 'null')]);
        expect(on.reports.map(({ outcome }) => outcome)).to.deep.equal(['unanswered']);
      });

    for (const id of ['1', 2, 1.5, true, { id: 1 }])
      it(`has its reason under no id instead of ${JSON.stringify(id)}`, async () => {
        expect(await send({ jsonrpc: '2.0', id, error })).to.deep.equal([
          404,
          JSON.stringify({ jsonrpc: '2.0', id: null, error }),
        ]);
      });

    it('has its reason also as text, and under the id of the request', async () => {
      const other = await send({ jsonrpc: '2.0', id: 'server-error', error }, 404, 'text/plain');
      expect(other).to.deep.equal([404, JSON.stringify({ jsonrpc: '2.0', id: null, error })]);
      const own = { jsonrpc: '2.0', id: 1, error };
      expect(await send(own, 400)).to.deep.equal([400, JSON.stringify(own)]);
    });

    it('keeps the type of an error that is JSON', async () => {
      on.answer = plain(503, '{"title":"Back at noon."}', 'application/problem+json');
      const response = await on.send(call(1));
      expect([response.status, response.headers.get('content-type'), await response.text()]).to.deep.equal([
        503,
        'application/problem+json',
        '{"title":"Back at noon."}',
      ]);
    });

    for (const [what, value, status] of [
      ['a result', { id: 'x', result: {} }, 404],
      ['an error with a result', { id: 'x', error, result: {} }, 404],
      ['an error with a result that is null', { id: 'x', error, result: null }, 404],
      ['an error that is none of HTTP', { id: 'x', error }, 200],
    ] as const)
      it(`does not pass on ${what} under another id`, async () => {
        const [got, text] = await send({ jsonrpc: '2.0', ...value }, status);
        expect(got).to.equal(status === 200 ? 502 : status);
        expect(text).to.include('gave an answer that can not be read').and.not.include('Session not found');
      });
  });

  for (const status of [301, 302, 303, 307, 308])
    for (const method of ['POST', 'GET'])
      it(`answers a ${method} that the server redirects with ${status} itself, because the client would go past the guard`, async () => {
        on.answer = (_, response) => response.writeHead(status, { location: '/mcp/' }).end();
        const init = { method, redirect: 'manual' } as const;
        const response = await (method === 'GET' ? fetch(on.guard.address, init) : on.send(call(1), init));
        expect([response.status, response.headers.get('location')]).to.deep.equal([502, null]);
        const sentence =
          /The MCP server redirects \(status \d+\) to (http:\S+\/mcp\/); name that address with --upstream\./;
        expect(await response.text()).to.match(sentence);
        expect(on.logs.join()).to.match(sentence);
      });

  it('do not name another address of the server', async () => {
    on.answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', location: '/mcp/', 'alt-svc': 'h2=":1"' })
        .end(JSON.stringify(result(1)));
    const { headers } = await on.send(call(1));
    expect([headers.get('location'), headers.get('alt-svc')]).to.deep.equal([null, null]);
  });

  it('to a request without a session are recognised in the session that begins with it', async () => {
    const headers = { 'mcp-session-id': 's1' };
    on.answer = (_, response) => response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' }).end();
    await (await on.send({ jsonrpc: '2.0', id: 0, method: 'initialize' })).text();
    const data = `data: ${JSON.stringify(result(0))}\n\n`;
    on.answer = (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(data);
    const again = await fetch(on.guard.address, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': '0' },
    });
    expect(await again.text()).to.equal(data);
  });

  for (const [what, session] of [
    ['without a session', {}],
    ['in a session that has not begun through the guard', { 'mcp-session-id': 's2' }],
  ] as const)
    it(`does not resume a stream ${what}, because a result in it may have to be redacted`, async () => {
      // Servers repeat the id of the session in each answer.
      on.answer = (_, response) =>
        response.writeHead(200, { ...session, 'content-type': 'application/json' }).end('{}');
      await on.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: session });
      const again = await fetch(on.guard.address, {
        headers: { ...session, accept: 'text/event-stream', 'last-event-id': '4' },
      });
      expect([again.status, on.received.map(({ method }) => method)]).to.deep.equal([404, ['POST']]);
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
      on.answer = said;
      const text = await (await on.send(call(1))).text();
      expect(text).to.include('-32603').and.include('"id":1');
    });

  it('gives the client an error when the server disconnects, and when nothing listens', async () => {
    on.answer = (_, response) => response.destroy();
    expect(await (await on.send(call(1))).text()).to.include('can not be reached');
    on.upstream.closeAllConnections();
    await new Promise((resolve) => on.upstream.close(resolve));
    const response = await on.send(call(2));
    expect([response.status, (await response.text()).includes('"id":2')]).to.deep.equal([502, true]);
  });

  it('forwards errors of the server, with its status', async () => {
    on.answer = json({ error: 'session not found' }, 404);
    const response = await on.send(call(1));
    expect([response.status, await response.json()]).to.deep.equal([404, { error: 'session not found' }]);
  });

  it('forwards the permitted calls of a batch without waiting for a human who has to approve another one', async () => {
    on.custos.answer = ({ tool }) => ({ verdict: tool.arguments['ask'] === true ? 'ESCALATE' : 'ALLOW' });
    on.answer = ({ body }, response) =>
      json((JSON.parse(body) as { id: unknown }[]).map(({ id }) => result(id)))({} as Received, response);
    const text = await (await on.send([call(1, { ask: true }), call(2)])).text();
    expect(text).to.include('call the tool again').and.include('done');
    expect(on.received.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([[call(2)]]);
  });

  it('stops calls in batches, and answers all of a batch in one array', async () => {
    on.custos.answer = ({ tool }) => ({ verdict: tool.arguments['no'] === true ? 'DENY' : 'ALLOW' });
    on.answer = ({ body }, response) =>
      json((JSON.parse(body) as { id: unknown }[]).map(({ id }) => result(id)))({} as Received, response);
    const answers = (await (await on.send([call(1, { no: true }), call(2)])).json()) as {
      id: number;
      result: { isError?: boolean };
    }[];
    expect(answers.map(({ id, result: { isError } }) => [id, isError])).to.deep.equal([
      [2, undefined],
      [1, true],
    ]);
    expect(on.received).to.have.length(1);
    const none = (await (await on.send([call(3, { no: true })])).json()) as { id: number }[];
    expect(none.map(({ id }) => id)).to.deep.equal([3]);
    expect(on.received).to.have.length(1);
  });
});
