// The guard over streamable HTTP: requests that are forwarded, judged or refused.
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { MAX_FRAME_BYTES } from '../../../cli/mcp/frames.ts';
import { call, type HttpGuardUnderTest, json, result, startHttpGuard } from './http-setup.ts';

describe('the guard over HTTP', () => {
  let on: HttpGuardUnderTest;
  beforeEach(async () => {
    on = await startHttpGuard();
  });
  afterEach(() => on.close());

  it('forwards headers and bytes in both directions, without the headers of the connection', async () => {
    on.answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
        .end(' {"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
    const text = ' {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"n":1.0}}';
    const response = await on.send(text, { headers: { authorization: 'Bearer x', 'x-own': 'y' } });
    expect(await response.text()).to.equal(' {"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
    expect(response.headers.get('mcp-session-id')).to.equal('s1');
    expect(on.received[0]?.body).to.equal(text);
    expect(on.received[0]?.headers).to.include({
      authorization: 'Bearer x',
      'x-own': 'y',
      'accept-encoding': 'identity',
    });
  });

  it('requests a decision with the fetched digest, forwards the call, and reports it', async () => {
    expect(await (await on.send(call(1, { p: 'a' }))).json()).to.deep.equal(result(1));
    expect(on.custos.asked[0]?.tool).to.deep.include({ server: 's', name: 'do', arguments: { p: 'a' } });
    expect(on.custos.asked[0]?.tool.definition_digest).to.match(/^sha256:/);
    expect(on.reports.map(({ outcome }) => outcome)).to.deep.equal(['success']);
  });

  const session = (id: string): Record<string, string> => ({ 'mcp-session-id': id });
  for (const [what, shown, moved, later, isSent] of [
    ['in the same session', session('s1'), undefined, session('s1'), false],
    ['in a session that the server has replaced since', session('s1'), 's2', session('s2'), false],
    ['in the answer that replaces the session', session('s1'), 's2', session('s2'), false],
    ['before the server began a session', {}, 's1', session('s1'), false],
    ['in the answer that begins the session', {}, 's1', session('s1'), false],
    [
      'without a session, with other credentials',
      { authorization: 'Bearer x' },
      undefined,
      { authorization: 'Bearer y' },
      false,
    ],
    ['in another session', session('s1'), undefined, session('s2'), true],
  ] as const)
    it(`${isSent ? 'sends the' : 'sends no'} digest of a tool that was shown with another definition ${what}`, async () => {
      const moving = moved === undefined ? {} : session(moved);
      if (what.startsWith('in the answer')) on.listHeaders = moving;
      await (await on.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers: shown })).text();
      on.listHeaders = {};
      on.tool = { name: 'do', description: 'changed' };
      on.answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json', ...moving }).end(JSON.stringify(result(2)));
      if (!what.startsWith('in the answer'))
        await (await on.send({ jsonrpc: '2.0', id: 2, method: 'ping' }, { headers: shown })).text();
      await (await on.send({ jsonrpc: '2.0', id: 3, method: 'tools/list' }, { headers: later })).text();
      on.answer = json(result(4));
      await (await on.send(call(4), { headers: later })).text();
      expect(on.custos.asked.map(({ tool }) => tool.definition_digest !== undefined)).to.deep.equal([isSent]);
    });

  it('answers a denied call with a tool result and status 200', async () => {
    on.custos.answer = () => ({ verdict: 'DENY' });
    const response = await on.send(call(1, {}, { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }));
    const { result: refused } = (await response.json()) as { result: { isError: boolean; resultType: string } };
    expect([response.status, refused.isError, refused.resultType, on.received]).to.deep.equal([
      200,
      true,
      'complete',
      [],
    ]);
  });

  for (const [what, init, status] of [
    ['another host', { headers: { host: 'evil.example' } }, 403],
    ['a web page of another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['another path', { path: '/other' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}') }, 415],
    ['a body in UTF-16', { headers: { 'content-type': 'application/json; charset=utf-16' } }, 415],
    [
      'two content types',
      { headers: { 'content-type': ['application/json', 'application/json; charset=utf-16'] } },
      400,
    ],
    ['two sessions', { headers: { 'mcp-session-id': ['s1', 's2'] } }, 400],
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
      expect([await on.statusOf(on.guard, init), on.received, on.custos.asked]).to.deep.equal([status, [], []]);
    });

  it('accepts matching headers, also encoded', async () => {
    const name = `=?base64?${Buffer.from('do').toString('base64')}?=`;
    const response = await on.send(call(1), { headers: { 'mcp-method': 'tools/call', 'mcp-name': name } });
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
      on.tool = { name: 'do', inputSchema: { type: 'object', properties } };
    });
    const args = { region: 'Zürich', limit: 5, at: { dry: true } };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-param-region': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
      'mcp-param-limit': '5.0',
      'mcp-param-dry': 'true',
    };

    it('forwards headers that agree with the body unchanged', async () => {
      expect(await (await on.send(modern(args), { headers })).json()).to.deep.equal(result(1));
      expect(on.received[0]?.headers).to.include(headers);
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
      it(`refuses ${what} in a header without a request to the service`, async () => {
        const response = await on.send(modern(args), { headers: { ...headers, ...changed } });
        const { id, error } = (await response.json()) as { id: number; error: { code: number } };
        expect([response.status, id, error.code]).to.deep.equal([400, 1, -32_020]);
        expect([on.received, on.custos.asked]).to.deep.equal([[], []]);
      });

    it('refuses the header of an argument that the call does not have', async () => {
      expect((await on.send(modern({ region: 'Zürich', limit: 5 }), { headers })).status).to.equal(400);
    });

    it('sends the number that an obligation has lowered in the header, too', async () => {
      on.custos.answer = () => ({ verdict: 'DEGRADE', obligations: [{ type: 'max_rows', limit: 2 }] });
      await on.send(modern(args), { headers });
      expect(on.received[0]?.headers).to.include({ ...headers, 'mcp-param-limit': '2' });
      expect(JSON.parse(on.received[0]?.body ?? '')).to.have.nested.property('params.arguments.limit', 2);
    });
  });
});
