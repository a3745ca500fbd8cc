// The guard between the official clients (1.x and 2.x) and real MCP servers, over stdio and HTTP, in three protocol versions.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { definitionDigest } from '../../shared/core/tools/definition.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { freePort } from '../../shared/platform/embedded/server.ts';
import { type Asked, type FakeCustos, type Said, startFakeCustos } from '../support/fake-custos.ts';
import { temporaryFolder } from '../support/folders.ts';
import { CLI } from '../support/mcp-guard.ts';
import { serveModern } from '../support/mcp-modern-server.ts';
import { HONEST } from '../support/mcp-poisoning-server.ts';
import { cleanEnv, runProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const MODERN = fileURLToPath(new URL('../support/mcp-modern-server.js', import.meta.url));
const POISONING = fileURLToPath(new URL('../support/mcp-poisoning-server.js', import.meta.url));
const serverFile = (name: string): string =>
  path.join(findRoot(), 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
const APPROVAL = 'apr_01m7z6w78c5ardnz9csgncbv86';

interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** The part of a client that the tests use, common to both SDKs. */
interface AnyClient {
  tools(): Promise<string[]>;
  call(
    name: string,
    args?: Record<string, unknown>,
    onProgress?: (progress: number) => void,
    signal?: AbortSignal,
  ): Promise<ToolResult>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };

function wrap(client: Client): AnyClient {
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, onProgress, signal) =>
      client.callTool(
        { name, arguments: args },
        { ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }), ...(signal && { signal }) },
      ),
    close: async () => client.close(),
  };
}

function wrapV1(client: ClientV1): AnyClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, onProgress, signal) =>
      (await client.callTool({ name, arguments: args }, undefined, {
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        ...(signal && { signal }),
      })) as ToolResult,
    close: async () => client.close(),
  };
}

function clientOf(version: string): Client {
  const isModern = version === '2026-07-28';
  return new Client(INFO, {
    capabilities: { elicitation: {} },
    supportedProtocolVersions: [version],
    ...(isModern ? { versionNegotiation: { mode: { pin: version } } } : {}),
  });
}

