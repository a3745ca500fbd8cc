// `custos approvals`: list, show, decide in the name of the shell's user, and error messages.
import os from 'node:os';
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { ask, escalate, ESCALATING, gist } from '../support/escalations.ts';
import { runCommand } from '../support/command.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { writeOwnDrop } from '../../shared/domain/retention/times.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';

const DAY_MS = 86_400_000;

describe('custos approvals', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
    client = await service.client();
  });
  after(() => service?.close());

  const custos = (...args: string[]) =>
    runCommand(['approvals', ...args], { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });
  const BODY = { agent_id: 'shell-bot', intent: 'delete:db/asked/a', context: { note: 'line\n\u001b[31mred' } };

  it('lists and shows waiting approvals, and escapes control characters in texts of callers', async () => {
    const approvalId = await escalate(client, BODY);
    const list = await custos('list', '--status', 'pending', '--agent', 'shell-bot');
    expect([list.code, list.stderr]).to.deep.equal([0, '']);
    expect(list.stdout.trim().split('\n')).to.have.lengthOf(2);
    expect(list.stdout).to.match(new RegExp(`^${approvalId}  pending  shell-bot  delete:db/asked/a `, 'm'));
    const shown = await custos('show', approvalId);
    expect(shown.stdout, 'first of all').to.match(/^asked: {6}"delete:db\/asked\/a"$/m);
    expect(shown.stdout.indexOf('asked:')).to.equal(0);
    expect(shown.stdout).to.match(/^because: {4}ASKED: asked$/m);
    expect(shown.stdout).to.match(/^context: {4}\{"note":"line\\n\\u001b\[31mred"\}$/m);
    // oxlint-disable-next-line no-control-regex -- the test searches for control characters
    expect(shown.stdout).not.to.match(/\u001b/);
    const none = await custos('list', '--environment', 'test');
    expect([none.code, none.stderr]).to.deep.equal([
      0,
      'No such approvals in test; --environment selects another environment.\n',
    ]);
    const json = JSON.parse((await custos('list', '--json', '--agent', 'shell-bot')).stdout);
    expect(json).to.have.lengthOf(1);
    expect(json[0]).to.include({ approvalId, status: 'pending', agentId: 'shell-bot' });
  });

  it('approves in the name of the user of the shell, which the log and the decision record', async () => {
    const by = `cli:${os.userInfo().username}`;
    const approvalId = await escalate(client, BODY);
    const approved = await custos('approve', approvalId, '--reason', 'looked at "it"');
    expect([approved.code, approved.stdout]).to.deep.equal([0, `${approvalId}\n`]);
    expect(approved.stderr).to.equal(`approved: shell-bot, delete:db/asked/a, by ${by}.\n`);
    const decision = await ask(client, { ...BODY, approval_id: approvalId });
    expect(gist(decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
    expect(decision.reasons[1].message).to.equal(`${approvalId} approved by ${by}`);
    expect((await service.admin.get(`/v1/approvals/${approvalId}`)).json).to.include({
      decidedBy: by,
      reason: 'looked at "it"',
    });
    const rows = await service.rows<{ record: Buffer }>(
      "SELECT record FROM record WHERE entity_id = 'shell-bot' AND event = 'custos.approval' ORDER BY proof_id LIMIT 1",
    );
    const { body } = JSON.parse(`${rows[0]?.record.toString('utf8')}}`).payload;
    expect(body).to.include({ state: 'approved', by, reason: 'looked at "it"' });
    const again = await custos('reject', approvalId, '--reason', 'too late');
    expect([again.code, again.stderr]).to.deep.equal([1, 'custos: The approval is closed: it is used.\n']);
  });

  it('says of an approval that retention has erased that it is too old', async () => {
    const erased = {
      what: 'approvals',
      scope: 'organisation',
      beforeId: lowestId('apr', service.nowMs() - 9 * DAY_MS),
    };
    const owner = { organisationId: service.operatorId, environment: 'live' } as const;
    // What the job `retain` leaves behind; test/service/retention-rows.test.ts runs the job itself.
    await service.db.transaction(async (sql) => {
      await writeServiceRecord(sql, { ...owner, event: 'custos.retention', body: erased }, service.nowMs());
      await writeOwnDrop(sql, owner, 'approvals', undefined, { ...erased, nowMs: service.nowMs() });
    });
    const id = lowestId('apr', service.nowMs() - 10 * DAY_MS);
    for (const command of [
      ['show', id],
      ['approve', id, '--reason', 'x'],
      ['reject', id, '--reason', 'x'],
    ]) {
      const { code, stderr } = await custos(...command);
      expect(code).to.equal(2);
      expect(stderr).to.match(
        /^custos: There is no approval apr_\w+, or retention has erased it: This approval is older than what is kept/,
      );
    }
  });

  it('rejects an approval, and refuses invalid commands', async () => {
    const approvalId = await escalate(client, { ...BODY, context: {} });
    const rejected = JSON.parse((await custos('reject', approvalId, '--reason', 'no', '--json')).stdout);
    expect(rejected).to.include({ approvalId, status: 'rejected', reason: 'no' });
    const refused: [string[], RegExp][] = [
      [['approve', 'apr_0', '--reason', 'x'], /^custos: There is no approval apr_0\. "custos approvals list"/],
      [
        ['approve', approvalId, '--reason', ''],
        /^custos: --reason must have 1 to 1000 characters and not be blank\.$/m,
      ],
      [
        ['approve', approvalId, '--reason', ' '],
        /^custos: --reason must have 1 to 1000 characters and not be blank\.$/m,
      ],
      [['list', '--limit', '0'], /^custos: option '--limit <n>' .* must be a whole number from 1 to 1000\.$/m],
      [['list', '--org', 'nobody'], /^custos: There is no organisation "nobody"/],
      [['list', '--organisation', 'nobody'], /^custos: There is no organisation "nobody"/],
    ];
    const outcomes = await Promise.all(refused.map(([args]) => custos(...args)));
    for (const [i, [, sentence]] of refused.entries()) {
      expect(outcomes[i]?.code).to.equal(2);
      expect(outcomes[i]?.stderr).to.match(sentence);
    }
  });
});
