// Policies and dead jobs in a real browser: the set in force, refused folders, history, shadow mode, retry and discard.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { beginShadow } from '../../../shared/domain/drafts/shadow-store.ts';
import { createLogger } from '../../../shared/platform/observe/logger.ts';
import { admitHere } from '../../../shared/domain/policy-sets/admission.ts';
import { changePolicySet } from '../../../shared/domain/policy-sets/change.ts';
import { readPolicyFolder } from '../../../shared/domain/policy-sets/folder.ts';
import { applyFolder } from '../../../workers/policies.ts';
import { createDeadJobRecorder } from '../../../workers/dead-jobs.ts';
import { createShadowWorker } from '../../../workers/shadow.ts';
import { browserMissing, foreignRequests, type Visit } from '../../support/browser.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { type Pages, visitDashboard } from '../../support/pages.ts';
import { type Service, SHIPPED_POLICIES, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';
import { startTestWorker } from '../../support/worker.ts';

const ESCALATED = {
  id: 'payroll',
  description: 'Payroll is for humans.',
  stage: 'enforce',
  target: { actions: ['update', 'delete'], resources: ['hr/payroll/*'], environments: ['live'] },
  rules: [
    {
      name: 'a-human-decides',
      conditions: {
        any: [
          { not: { all: [{ fact: 'context', path: 'ticket', operator: 'isPresent', value: true }] } },
          {
            all: [
              { fact: 'trust', path: 'level', operator: 'lessThan', value: 6 },
              { fact: 'intent', path: 'data_classes', operator: 'containsAny', value: ['pii', 'financial'] },
            ],
          },
        ],
      },
      event: { type: 'ESCALATE', params: { code: 'PAYROLL', message: 'payroll needs a human' } },
    },
  ],
};

describeUnless(browserMissing(), 'policies and dead jobs in a browser', () => {
  let service: Service;
  let seen: Visit;
  let pages: Pages;
  const logger = createLogger({ name: 'test', level: 'silent', pretty: false });
  const dialog = () => seen.page.getByRole('dialog');

  /** The shipped policy folder with some files changed. */
  const folderWith = async (change: (files: Map<string, string>) => void) => {
    const folder = await readPolicyFolder(SHIPPED_POLICIES);
    const files = new Map(folder.policies.map((file) => [file.path, file.text]));
    change(files);
    return { ...folder, policies: [...files].map(([path, text]) => ({ path, text })) };
  };
  const apply = async (change: (files: Map<string, string>) => void): Promise<unknown> =>
    applyFolder({ db: service.db, nowMs: service.nowMs, logger }, await folderWith(change));
  before(async () => {
    // Of the routes only: the folder of these tests is applied without approvals.
    service = await startService({ env: { CUSTOS_POLICY_QUORUM: '2' } });
    const record = createDeadJobRecorder<'intents'>({ db: service.db, logger, hooks: {} });
    for (const [intentId, message] of [
      ['int_1', 'connect ECONNREFUSED 10.0.0.7:5432'],
      ['int_2', '<b>boom</b> \u202e at the end'],
      ['int_3', 'canceling statement due to statement timeout'],
      ['int_4', 'canceling statement due to statement timeout'],
    ] as const)
      await record({
        queue: 'intents',
        name: 'evaluate',
        payload: { v: 1, organisationId: service.operatorId, environment: 'live', intentId },
        error: new Error(message),
        run: `${intentId}@1`,
      });
    ({ seen, pages } = await visitDashboard(service, '/policies'));
  });
  after(async () => {
    await seen?.close();
    await service?.close();
  });

  it('the set in force can be searched, and its rules are shown in words', async () => {
    const { page } = seen;
    await page.getByText('accepted').waitFor();
    await pages.looks('policies');
    await page.getByLabel('Search').fill('Credentials ARE for');
    await page.getByText('Credentials are for trusted agents').waitFor();
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1);
    await page.getByRole('link', { name: 'credentials' }).click();
    await page.getByRole('heading', { level: 1, name: 'credentials' }).waitFor();
    const rule = page.locator('.policy-rule', { hasText: 'untrusted-agents-may-not' });
    await rule.waitFor();
    expect((await rule.textContent())?.replaceAll(/\s+/g, ' ')).to.include(
      'intent.data_classes contains credentialstrust.level is below 5',
    );
    expect(await rule.textContent()).to.include('credentials need trust level 5 or more');
    await pages.looks('policy');
  });

  it('a refused folder is shown with file, line and column, and the last good set stays', async () => {
    const { page } = seen;
    await pages.open('/policies');
    await page.getByText('accepted').waitFor();
    await apply((files) => {
      files.set('payroll.json', '{\n  "id": "payroll",\n  "stage": "enforced"\n}');
      for (let n = 0; n < 12; n += 1) files.set(`zz-${n}.json`, '{ "id": ');
    });
    // The page updates without a reload.
    await page.getByText('The policy folder was refused').waitFor();
    await page.getByText('payroll.json:3:12').waitFor();
    await page.getByText('The last good set stays in force').waitFor();
    expect(await page.locator('tbody tr').count()).to.be.above(5);
    await pages.looks('policies-refused');
    // A long list of findings is cut to a count, so that the content below stays visible.
    const findings = page.locator('.folder-finding');
    await waitFor(async () => (await findings.count()) === 10, { what: 'the first ten findings' });
    await page.getByRole('button', { name: /^Show \d+ more findings$/ }).click();
    const all = await waitFor(
      async () => {
        const count = await findings.count();
        return count > 12 ? count : undefined;
      },
      { what: 'all findings' },
    );
    await page.getByText(`The policy folder was refused, with ${all} findings`).waitFor();
  });

  it('history names each set, and the difference of two sets is shown by policy, rule and line', async () => {
    const { page } = seen;
    const [before] = await service.rows<{ digest: string }>('SELECT active_digest AS digest FROM policy_state');
    await apply((files) => {
      files.set('payroll.json', JSON.stringify(ESCALATED));
      files.delete('broad-patterns.json');
      const credentials = files.get('credentials.json') ?? '';
      files.set('credentials.json', credentials.replace('"lessThan", "value": 5', '"lessThan", "value": 6'));
    });
    await pages.open('/policies/history');
    const row = page.locator('tbody tr').first();
    await row.getByText('in force').waitFor();
    await waitFor(async () => (await page.locator('tbody tr').count()) === 2);
    await pages.looks('policy-history');
    await row.getByRole('link', { name: /^What changed with/ }).click();
    await page.getByText('1 file added, 1 file removed, 1 file changed').waitFor();
    const changed = page.locator('details', { hasText: 'credentials' }).filter({ hasText: '~ rule' });
    await changed.getByText('~ rule untrusted-agents-may-not').waitFor();
    expect(await changed.locator('del').allTextContents()).to.deep.equal(['−             "value": 5\n']);
    expect(await changed.locator('ins').allTextContents()).to.deep.equal(['+             "value": 6\n']);
    await pages.looks('policy-difference');
    await page.getByRole('link', { name: 'Swap the sets' }).click();
    await changed.locator('del', { hasText: '"value": 6' }).waitFor();
    await pages.open(`/policies/${before?.digest}/broad-patterns`);
    await page.getByText('The set of this policy is not in force for all organisations').waitFor();
    await pages.open(`/policies/${'0'.repeat(64)}`);
    await page.getByText('There is no policy set with this digest.').waitFor();
  });

  it('shadow mode shows what a draft would have changed, and how to start it', async () => {
    const { page } = seen;
    await pages.open('/policies/shadow');
    await page.getByText('Shadow mode is off').waitFor();

    const dir = temporaryFolder('draft');
    cpSync(SHIPPED_POLICIES, dir, { recursive: true });
    const reads = path.join(dir, 'reads.json');
    writeFileSync(reads, readFileSync(reads, 'utf8').replaceAll('"ALLOW"', '"DENY"'));
    const worker = await startTestWorker(service);
    await service.admin.post('/v1/enforce', { intent: 'data.read.first', agent_id: 'agent-1' });
    await worker.append();
    await beginShadow(service.db);
    const shadow = createShadowWorker({
      db: service.db,
      dir,
      share: 1,
      logger,
      onCounted: () => undefined,
    });
    await shadow.look();
    for (const agent_id of ['agent-1', 'agent-2', 'agent-3'])
      for (const intent of ['data.read.user_profile', 'db.delete.users'])
        await service.admin.post('/v1/enforce', { intent, agent_id });
    await worker.append();
    await shadow.follow();
    await worker.close();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('A draft is being evaluated').waitFor();
    const stat = page.locator('.stat', { hasText: 'Would change' }).locator('.stat-value');
    await waitFor(async () => (await stat.textContent()) === '3', { what: 'three decisions that would change' });
    await page.getByText('data.read.user_profile').first().waitFor();
    await pages.looks('policy-shadow');
  });

  it('a change of policies is approved among the approvals with the keyboard, and comes into force with the second vote', async () => {
    const { page } = seen;
    const { set } = admitHere(await folderWith((files) => files.delete('credentials.json')));
    if (set === undefined) throw new Error('the set has errors');
    const change = { ...set, author: 'cli:alice', reason: 'Credentials have a vault now', source: 'push' as const };
    const rules = { needsApproval: true, approvalTtlMs: 3_600_000, signers: undefined };
    await service.db.transaction((sql) => changePolicySet(sql, change, rules, service.nowMs()));
    await pages.open('/approvals');
    const row = page.locator('article.ask', { hasText: 'Credentials have a vault now' });
    await row.getByText('removed').first().waitFor();
    expect(await row.textContent())
      .to.include('cli:alice')
      .and.include('Approved by 0 of 2');
    await row.getByRole('button', { name: 'Approve' }).waitFor();
    await pages.looks('approvals-change');
    await row.focus();
    await page.keyboard.press('a');
    await page.keyboard.type('Checked with the vault team');
    await page.keyboard.press('Enter');
    await row.getByText('1 of 2 approved').waitFor();
    await row.getByText('You have approved it').or(row.getByText('Others must approve, too')).first().waitFor();
    const [{ approval_id: id } = { approval_id: '' }] = await service.rows<{ approval_id: string }>(
      "SELECT approval_id FROM policy_proposal WHERE state = 'pending'",
    );
    await pages.open(`/policies/approvals/${id}`);
    await page.getByText('Checked with the vault team').waitFor();
    const { key } = await service.addKey({ scopes: ['admin:*'], name: 'Second' });
    const path = `/v1/policies/approvals/${id}/approve`;
    const voted = await service.admin.withKey(key).post(path, { reason: 'Me too' });
    expect([voted.status, voted.json.status]).to.deep.equal([200, 'used']);
    await pages.open('/policies/history');
    await page.getByText('Credentials have a vault now').waitFor();
    await pages.open('/policies/stages');
    await page.getByText('No set is staged').waitFor();
  });

  it('a set that is staged by share is shown with its author and reason, and its drop waits among the approvals', async () => {
    const { page } = seen;
    const { policies: files } = await folderWith((files) => files.delete('money.json'));
    const body = { files, reason: 'Credentials as before', stage: { share: 0.25 } };
    expect((await service.admin.post('/v1/policies', body)).json.status).to.equal('staged');
    await pages.open('/policies/stages');
    await page.getByText('Credentials as before').waitFor();
    await page.getByText('25 % of decisions of all').waitFor();
    await page.getByRole('button', { name: 'Promote…' }).waitFor();
    await pages.looks('policies-stages');
    await page.getByRole('button', { name: 'Drop…' }).click();
    await dialog().getByRole('textbox').fill('Compared enough');
    await dialog().getByRole('button', { name: 'Drop', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    // Two must agree to it.
    await pages.open('/approvals');
    await page.locator('article.ask', { hasText: 'End of the stage of' }).getByText('Compared enough').waitFor();
  });

  it('dead jobs are retried and discarded, in bulk from the list with each result, and one by one', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Dead jobs' }).click();
    await page.locator('tbody').getByText('ECONNREFUSED').waitFor();
    await pages.looks('dead-jobs');
    const timeouts = page.locator('tr', { hasText: 'Canceling statement due to statement timeout' });
    for (const n of [0, 1]) await timeouts.nth(n).getByRole('checkbox').check();
    await page.getByText('2 jobs chosen').waitFor();
    await page.locator('.job-choice').getByRole('button', { name: 'Retry…' }).click();
    await dialog().getByLabel('Reason').fill('the database is back');
    await dialog().getByRole('button', { name: 'Retry' }).click();
    for (const n of [0, 1]) await timeouts.nth(n).getByText('retried').waitFor();
    const resolved = "SELECT reason FROM dead_job WHERE state = 'retried'";
    expect(await service.rows(resolved)).to.deep.equal([0, 1].map(() => ({ reason: 'the database is back' })));
    await page.locator('tr', { hasText: 'ECONNREFUSED' }).getByRole('link').click();
    await page.getByText('"int_1"').waitFor();
    await pages.looks('dead-job');
    await page.getByRole('button', { name: 'Retry…' }).click();
    await dialog().getByRole('button', { name: 'Retry' }).click();
    await page.getByText('It was put back into its queue').waitFor();
    const back = "SELECT payload FROM outbox WHERE queue = 'intents' AND name = 'evaluate'";
    expect(await service.rows(back)).to.have.lengthOf(3);

    await page.locator('.back-link').click();
    await page.locator('tbody').getByText('<b>boom</b>').waitFor();
    await page.locator('tbody').getByRole('link').click();
    await page.getByRole('button', { name: 'Discard…' }).click();
    const discard = dialog().getByRole('button', { name: 'Discard' });
    expect(await discard.isDisabled(), 'a reason is needed').to.equal(true);
    await dialog().getByLabel('Reason').fill('the agent is gone');
    await discard.click();
    await page.getByText('It will not be done.').waitFor();
    await page.getByText('the agent is gone').waitFor();
    await pages.picture('dead-job-discarded');
    await pages.open('/dead-jobs');
    await page.getByText('No job waits for a decision').waitFor();
    await pages.open('/dead-jobs/999');
    await page.getByText('There is no such dead job.').waitFor();
  });

  it('sent no request to another host, and logged no browser errors except 404s', () => {
    expect(foreignRequests(seen, service.ingress.address)).to.deep.equal([]);
    expect(seen.complaints.filter((text) => !/404/.test(text))).to.deep.equal([]);
  });
});