describe('custos mcp-guard with the official clients', () => {
  let custos: FakeCustos;
  beforeEach(async () => {
    custos = await startFakeCustos();
  });
  afterEach(async () => custos.close());

  const command = (
    server: string,
    args: readonly string[],
  ): { command: string; args: string[]; env: Record<string, string>; stderr: 'ignore' } => ({
    command: process.execPath,
    args: [CLI, 'mcp-guard', '--agent', 'release-bot', '--server', server, '--', process.execPath, ...args],
    env: cleanEnv({ CUSTOS_URL: custos.url, CUSTOS_KEY: custos.key }) as Record<string, string>,
    stderr: 'ignore',
  });
  const overStdioV1 = async (server: string, args: readonly string[]): Promise<AnyClient> => {
    const client = new ClientV1(INFO);
    await client.connect(new StdioV1(command(server, args)));
    return wrapV1(client);
  };
  const overStdio = async (version: string): Promise<AnyClient> => {
    const client = clientOf(version);
    await client.connect(new StdioClientTransport(command('modern', [MODERN])));
    expect(client.getNegotiatedProtocolVersion()).to.equal(version);
    return wrap(client);
  };
  const denyOnly =
    (...names: string[]) =>
    ({ tool }: Asked): Said => ({ verdict: names.includes(tool.name) ? 'DENY' : 'ALLOW' });

  it('permits a 1.x client to read a file, refuses a move with the reason, and permits a write after approval', async () => {
    const root = realpathSync(temporaryFolder('files'));
    mkdirSync(path.join(root, 'app'));
    const [from, to] = [path.join(root, 'app', 'a.txt'), path.join(root, 'app', 'b.txt')];
    writeFileSync(from, 'hello');
    const client = await overStdioV1('filesystem', [serverFile('server-filesystem'), root]);
    custos.answer = ({ tool, approval_id: approval }) => {
      if (tool.name === 'write_file') return { verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' };
      return { verdict: tool.name === 'read_text_file' ? 'ALLOW' : 'DENY' };
    };
    expect(await client.tools()).to.include.members(['read_text_file', 'write_file', 'move_file']);
    const moved = await client.call('move_file', { source: from, destination: to });
    expect(moved).to.include({ isError: true });
    expect(moved.content[0]?.text).to.include('"move_file" of "filesystem"').and.include('because of the test');
    expect([existsSync(from), existsSync(to)]).to.deep.equal([true, false]);
    expect((await client.call('read_text_file', { path: from })).content[0]?.text).to.equal('hello');
    const writing = client.call('write_file', { path: to, content: 'new' }, () =>
      custos.approvals.set(APPROVAL, 'approved'),
    );
    expect(await writing).to.not.include({ isError: true });
    expect(existsSync(to)).to.equal(true);
    for (const { tool } of custos.asked) expect(tool.definition_digest).to.match(/^sha256:[0-9a-f]{64}$/);
    await client.close();
  });

  it('guards the memory server and the everything server, and forwards all their notifications', async () => {
    const memory = await overStdioV1('memory', [serverFile('server-memory')]);
    custos.answer = denyOnly('delete_entities');
    expect(await memory.call('read_graph')).to.not.include({ isError: true });
    expect(await memory.call('delete_entities', { entityNames: ['x'] })).to.include({ isError: true });
    await memory.close();
    const everything = await overStdioV1('everything', [serverFile('server-everything'), 'stdio']);
    const seen: number[] = [];
    await everything.call(
      'trigger-long-running-operation',
      { duration: 0.04, steps: 4 },
      (progress) => void seen.push(progress),
    );
    expect(seen).to.deep.equal([1, 2, 3, 4]);
    await everything.close();
  });

  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    const story = async (client: AnyClient): Promise<void> => {
      custos.answer = denyOnly('read');
      expect(await client.tools()).to.deep.equal(['read', 'steps', 'ask']);
      const refused = await client.call('read');
      expect(refused).to.include({ isError: true });
      expect(refused.content[0]?.text).to.include('because of the test');
      const seen: number[] = [];
      expect((await client.call('steps', {}, (progress) => void seen.push(progress))).content[0]?.text).to.equal(
        'done',
      );
      expect(seen).to.deep.equal([1, 2, 3, 4]);
      if (version === '2026-07-28') {
        custos.answer = ({ approval_id: approval }) => ({ verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' });
        const before = custos.asked.length;
        const asking = client.call('ask', {}, () => custos.approvals.set(APPROVAL, 'approved'));
        expect((await asking).content[0]?.text).to.include('Ada');
        // The escalation, and the use of its approval: the second round of the call is no new question.
        expect(custos.asked.length - before).to.equal(2);
        custos.approvals.clear();
      }
      custos.answer = ({ approval_id: approval }) => ({ verdict: approval === undefined ? 'ESCALATE' : 'ALLOW' });
      const approved = client.call('read', {}, () => custos.approvals.set(APPROVAL, 'approved'));
      expect((await approved).content[0]?.text).to.equal('read');
      // A call that is cancelled while it waits for a human never reaches the server.
      custos.approvals.clear();
      const [controller, asked] = [new AbortController(), custos.asked.length];
      const cancelled = client.call('steps', { n: 1 }, () => controller.abort(), controller.signal);
      await cancelled.then(
        () => expect.fail('the call went on'),
        () => undefined,
      );
      custos.answer = () => ({ verdict: 'ALLOW' });
      await client.call('read');
      expect(custos.asked.slice(asked).map(({ tool }) => tool.name)).to.deep.equal(['steps', 'read']);
      await client.close();
    };

    it(`relays ${version} between a 2.x client and a 2.x server over stdio`, async () =>
      story(await overStdio(version)));

    it(`relays ${version} between a 2.x client and a 2.x server over HTTP`, async () => {
      const upstream = await serveModern();
      const guard = runProcess(
        'cli/main.js',
        ['mcp-guard', '--agent', 'a', '--server', 's', '--listen', '0', '--upstream', upstream.url],
        {
          CUSTOS_URL: custos.url,
          CUSTOS_KEY: custos.key,
        },
      );
      const address = await waitFor(() => /Listening on (\S+) for/.exec(guard.stderr())?.[1]);
      const client = clientOf(version);
      await client.connect(new StreamableHTTPClientTransport(new URL(address)));
      await story(wrap(client));
      expect((await guard.stop()).code).to.equal(0);
      await upstream.close();
    });
  }

  for (const [mode, shown] of [
    ['changed', 'note'],
    ['text-id', undefined],
  ] as const)
    it(`sends no digest but that of the definition that the client was shown, if it was shown one (${mode})`, async () => {
      const client = new ClientV1(INFO);
      await client.connect(new StdioV1(command('notes', [POISONING, mode])));
      // An answer under another id never reaches the client.
      const listed = await client
        .listTools(undefined, { timeout: shown === undefined ? 500 : 60_000 })
        .catch(() => undefined);
      expect(listed?.tools[0]?.name).to.equal(shown);
      expect((await wrapV1(client).call('note')).content[0]?.text).to.equal('done');
      const honest = shown === undefined ? definitionDigest(HONEST) : undefined;
      expect(custos.asked.map(({ tool }) => tool.definition_digest)).to.deep.equal([honest]);
      await client.close();
    });

  it('relays sessions of the everything server over HTTP for a 1.x client', async () => {
    const port = String(await freePort());
    const upstream = runProcess(
      path.relative(path.dirname(path.dirname(CLI)), serverFile('server-everything')),
      ['streamableHttp'],
      { PORT: port },
    );
    await waitFor(() => upstream.stderr().includes('listening'));
    const guard = runProcess(
      'cli/main.js',
      ['mcp-guard', '--agent', 'a', '--server', 's', '--listen', '0', '--upstream', `http://127.0.0.1:${port}/mcp`],
      { CUSTOS_URL: custos.url, CUSTOS_KEY: custos.key },
    );
    const address = await waitFor(() => /Listening on (\S+) for/.exec(guard.stderr())?.[1]);
    const sdk = new ClientV1(INFO);
    const transport = new HttpV1(new URL(address));
    await sdk.connect(transport);
    const client = wrapV1(sdk);
    custos.answer = denyOnly('get-sum');
    expect(await client.tools()).to.include('echo');
    expect((await client.call('echo', { message: 'hi' })).content[0]?.text).to.include('hi');
    expect(await client.call('get-sum', { a: 1, b: 2 })).to.include({ isError: true });
    const seen: number[] = [];
    await client.call(
      'trigger-long-running-operation',
      { duration: 0.04, steps: 4 },
      (progress) => void seen.push(progress),
    );
    expect(seen).to.deep.equal([1, 2, 3, 4]);
    await transport.terminateSession();
    await client.close();
    await guard.stop();
    await upstream.stop();
  });
});
