// An agent behind the guard, from its first refusal to a replay: official client, real filesystem server, approval in a real browser.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { browserMissing, type Visit } from '../../support/browser.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { callTool, connectFiles, FILE_POLICIES, rule } from '../../support/guarded-files.ts';
import { visitDashboard } from '../../support/pages.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';

describeUnless(browserMissing(), 'an agent behind the guard', () => {
  let service: Service;
  let seen: Visit;
  let client: Client;
  let from: string;
  let to: string;
  let isStopped = false;
  const stopService = async (): Promise<void> => {
    if (!isStopped) await service?.close();
    isStopped = true;
  };
  before(async function () {
    this.timeout(120_000);
    service = await startService({ policies: FILE_POLICIES });
    const root = realpathSync(temporaryFolder('files'));
    mkdirSync(path.join(root, 'app'));
    [from, to] = [path.join(root, 'app', 'a.txt'), path.join(root, 'app', 'b.txt')];
    writeFileSync(from, 'hello');
    client = await connectFiles(service, (await service.addKey()).key, root);
    ({ seen } = await visitDashboard(service, '/approvals'));
  });
  after(async () => {
    await client?.close();
    await seen?.close();
    await stopService();
  });

  it('is refused a move with a reason that the model can read, and reads another file', async () => {
    const moved = await callTool(client, 'move_file', { source: from, destination: to });
    expect([moved.isError, existsSync(from), existsSync(to)]).to.deep.equal([true, true, false]);
    expect(moved.content[0]?.text).to.include('move_file is decided by nothing-moves (NOTHING_MOVES)');
    expect((await callTool(client, 'read_text_file', { path: from })).content[0]?.text).to.equal('hello');
  });

  it('continues after a human, who sees the path and the content on the dashboard, has approved its write', async () => {
    const { page } = seen;
    const writing = callTool(client, 'write_file', { path: to, content: 'the new text' });
    await page.getByRole('button', { name: 'Show 1 new approval' }).click();
    await page.locator('tbody a').first().click();
    await page.getByText('the new text').first().waitFor();
    await page.getByText(to).first().waitFor();
    expect(existsSync(to)).to.equal(false);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('reviewed');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    expect((await writing).isError).to.not.equal(true);
    expect(existsSync(to)).to.equal(true);
    expect((await callTool(client, 'read_text_file', { path: to })).content[0]?.text).to.equal('the new text');
  });

  it('leaves a decision for each question, and a proof for each call that was carried out', async () => {
    const decided = await service.rows<{ verdict: string }>('SELECT verdict FROM decision ORDER BY decision_id');
    expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['DENY', 'ALLOW', 'ESCALATE', 'ALLOW', 'ALLOW']);
    await waitFor(async () => {
      const rows = await service.rows<{ n: number }>(
        "SELECT count(*)::int AS n FROM record WHERE event = 'tool.called'",
      );
      return rows[0]?.n === 3;
    });
  });

  it('would have been stopped at its reads and its approved write by a stricter draft, which a replay shows', async () => {
    const [strict] = FILE_POLICIES['files.json'].rules.slice(1);
    const stricter = {
      ...FILE_POLICIES['files.json'],
      rules: [strict, rule('nothing-is-read', 'DENY', 'read_text_file')],
    };
    const files = Object.entries({ ...FILE_POLICIES, 'files.json': stricter });
    const { status, json, text } = await service.admin.post('/v1/policies/replay', {
      files: files.map(([name, file]) => ({ path: name, text: JSON.stringify(file) })),
    });
    expect(status, text).to.equal(200);
    expect(json.changed).to.include({ decisions: 4, stricter: 4, looser: 0 });
    const stopped = json.examples.map(
      ({ tool, before, after }: { tool: { name: string }; before: { verdict: string }; after: { verdict: string } }) =>
        `${tool.name} ${before.verdict} ${after.verdict}`,
    );
    expect(new Set(stopped)).to.deep.equal(
      new Set(['read_text_file ALLOW DENY', 'write_file ESCALATE DENY', 'write_file ALLOW DENY']),
    );
  });

  it('is refused every call once Custos has stopped', async () => {
    await stopService();
    for (const [name, args] of [
      ['read_text_file', { path: from }],
      ['write_file', { path: from, content: 'x' }],
      ['list_directory', { path: path.dirname(from) }],
    ] as const) {
      const refused = await callTool(client, name, args);
      expect(refused.isError, name).to.equal(true);
      expect(refused.content[0]?.text).to.include('nothing runs without a decision');
    }
  });
});
