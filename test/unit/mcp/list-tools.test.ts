// Lists of tools of MCP servers: sessions of three protocol versions, pages, and answers that can't be used.
import { expect } from 'chai';
import { type Json, objectOf } from '../../../shared/kernel/json.ts';
import type { McpConnection } from '../../../cli/mcp/connection.ts';
import { HttpConnection } from '../../../cli/mcp/http-connection.ts';
import { listTools } from '../../../cli/mcp/list-tools.ts';
import { usableTools } from '../../../shared/core/tools/listing.ts';
import { serveModern } from '../../support/mcp-modern-server.ts';

type Answers = Readonly<Record<string, (params: Json) => Json>>;

/** A connection to a server that gives these answers, and what was sent. */
function scripted(answers: Answers): McpConnection & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    async request(method, params) {
      sent.push(method);
      return answers[method]?.(params) ?? { error: { code: -32_601, message: 'Method not found' } };
    },
    async notify(method) {
      sent.push(method);
    },
    negotiated: (version) => void sent.push(version),
    close: async () => undefined,
  };
}

const greets = (protocolVersion: string) => () => ({
  result: { protocolVersion, serverInfo: { name: 'scripted', version: '1' } },
});
const page =
  (...names: string[]) =>
  () => ({ result: { tools: names.map((name) => ({ name })) } });
const sentenceOf = async (answers: Answers): Promise<string> =>
  listTools(scripted(answers)).then(
    () => 'no error',
    (error: Error) => error.message,
  );

describe('the list of the tools of an MCP server', () => {
  for (const version of ['2024-11-05', '2025-06-18', '2025-11-25'])
    it(`comes after a handshake in version ${version}`, async () => {
      const server = scripted({ initialize: greets(version), 'tools/list': page('a') });
      expect(await listTools(server)).to.deep.equal({ serverName: 'scripted', tools: [{ name: 'a' }] });
      expect(server.sent).to.deep.equal(['initialize', version, 'notifications/initialized', 'tools/list']);
    });

  it('comes without a handshake from a server of 2026-07-28 alone, and each request says who asks', async () => {
    const metas: unknown[] = [];
    const withMeta = (result: Json) => (params: Json) => {
      metas.push(Object.keys(objectOf(params['_meta']) ?? {}).map((name) => name.split('/')[1]));
      return { result };
    };
    const server = scripted({
      'server/discover': withMeta({ _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern' } } }),
      'tools/list': withMeta({ tools: [{ name: 'a' }], resultType: 'complete' }),
    });
    expect((await listTools(server)).serverName).to.equal('modern');
    expect(server.sent).to.deep.equal(['initialize', '2026-07-28', 'server/discover', 'tools/list']);
    const who = ['protocolVersion', 'clientInfo', 'clientCapabilities'];
    expect(metas).to.deep.equal([who, who]);
  });

  it('comes over HTTP from a server with the official SDK', async () => {
    const server = await serveModern();
    const connection = new HttpConnection(new URL(server.url), { timeoutMs: 5_000 });
    const { tools } = await listTools(connection);
    await connection.close();
    await server.close();
    expect(tools.map(({ name }) => name)).to.deep.equal(['read', 'steps', 'ask']);
  });

  it('is read to its last page', async () => {
    const list = ({ cursor }: Json): Json =>
      cursor === undefined
        ? { result: { tools: [{ name: 'a' }], nextCursor: '2' } }
        : { result: { tools: [{ name: `b${JSON.stringify(cursor)}` }] } };
    const { tools } = await listTools(scripted({ initialize: greets('2025-11-25'), 'tools/list': list }));
    expect(tools).to.deep.equal([{ name: 'a' }, { name: 'b"2"' }]);
  });

  const started = { initialize: greets('2025-11-25') };
  let pages = 0;
  for (const [what, answers, sentence] of [
    ['supports no protocol version', {}, 'answered initialize with the error -32601, Method not found'],
    ['gives no version', { initialize: () => ({ result: {} }) }, 'without a protocol version'],
    ['has no tools', started, 'answered tools/list with the error -32601'],
    [
      'answers with something else',
      { ...started, 'tools/list': () => ({ result: 7 }) },
      'neither a result nor an error',
    ],
    ['lists no tools', { ...started, 'tools/list': () => ({ result: { tools: {} } }) }, 'without a list of tools'],
    ['lists a tool without a name', { ...started, 'tools/list': () => ({ result: { tools: [{}] } }) }, 'no name'],
    [
      'repeats a page',
      { ...started, 'tools/list': () => ({ result: { tools: [], nextCursor: '2' } }) },
      'does not end',
    ],
    [
      'never ends its pages',
      { ...started, 'tools/list': () => ({ result: { tools: [], nextCursor: String((pages += 1)) } }) },
      'does not end its list of tools: 100 pages',
    ],
  ] as const)
    it(`is an error when the server ${what}`, async () => expect(await sentenceOf(answers)).to.contain(sentence));
});

describe('the tools that a catalogue can have', () => {
  const usable = (tools: readonly Json[]) => usableTools(tools);
  it('are each there once, and a name with two definitions is an error', () => {
    const tool = { name: 'a', description: 'reads' };
    expect(usable([tool, { ...tool, title: 'not part of the definition' }]).tools).to.have.length(1);
    expect(() => usable([tool, { ...tool, description: 'writes' }])).to.throw('lists the tool "a" twice');
  });
  it('are without those that it can not name or pin', () => {
    const found = usable([{ name: '..' }, { name: 'a', description: '\ud800' }, { name: '__proto__' }]);
    expect(found.leftOut.map(({ name }) => name)).to.deep.equal(['..', 'a']);
    expect(found.tools.map(({ tool }) => tool.name)).to.deep.equal(['__proto__']);
  });
});
