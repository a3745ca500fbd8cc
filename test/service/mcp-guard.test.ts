// mcp-guard with the real service, a catalogue and the real filesystem server: reads pass, moves are refused, writes wait for approval.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../cli/mcp-guard/custos.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startGuardSession } from '../support/guard-session.ts';
import { CLI } from '../support/mcp-guard.ts';
import { cleanEnv } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const FILESYSTEM = path.join(findRoot(), 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

const rule = (name: string, type: 'ALLOW' | 'DENY' | 'ESCALATE', tool: string): object => ({
  name,
  conditions: { all: [{ fact: 'tool', path: 'name', operator: 'equal', value: tool }] },
  event: { type, params: { code: name.toUpperCase().replaceAll('-', '_'), message: `${tool} is decided by ${name}` } },
});
const policies = {
  'files.json': {
    id: 'files',
    description: 'What agents may do with files.',
    stage: 'enforce',
    target: { actions: ['*'], resources: ['*'] },
    rules: [
      rule('reads-are-open', 'ALLOW', 'read_text_file'),
      rule('nothing-moves', 'DENY', 'move_file'),
      rule('writes-are-approved', 'ESCALATE', 'write_file'),
      rule('writes-are-allowed', 'ALLOW', 'write_file'),
    ],
  },
  'tools/filesystem.json': {
    server: 'filesystem',
    description: 'Files of the test.',
    tools: {
      read_text_file: { action: 'read', resource: 'file/{path}' },
      write_file: { action: 'update', effect: 'destructive', resource: 'file/{path}' },
      move_file: { action: 'update', effect: 'destructive', resource: 'file/{destination}', places: ['file/{source}'] },
    },
  },
};

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

describe('custos mcp-guard with the real service', () => {
  let service: Service;
  before(async () => {
    service = await startService({ policies });
  });
  after(async () => service.close());

  const connect = async (key: string, root: string, args: readonly string[] = []): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const guard = [CLI, 'mcp-guard', '--agent', 'release-bot', '--server', 'filesystem', ...args, '--'];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...guard, process.execPath, FILESYSTEM, root],
        env: cleanEnv({ CUSTOS_URL: service.admin.baseUrl, CUSTOS_KEY: key }) as Record<string, string>,
        stderr: 'ignore',
      }),
    );
    return client;
  };
  const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: args })) as ToolResult;

  it('allows reads, refuses a move with the reason, holds a write until a human approves it, and records proofs', async () => {
    const root = realpathSync(temporaryFolder('files'));
    mkdirSync(path.join(root, 'app'));
    const [from, to] = [path.join(root, 'app', 'a.txt'), path.join(root, 'app', 'b.txt')];
    writeFileSync(from, 'hello');
    const { key } = await service.addKey();
    const client = await connect(key, root);
    const moved = await call(client, 'move_file', { source: from, destination: to });
    expect([moved.isError, existsSync(from), existsSync(to)]).to.deep.equal([true, true, false]);
    expect(moved.content[0]?.text).to.include('move_file is decided by nothing-moves (NOTHING_MOVES)');
    expect((await call(client, 'read_text_file', { path: from })).content[0]?.text).to.equal('hello');
    const writing = call(client, 'write_file', { path: to, content: 'new' });
    const waiting = await waitFor(async () => {
      const { items } = (await service.admin.get('/v1/approvals?status=pending')).json as {
        items: { approvalId: string }[];
      };
      return items[0];
    });
    expect(existsSync(to)).to.equal(false);
    const approve = await service.admin.post(`/v1/approvals/${waiting.approvalId}/approve`, { reason: 'reviewed' });
    expect(approve.status).to.equal(200);
    expect((await writing).isError).to.not.equal(true);
    expect(existsSync(to)).to.equal(true);
    await client.close();
    // One decision for each call and one for the repetition after approval; one proof for each executed call.
    const decided = await service.rows<{ verdict: string }>('SELECT verdict FROM decision ORDER BY decision_id');
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['DENY', 'ALLOW', 'ESCALATE', 'ALLOW']);
    const proofs = await waitFor(async () => {
      const rows = await service.rows<{ n: number }>(
        "SELECT count(*)::int AS n FROM record WHERE event = 'tool.called'",
      );
      return rows[0]?.n === 2 && rows;
    });
    expect(proofs).to.have.length(1);
  });

  it('lets one call through for one approval, with two guards that share a key and race for it', async () => {
    const { key } = await service.addKey();
    const clock = { nowMs: () => 0, sleep: async () => new Promise<void>((resolve) => setTimeout(resolve, 20)) };
    const guards = [1, 2].map(() => {
      const custos = createCustos({ url: service.admin.baseUrl, key, clock, newId: randomUUID });
      return startGuardSession({ custos, clock });
    });
    const params = { name: 'write_file', arguments: { path: 'shared.txt', content: 'new' } };
    for (const guarded of guards)
      for (const id of [1, 2]) guarded.fromClient({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const forwarded = (): number => guards.reduce((sum, { server }) => sum + server.length, 0);
    const approved = new Set<string>();
    for (let round = 1; round <= 4; round += 1) {
      const { items } = await waitFor(async () => {
        const list = (await service.admin.get('/v1/approvals?status=pending')).json as {
          items: { approvalId: string }[];
        };
        return list.items.length > 0 && list;
      });
      // All calls that wait ask the same question, so they wait for the same approval.
      expect(items).to.have.length(1);
      const [{ approvalId } = { approvalId: '' }] = items;
      approved.add(approvalId);
      await service.admin.post(`/v1/approvals/${approvalId}/approve`, { reason: 'reviewed' });
      await waitFor(() => forwarded() >= round);
      expect(forwarded()).to.equal(round);
    }
    expect(approved.size).to.equal(4);
    // A further round of a call goes on under the decision of the first: nobody is asked again.
    const [guarded] = guards.filter(({ server }) => server.length > 0);
    const { id } = JSON.parse(guarded?.server[0] ?? '') as { id: number };
    guarded?.fromServer({ jsonrpc: '2.0', id, result: { resultType: 'input_required', requestState: 's' } });
    const continued = { ...params, requestState: 's' };
    guarded?.fromClient({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: continued });
    await waitFor(() => forwarded() === 5);
    expect((await service.admin.get('/v1/approvals?status=pending')).json).to.deep.include({ items: [] });
    for (const { session } of guards) session.end();
  });

  const nested = (levels: number): object => (levels === 1 ? {} : { n: nested(levels - 1) });
  const padded = (bytes: number): object => ({ path: 'a', pad: 'x'.repeat(bytes - '{"pad":"","path":"a"}'.length) });
  for (const [what, args, words] of [
    ['256 kB', padded(262_144), undefined],
    ['256 kB and one byte', padded(262_145), '/tool/arguments: must have at most 262144 bytes'],
    ['15 MB', padded(15_000_000), 'E2005'],
    ['32 levels', { ...nested(32), path: 'a' }, undefined],
    ['33 levels', { ...nested(33), path: 'a' }, '/tool/arguments: must not have more than 32 levels'],
    ['a path that leaves the root', { path: '../../etc/passwd' }, 'NO_MATCH'],
    ['a path that leaves the root, encoded', { path: '%2e%2e/%2e%2e/etc/passwd' }, 'NO_MATCH'],
    ['a path that is a number', { path: 5 }, 'NO_MATCH'],
    ['no path', {}, 'NO_MATCH'],
  ] as const)
    it(`${words === undefined ? 'permits' : 'refuses'} a call whose arguments have ${what}`, async () => {
      const { key } = await service.addKey();
      const clock = SYSTEM_CLOCK;
      const custos = createCustos({ url: service.admin.baseUrl, key, clock, newId: randomUUID });
      const guarded = startGuardSession({ custos, clock, server: 'filesystem' });
      const params = { name: 'read_text_file', arguments: args };
      guarded.fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      await waitFor(() => guarded.server.length + guarded.client.length > 0);
      expect(guarded.server).to.have.length(words === undefined ? 1 : 0);
      if (words !== undefined) expect(guarded.client[0]).to.include(words);
    });

  it('refuses every call after the key is revoked during a session', async () => {
    const root = realpathSync(temporaryFolder('files'));
    const file = path.join(root, 'a.txt');
    writeFileSync(file, 'hello');
    const { key, keyId } = await service.addKey();
    const client = await connect(key, root);
    expect((await call(client, 'read_text_file', { path: file })).isError).to.not.equal(true);
    expect((await service.admin.delete(`/v1/auth/keys/${keyId}`)).status).to.equal(200);
    const refused = await waitFor(async () => {
      const answer = await call(client, 'read_text_file', { path: file });
      return answer.isError === true && answer;
    });
    expect(refused.content[0]?.text).to.include('E1002');
    await client.close();
  });

  it('hides a tool that a rule denies for all arguments, and no other', async () => {
    const root = realpathSync(temporaryFolder('files'));
    const { key } = await service.addKey({ scopes: ['admin:*'] });
    const [whole, hidden] = [await connect(key, root), await connect(key, root, ['--hide-denied'])];
    const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    const all = await names(whole);
    expect(await names(hidden)).to.deep.equal(all.filter((name) => name !== 'move_file'));
    await whole.close();
    await hidden.close();
  });
});
