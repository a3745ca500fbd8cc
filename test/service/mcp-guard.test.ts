// mcp-guard with the real service and a catalogue: one approval for one call, arguments at their limits, a revoked key, hidden tools.
import { randomUUID } from 'node:crypto';
import { realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../cli/mcp-guard/custos.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startGuardSession } from '../support/guard-session.ts';
import { callTool, connectFiles, FILE_POLICIES } from '../support/guarded-files.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

describe('custos mcp-guard with the real service', () => {
  let service: Service;
  before(async () => {
    service = await startService({ policies: FILE_POLICIES, words: 'few' });
  });
  after(async () => service.close());

  it('lets one call through for one approval, with two guards that share a key and race for it', async () => {
    const { key } = await service.addKey();
    const clock = {
      ...SYSTEM_CLOCK,
      nowMs: () => 0,
      sleep: async () => new Promise<void>((resolve) => setTimeout(resolve, 20)),
    };
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
    // Further rounds of a call use the decision of the first: no other approval is needed.
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
    const client = await connectFiles(service, key, root);
    expect((await callTool(client, 'read_text_file', { path: file })).isError).to.not.equal(true);
    expect((await service.admin.delete(`/v1/auth/keys/${keyId}`)).status).to.equal(200);
    const refused = await waitFor(async () => {
      const answer = await callTool(client, 'read_text_file', { path: file });
      return answer.isError === true && answer;
    });
    expect(refused.content[0]?.text).to.include('E1002');
    await client.close();
  });

  it('hides a tool that a rule denies for all arguments, and no other', async () => {
    const root = realpathSync(temporaryFolder('files'));
    const { key } = await service.addKey({ scopes: ['admin:*'] });
    const [whole, hidden] = [
      await connectFiles(service, key, root),
      await connectFiles(service, key, root, ['--hide-denied']),
    ];
    const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    const all = await names(whole);
    expect(await names(hidden)).to.deep.equal(all.filter((name) => name !== 'move_file'));
    await whole.close();
    await hidden.close();
  });
});
