// The guard over streamable HTTP: who may connect, stopped calls, and the end of a request when a side disconnects or sends garbage.
import { randomUUID } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../../cli/mcp-guard/custos.ts';
import { MAX_FRAME_BYTES } from '../../../cli/mcp/frames.ts';
import { Guard } from '../../../cli/mcp-guard/guard.ts';
import type { AccessOptions } from '../../../cli/mcp-guard/http-access.ts';
import { guardHttp, type HttpGuard } from '../../../cli/mcp-guard/http.ts';
import type { CallReport } from '../../../cli/mcp-guard/reports.ts';
import { type FakeCustos, startFakeCustos } from '../../support/fake-custos.ts';
import { waitFor } from '../../support/wait.ts';

interface Received {
  readonly method: string;
  readonly url: string;
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

  /** The tool that the upstream lists. */
  let tool: object;

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
        log: () => undefined,
      },
      newId: randomUUID,
      log: () => undefined,
    });
  };

  beforeEach(async () => {
    custos = await startFakeCustos();
    tool = { name: 'do' };
    [received, reports] = [[], []];
    answer = ({ body }, response) =>
      json(result((JSON.parse(body || '{}') as { id?: unknown }).id))({} as Received, response);
    upstream = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        if (body.includes('"tools/list"'))
          return json(result((JSON.parse(body) as { id: unknown }).id, { tools: [tool] }))({} as Received, response);
        const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        received.push(one);
        return answer(one, response);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    guard = await start();
  });
  afterEach(async () => {
    await guard.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    await custos.close();
  });

  interface Raw {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Buffer;
  }

  /** Of a request with headers that fetch does not let through. */
  const statusOf = async (
    { address }: HttpGuard,
    { path, method, headers, body }: Raw,
  ): Promise<number | undefined> => {
    const { port, pathname } = new URL(address);
    return new Promise((resolve, reject) => {
      const all = { 'content-type': 'application/json', ...headers };
      http
        .request({ port, path: path ?? pathname, method: method ?? 'POST', headers: all }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on('error', reject)
        .end(method === 'GET' ? undefined : (body ?? JSON.stringify(call(1))));
    });
  };

  const send = async (body: unknown, init: RequestInit = {}): Promise<Response> =>
    fetch(guard.address, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...init.headers },
    });

  it('forwards headers and bytes in both directions, without the headers of the connection', async () => {
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

  it('requests a decision with the fetched digest, forwards the call, and reports it', async () => {
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
    ['a header that some servers take for Mcp-Session-Id', { headers: { mcp_session_id: 's' } }, 400],
    ['a header that some servers take for Mcp-Name', { headers: { 'mcp-name': 'do', mcp_name: 'do' } }, 400],
    ['the header of an argument that the tool has not', { headers: { 'mcp-param-region': 'eu' } }, 400],
    ['a name in invalid base64', { headers: { 'mcp-name': '=?base64?ZG8?=' } }, 400],
    ['a web page without an origin', { headers: { origin: 'null' } }, 403],
    ['a web page of another site that sends no origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a host with a user name', { headers: { host: 'x@127.0.0.1' } }, 403],
    ['a body of 16 MB and one byte', { body: Buffer.alloc(MAX_FRAME_BYTES + 1, ' ') }, 400],
  ] as const)
    it(`refuses ${what} with ${status}, and forwards nothing`, async () => {
      expect([await statusOf(guard, init), received, custos.asked]).to.deep.equal([status, [], []]);
    });

  it('accepts matching headers, also encoded', async () => {
    const name = `=?base64?${Buffer.from('do').toString('base64')}?=`;
    const response = await send(call(1), { headers: { 'mcp-method': 'tools/call', 'mcp-name': name } });
    expect(await response.json()).to.deep.equal(result(1));
  });

  describe('with arguments in headers', () => {
    const modern = (args: object): object =>
      call(1, args, { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } });
    beforeEach(() => {
      const properties = {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        limit: { type: 'integer', 'x-mcp-header': 'Limit' },
        at: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
      };
      tool = { name: 'do', inputSchema: { type: 'object', properties } };
    });
    const args = { region: 'Zürich', limit: 5, at: { dry: true } };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-param-region': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
      'mcp-param-limit': '5.0',
      'mcp-param-dry': 'true',
    };

    it('passes headers that agree with the body on as they came', async () => {
      expect(await (await send(modern(args), { headers })).json()).to.deep.equal(result(1));
      expect(received[0]?.headers).to.include(headers);
    });

    for (const [what, changed] of [
      ['another text', { 'mcp-param-region': 'us' }],
      ['another number', { 'mcp-param-limit': '50' }],
      ['a number that is no decimal', { 'mcp-param-limit': '0x5' }],
      ['another truth value', { 'mcp-param-dry': 'false' }],
      ['two values', { 'mcp-param-dry': 'true, false' }],
      ['an argument that the tool has not', { 'mcp-param-zone': 'a' }],
      ['another version of the protocol', { 'mcp-protocol-version': '2025-11-25' }],
    ] as const)
      it(`refuses ${what} in a header before anybody is asked`, async () => {
        const response = await send(modern(args), { headers: { ...headers, ...changed } });
        const { id, error } = (await response.json()) as { id: number; error: { code: number } };
        expect([response.status, id, error.code]).to.deep.equal([400, 1, -32_020]);
        expect([received, custos.asked]).to.deep.equal([[], []]);
      });

    it('refuses the header of an argument that the call has not', async () => {
      expect((await send(modern({ region: 'Zürich', limit: 5 }), { headers })).status).to.equal(400);
    });

    it('sends the number that an obligation has lowered in the header, too', async () => {
      custos.answer = () => ({ verdict: 'DEGRADE', obligations: [{ type: 'max_rows', limit: 2 }] });
      await send(modern(args), { headers });
      expect(received[0]?.headers).to.include({ ...headers, 'mcp-param-limit': '2' });
      expect(JSON.parse(received[0]?.body ?? '')).to.have.nested.property('params.arguments.limit', 2);
    });
  });

  describe('with a token for its clients', () => {
    const token = 'f'.repeat(32);
    const own = { 'custos-guard-token': token };
    for (const [what, given, status, authorization] of [
      ['no token', {}, 403, undefined],
      ['another token', { 'custos-guard-token': 'e'.repeat(32) }, 403, undefined],
      ['only credentials for the upstream', { authorization: 'Bearer up' }, 403, undefined],
      ['the token in its own header', own, 200, undefined],
      ['the token as a bearer token', { authorization: `bearer ${token}` }, 200, undefined],
      ['the token, and credentials for the upstream', { ...own, authorization: 'Bearer up' }, 200, 'Bearer up'],
      ['the token twice', { ...own, authorization: `Bearer ${token}` }, 200, undefined],
    ] as const)
      it(`answers a request with ${what} with ${status}, and never passes the token on`, async () => {
        const guarded = await start({ token });
        expect(await statusOf(guarded, { headers: given })).to.equal(status);
        expect(received.map(({ headers }) => headers.authorization)).to.deep.equal(
          status === 200 ? [authorization] : [],
        );
        expect(JSON.stringify(received)).to.not.include(token);
        await guarded.close();
      });

    it('answers under its public address, and under no other name', async () => {
      const guarded = await start({ token, publicUrl: new URL('https://guard.example/') });
      for (const [headers, status] of [
        [{ host: 'guard.example' }, 200],
        [{ host: 'guard.example', origin: 'https://guard.example' }, 200],
        [{ host: 'guard.example:8080' }, 403],
        [{ host: 'guard.example', origin: 'https://evil.example' }, 403],
      ] as const)
        expect(await statusOf(guarded, { headers: { ...own, ...headers } })).to.equal(status);
      await guarded.close();
    });
  });

  it('lets an official client sign in to the upstream', async () => {
    const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const posted: URLSearchParams[] = [];
    const metadata = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/`] };
    const server = {
      issuer: `${origin}/`,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    answer = (request, response) => {
      const { url, headers, body } = request;
      if (url === '/.well-known/oauth-protected-resource/mcp') return json(metadata)(request, response);
      if (url === '/.well-known/oauth-authorization-server') return json(server)(request, response);
      if (url === '/token') {
        posted.push(new URLSearchParams(body));
        return json({ access_token: 'up', token_type: 'Bearer' })(request, response);
      }
      if (headers.authorization === 'Bearer up') {
        const { id, params } = JSON.parse(body || '{}') as { id?: unknown; params?: { protocolVersion?: string } };
        const serverInfo = { name: 'x', version: '1' };
        return json(result(id, { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo }))(
          request,
          response,
        );
      }
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    };
    let authorization: URL | undefined;
    let tokens: OAuthTokens | undefined;
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'] },
      clientInformation: () => ({ client_id: 'c' }),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
      redirectToAuthorization: (url) => void (authorization = url),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'v',
    };
    const transport = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL(guard.address), { authProvider });
    const first = transport();
    await new Client({ name: 'c', version: '1' }).connect(first).catch(() => undefined);
    expect(authorization?.searchParams.get('resource')).to.equal(guard.address);
    await first.finishAuth('code');
    expect(posted[0]?.get('code')).to.equal('code');
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(transport());
    await client.close();
  });

  for (const [path, status] of [
    ['/.well-known/oauth-protected-resource', 200],
    ['/.well-known/oauth-protected-resource/mcp?x=1', 200],
    ['/.well-known/oauth-protected-resourceful', 404],
    ['/.well-known/oauth-protected-resource/../../admin', 404],
    ['/.well-known/oauth-protected-resource/%2e%2e/admin', 404],
    ['/.well-known/oauth-authorization-server', 404],
  ] as const)
    it(`answers a look-up of ${path} with ${status}`, async () => {
      answer = json({ resource: 'https://elsewhere.example/mcp' });
      expect(await statusOf(guard, { method: 'GET', path })).to.equal(status);
      expect(received.map(({ url }) => url)).to.deep.equal(status === 200 ? [path] : []);
    });

  it('streams notifications while a call waits for a human, followed by the result of the server', async () => {
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
    answer = (_, response) => response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end('{}');
    await send({ jsonrpc: '2.0', id: 0, method: 'initialize' });
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

  for (const [what, session] of [
    ['without a session', {}],
    ['in a session that has not begun through the guard', { 'mcp-session-id': 's2' }],
  ] as const)
    it(`does not resume a stream ${what}, because a result in it may have to be redacted`, async () => {
      // Servers repeat the id of the session in each answer.
      answer = (_, response) => response.writeHead(200, { ...session, 'content-type': 'application/json' }).end('{}');
      await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: session });
      const again = await fetch(guard.address, {
        headers: { ...session, accept: 'text/event-stream', 'last-event-id': '4' },
      });
      expect([again.status, received.map(({ method }) => method)]).to.deep.equal([404, ['POST']]);
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

  it('gives the client an error when the server disconnects, and when nothing listens', async () => {
    answer = (_, response) => response.destroy();
    expect(await (await send(call(1))).text()).to.include('can not be reached');
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    const response = await send(call(2));
    expect([response.status, (await response.text()).includes('"id":2')]).to.deep.equal([502, true]);
  });

  it('forwards errors of the server, with its status', async () => {
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
