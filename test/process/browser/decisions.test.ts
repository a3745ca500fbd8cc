// Decisions and agents in a real browser: searched, explained, suspended; with hostile names sent by callers.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { foldBatch } from '../../../shared/domain/trust/fold.ts';
import { DEFAULT_DAILY_CAP } from '../../../shared/core/trust/beta.ts';
import { lowestId } from '../../../shared/kernel/ids.ts';
import { accessibilityProblems, browserMissing, foreignRequests, type Visit } from '../../support/browser.ts';
import { type Pages, visitDashboard } from '../../support/pages.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';

const DAY_MS = 86_400_000;
/** Decisions among which one is looked for. */
const MANY = 20_000;
/** Markup, a right-to-left override, no opportunity for a line break, and the maximum length of an id. */
const HOSTILE =
  `<img src=x onerror="document.title='run'">\u202e${'W'.repeat(60)}/..%2f?a=1#b \u05d0\u05d1\u05d2 ${'x'.repeat(256)}`.slice(
    0,
    256,
  );

describeUnless(browserMissing(), 'the pages of decisions and agents', () => {
  let service: Service;
  let seen: Visit;
  let pages: Pages;
  const decided: Record<string, string> = {};
  const ask = async (agent: string, intent: string): Promise<string> =>
    (await service.admin.post('/v1/enforce', { intent, agent_id: agent, trust_level: 7 })).json.decision_id as string;

  const search = async (text: string): Promise<void> => {
    await seen.page.getByLabel('Search decisions').fill(text);
    await seen.page.keyboard.press('Enter');
  };

  /** Waits until this many rows are shown: the rows of the previous query may remain for a moment. */
  const shown = (rows: Locator, count: number): Promise<unknown> =>
    waitFor(async () => (await rows.count()) === count, { what: `${count} rows` });

  /** Signals folded on each of the last days, so that the trust has a history. */
  async function signals(agentId: string): Promise<void> {
    for (let day = 12; day > 0; day -= 1) {
      const at = Date.now() - day * DAY_MS;
      const kinds = day === 5 ? ['violation', 'failure'] : ['success', 'success', 'success', 'success', 'success'];
      const sent = kinds.map((type) => ({ agentId, type, occurredAt: new Date(at).toISOString() }));
      await service.admin.post('/v1/trust/signals', { signals: sent });
      await foldBatch({ db: service.db, nowMs: () => at, dailyCap: DEFAULT_DAILY_CAP });
    }
  }

  before(async () => {
    service = await startService();
    for (const agentId of ['billing-1', 'billing-2', 'reader-1', HOSTILE])
      await service.admin.post('/v1/agents', {
        agentId,
        name: agentId === HOSTILE ? '<b>bold</b>' : `The ${agentId} agent`,
        description: 'Reads and pays invoices.',
        capabilities: ['read:invoices', 'pay:invoices'],
        tags: ['finance'],
        metadata: { owner: 'finance@example.com', '<script>': 'alert(1)' },
      });
    await service.rows(`INSERT INTO agent (organisation_id, environment, agent_id, name, status, created_at, updated_at)
      SELECT '${service.operatorId}', 'live', 'fleet-' || lpad(n::text, 6, '0'), 'Fleet ' || n, CASE WHEN n % 1250 = 0 THEN 'SUSPENDED' ELSE 'ACTIVE' END,
        now() - interval '1 day', now() FROM generate_series(15001, 20000) n`);
    await signals('billing-1');
    for (let i = 0; i < 60; i += 1) await ask(`reader-${i % 3}`, 'data.read.user_profile');
    decided['nobody'] = await ask('nobody-knows-me', 'db.delete.production.users');
    decided['hostile'] = await ask(HOSTILE, 'mail.send.customer_list');
    decided['read'] = await ask('billing-1', 'data.read.invoices');
    decided['delete'] = await ask('billing-1', 'db.delete.production.users');
    ({ seen, pages } = await visitDashboard(service, '/decisions'));
  });
  after(async () => {
    await seen?.close();
    await service?.close();
  });

  it('lists decisions newest first, page by page, and keeps the page on reload and back navigation', async () => {
    const { page } = seen;
    await pages.heading('Decisions');
    const rows = page.locator('.list tbody tr');
    await rows.first().waitFor();
    await shown(rows, 50);
    expect(await rows.first().textContent())
      .to.contain('db.delete.production.users')
      .and.to.contain('billing-1');
    await pages.picture('decisions-1440-light');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('Page 2').waitFor();
    await shown(rows, 14);
    await page.reload();
    await page.getByText('Page 2').waitFor();
    await shown(rows, 14);
    const { href } = new URL(page.url());
    await rows.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Why', exact: true }).waitFor();
    await page.goBack();
    await page.locator('.drawer').waitFor({ state: 'detached' });
    expect(page.url(), 'Back closes the drawer').to.equal(href);
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByText('Page 1').waitFor();
    // The same address, opened without visiting the pages before it.
    const other = await seen.context.newPage();
    await other.goto(href);
    await other.getByText('Page 2').waitFor();
    await other.getByRole('button', { name: 'First page' }).click();
    await other.getByText('Page 1').waitFor();
    await other.close();
  });

  it('exports all decisions that match the filters as a file', async () => {
    const { page } = seen;
    const lines = async (kind: string): Promise<string> => {
      const started = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download ${kind}` }).click();
      return readFileSync(await (await started).path(), 'utf8');
    };
    const all = (await lines('CSV')).trimEnd().split('\r\n');
    expect(all.length).to.equal(1 + 64);
    expect(all[1])
      .to.match(/^dec_[0-9a-z]{26},/)
      .and.to.contain(',db.delete.production.users,');
    await search('verdict:deny');
    await page.waitForURL(/q=verdict%3Adeny/);
    await page.locator('.list[aria-busy="false"] tbody tr').first().waitFor();
    // Compared with the API's answer.
    const denied = JSON.parse(await lines('JSON')) as { verdict: string }[];
    expect(denied.map(({ verdict }) => verdict))
      .to.include('DENY')
      .and.not.to.include('ALLOW');
    await page.getByRole('button', { name: 'Remove the filter verdict:deny' }).click();
    await page.waitForURL((url) => url.search === '');
    // Show the unfiltered list again before the next test adds to it.
    await page.locator('.list tbody tr').nth(40).waitFor();
  });

  it('shows how many decisions are new, and moves no row before the user loads them', async () => {
    const { page } = seen;
    const first = page.locator('.list tbody tr').first();
    const id = await ask('reader-9', 'data.read.user_profile');
    const news = page.getByRole('button', { name: '1 new, show' });
    await news.waitFor();
    expect(await first.textContent()).not.to.contain('reader-9');
    await news.click();
    await page.locator(`.list tbody a[href$="${id}"]`).waitFor();
    await news.waitFor({ state: 'detached' });
  });

  it('follows new decisions while it is live', async () => {
    const { page } = seen;
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const id = await ask('reader-9', 'data.read.user_profile');
    await page.locator(`.list tbody a[href$="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
  });

  it('has the whole view in the address, and Back undoes each step', async () => {
    const { page } = seen;
    await pages.go('/decisions');
    const rows = page.locator('.list tbody tr');
    await rows.nth(40).waitFor();
    await search('agent:nobody-knows-me verdict:deny');
    await shown(rows, 1);
    const url = new URL(page.url());
    expect(url.searchParams.get('q')).to.equal('agent:nobody-knows-me verdict:deny');
    await page.goto(url.href);
    await shown(rows, 1);
    await page.locator('.chip').nth(1).waitFor();
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await page.waitForURL(/range=1h/);
    await search('verdict:allow -verdict:deny');
    await page.getByText('No decision matches this search').waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.goBack();
    await shown(rows, 1);
    await page.goBack();
    await page.waitForURL(url.href);
    // As other pages link to it.
    await pages.go('/decisions?agentId=nobody-knows-me&verdict=DENY');
    await shown(rows, 1);
    await search('colour:red');
    await page.getByText('There is no field colour.').waitFor();
    expect(await page.locator('.chip').count(), 'a wrong search changes nothing').to.equal(2);
  });

  it('suggests fields and values, and filters by a value of a row, with the keyboard alone', async () => {
    const { page } = seen;
    await pages.go('/decisions');
    await page.locator('.list tbody tr').nth(40).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('age');
    await page.getByRole('option', { name: 'agent:' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('billing-1');
    await page.getByRole('option', { name: 'billing-1' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=agent%3Abilling-1/);
    await shown(page.locator('.list tbody tr'), 2);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/verdict%3Adeny/);
    await shown(page.locator('.list tbody tr'), 1);
    expect(seen.complaints).to.deep.equal([]);
  });

  it('shows one decision after the other beside the list, with j, k, Enter and Escape', async () => {
    const { page } = seen;
    await pages.go('/decisions?q=agent:billing-1');
    await page.locator('.list tbody tr').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    // The title; the explanation, which is loaded after it, has headings of its own.
    const title = page.locator('.drawer h2[id]');
    await title.getByText('db.delete.production.users').waitFor();
    await page.locator('.drawer .rule-matched').first().waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.keyboard.press('j');
    await title.getByText('data.read.invoices').waitFor();
    const { href } = new URL(page.url());
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await title.getByText('db.delete.production.users').waitFor();
    await page.goto(href);
    await title.getByText('data.read.invoices').waitFor();
    await page.keyboard.press('Enter');
    await pages.heading('data.read.invoices');
    await page.goBack();
    await title.waitFor();
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('?q=agent%3Abilling-1');
  });

  it('finds one denied decision among many and why, in three actions', async () => {
    const { page } = seen;
    const id = await ask('needle', 'db.delete.production.users');
    // A million would be found as quickly (test/service/lists-plans.test.ts), but take a minute to insert.
    const ids = Array.from({ length: MANY }, (_, n) => lowestId('dec', service.nowMs() + n));
    await service.rows(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record, reasons)
       SELECT made, organisation_id, environment, 'hay', key_id, 'DENY', evaluated_at, 'prf' || substr(made, 4), process_id, record, 'OTHER'
       FROM unnest($1::text[]) AS made, decision WHERE decision_id = $2`,
      [ids, id],
    );
    await pages.go('/decisions?range=24h');
    const rows = page.locator('.list tbody tr');
    await rows.nth(40).waitFor();
    // One: search. Two: open. Three: the next reason is read in the drawer.
    await search('verdict:deny reason:AGENT_NOT_REGISTERED');
    await page.locator(`.list tbody a[href$="${id}"]`).click();
    const why = page.locator('.why');
    await why.getByText('destructive work needs trust level 4 or more').waitFor();
    await page.locator('.drawer .rule-matched .condition').first().waitFor();
    await pages.picture('decisions-drawer-1440-light');
  });

  it('narrows the time range at the histogram, with the keyboard and the mouse', async () => {
    const { page } = seen;
    await pages.go('/decisions?q=agent:billing-1');
    const plot = page.getByRole('slider', { name: 'Decisions over time' });
    await plot.press('End');
    await plot.press('Enter');
    await page.waitForURL(/from=.*to=/);
    const [from, to] = ['from', 'to'].map((name) => Date.parse(new URL(page.url()).searchParams.get(name) ?? ''));
    expect((to ?? 0) - (from ?? 0)).to.equal(10_000);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    await shown(page.locator('.list tbody tr'), 2);
    const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + 2, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    await shown(page.locator('.list tbody tr'), 2);
  });

  it('shows a decision with its full explanation', async () => {
    const { page } = seen;
    await search(` ${decided['delete']} `);
    await pages.heading('db.delete.production.users');
    const answer = (await service.admin.get(`/v1/decisions/${decided['delete']}`)).json;
    for (const { code, policy, rule } of answer.reasons) {
      await page
        .getByRole('row')
        .filter({ hasText: code })
        .filter({ hasText: `${policy} / ${rule}` })
        .first()
        .waitFor();
    }
    const rules = page.locator('.rule');
    await rules.first().waitFor();
    const matched = page.locator('.rule-matched');
    expect(await matched.count()).to.be.at.least(1);
    expect(await matched.first().getAttribute('open')).to.equal('');
    expect(await matched.first().locator('.condition-saw').first().textContent()).to.match(/^was /);
    await page.getByText(/rules? applied, \d+ matched/).waitFor();
    await page.getByText('Show the facts').click();
    await page.getByRole('region', { name: 'the facts' }).getByText('"weekday"').waitFor();
    await page.getByText('Show the facts').click();
    expect(await page.getByRole('link', { name: 'Receipt', exact: true }).getAttribute('href')).to.equal(
      `/dashboard/receipts/prf${decided['delete']?.slice(3)}`,
    );
    await pages.picture('decision-1440-light');
    expect(seen.complaints).to.deep.equal([]);
  });

  it('shows the request id of a decision, and finds everything that the request led to', async () => {
    const { page } = seen;
    const requests = ['data.read.user_profile', 'data.read.invoices'].map((intent) => ({
      intent,
      agent_id: 'batched',
    }));
    const batch = await service.admin.post('/v1/enforce/batch', { requests });
    const requestId = String(batch.headers['x-request-id']);
    await pages.go(`/decisions/${batch.json.decisions[0].decision_id}`);
    await page.getByRole('link', { name: requestId }).click();
    await page.waitForURL(/requestId=/);
    const rows = page.locator('.list tbody tr');
    await shown(rows, 2);
    await page.getByRole('button', { name: `Remove the filter request:${requestId}` }).waitFor();
    expect(seen.complaints).to.deep.equal([]);
  });

  it('reports a decision that does not exist, and shows no other', async () => {
    const { page } = seen;
    for (const [id, says] of [
      [`dec_${'0'.repeat(26)}`, 'It may belong to another organisation'],
      ['<script>alert(1)</script>', 'this one may be incomplete'],
    ] as const) {
      await pages.go(`/decisions/${encodeURIComponent(id)}`);
      await pages.heading('No such decision');
      await page.getByText(says).waitFor();
    }
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await pages.picture('decision-none');
    expect(seen.complaints.splice(0).filter((text) => !text.includes('404'))).to.deep.equal([]);
  });

  it('reports that the facts have been erased, and still shows the verdict', async () => {
    const { page } = seen;
    await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [decided['read']]);
    await pages.go(`/decisions/${decided['read']}`);
    await page.getByText('The facts have been erased').waitFor();
    await page.locator('.decision-lead .badge').waitFor();
  });

  it('finds agents among five thousand by a prefix of the id, and by status', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await pages.heading('Agents');
    const rows = page.locator('.list tbody tr');
    await rows.first().waitFor();
    await shown(rows, 50);
    await pages.picture('agents-1440-light');
    await page.getByLabel('Id begins with').fill('fleet-01999');
    await page.waitForURL(/prefix=/);
    await page.getByText('fleet-019999').waitFor();
    await shown(rows, 10);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Status').selectOption('SUSPENDED');
    await page.locator('tbody .badge-bad').nth(3).waitFor();
    await shown(rows, 4);
    await page.getByLabel('Id begins with').fill('no-such');
    await page.getByText('No registered agent matches').waitFor();
    expect(seen.complaints).to.deep.equal([]);
  });

  it('shows an agent with its trust over time and the signals that changed it', async () => {
    const { page } = seen;
    await pages.go('/agents/billing-1');
    await pages.heading('billing-1');
    await page.locator('.u-over').waitFor();
    const trust = (await service.admin.get('/v1/trust/billing-1')).json;
    const stat = page.locator('.stat', { hasText: 'Trust score' }).locator('.stat-value');
    await waitFor(async () => (await stat.textContent()) === String(trust.score), { what: 'the score' });
    await page.getByText('1 failure, 1 violation').waitFor();
    await page.getByRole('table', { name: 'Last decisions' }).getByText('db.delete.production.users').waitFor();
    await pages.picture('agent-1440-light');
    await page.getByRole('link', { name: 'All decisions' }).click();
    await pages.heading('Decisions');
    await page.getByRole('button', { name: 'Remove the filter agent:billing-1' }).waitFor();
  });

  it('shows an unregistered agent', async () => {
    const { page } = seen;
    await pages.go('/agents/nobody-knows-me');
    await page.getByText('This agent is not registered').waitFor();
    await page.getByRole('table', { name: 'Last decisions' }).getByText('DENY').waitFor();
    expect(await page.getByRole('button', { name: 'Suspend' }).count()).to.equal(0);
    expect(seen.complaints.splice(0).filter((text) => !text.includes('404'))).to.deep.equal([]);
  });

  it('suspends an agent, which the API then refuses, resumes it, and terminates it for good', async () => {
    const { page } = seen;
    const verdict = async (): Promise<string> => {
      const { json } = await service.admin.post('/v1/enforce', {
        intent: 'data.read.user_profile',
        agent_id: 'reader-1',
      });
      return json.reasons[0].code as string;
    };
    const before = await verdict();
    await pages.go('/agents/reader-1');
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByText('until somebody lifts').waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await service.admin.get('/v1/agents/reader-1')).json.status, 'Escape changes nothing').to.equal('ACTIVE');
    await page.getByRole('button', { name: 'Suspend' }).click();
    await pages.picture('agent-suspend');
    const confirm = async (verb: string): Promise<void> => {
      await page.getByRole('dialog').getByLabel('Reason').fill(`${verb}: incident 42`);
      await page.getByRole('dialog').getByRole('button', { name: verb }).click();
    };
    await confirm('Suspend');
    await page.locator('.lead').getByText('SUSPENDED').waitFor();
    expect(await verdict()).to.equal('AGENT_NOT_ACTIVE');
    await page.getByRole('button', { name: 'Lift the suspension' }).click();
    await confirm('Lift the suspension');
    await page.locator('.lead').getByText('ACTIVE').waitFor();
    expect(await verdict()).to.equal(before);

    const history = page.getByRole('table', { name: 'Changes of status' });
    await history.getByText('Suspend: incident 42').waitFor();

    // The agent is terminated through the API while this page still offers to suspend it.
    await service.admin.delete('/v1/agents/reader-1');
    await page.getByRole('button', { name: 'Pause' }).click();
    await confirm('Pause');
    await page.getByText('A terminated agent cannot be changed.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Terminated: all its requests are denied').waitFor();
    expect(await page.locator('.page-actions button').count()).to.equal(0);
    expect(seen.complaints.splice(0).filter((text) => !text.includes('409'))).to.deep.equal([]);
  });

  it('shows the catalogue that an import of a pasted list of tools would make', async () => {
    const { page } = seen;
    await pages.go('/tools');
    await page.getByRole('button', { name: 'Import tools' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Server').fill('mail');
    await dialog.getByText('custos tools import --server mail').first().waitFor();
    await dialog.getByLabel('tools/list').fill('[');
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('is not JSON').waitFor();
    await dialog.getByLabel('tools/list').fill('{"tools": [{"name": "send_mail"}, {"name": "delete_mail"}]}');
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('2 tools').waitFor();
    await dialog.getByText('tools/mail.json', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await pages.picture('tools-import');
    await page.keyboard.press('Escape');
    expect(seen.complaints.splice(0).filter((text) => !text.includes('400'))).to.deep.equal([]);
  });

  it('shows hostile names as plain text', async () => {
    const { page } = seen;
    await page.setViewportSize({ width: 390, height: 900 });
    for (const path of [
      `/agents/${encodeURIComponent(HOSTILE)}`,
      `/decisions/${decided['hostile']}`,
      '/agents',
      '/decisions',
    ]) {
      await pages.go(path);
      await page.locator('.name').first().waitFor();
      await page
        .locator(path.startsWith('/agents/') ? '.id' : path.startsWith('/decisions/') ? '.rule' : 'tbody tr')
        .first()
        .waitFor();
      expect(await page.locator('main img').count(), path).to.equal(0);
      expect(await page.title(), path).not.to.equal('run');
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.be.at.most(390);
      expect(await page.locator('main').textContent(), path).not.to.contain('\u202e');
    }
    await pages.go(`/agents/${encodeURIComponent(HOSTILE)}`);
    await page.getByText('⟨202E⟩').first().waitFor();
    await pages.picture('agent-hostile-390');
    expect(seen.complaints).to.deep.equal([]);
  });

  it('fits both windows, and passes the accessibility checks in them', async () => {
    const { page } = seen;
    for (const [name, path, ready] of [
      // Filtered to a few rows: the layout is the same as with many, and the checks run faster.
      ['decisions', '/decisions?q=agent:billing-1', '.list tbody tr'],
      ['decisions-drawer', `/decisions?q=agent:billing-1&open=${decided['delete']}`, '.drawer .rule'],
      ['decision', `/decisions/${decided['delete']}`, '.rule'],
      ['agents', '/agents?prefix=billing', '.list tbody tr'],
      ['agent', '/agents/billing-1', '.u-over'],
      ['tools', '/tools', '.list'],
      ['budgets', '/budgets', '.list'],
      ['resources', '/resources', '.list'],
    ] as const) {
      await pages.go(path);
      await page.locator(ready).first().waitFor();
      await pages.looks(name);
    }
  });

  it('sent no request to another host during these tests', () => {
    expect(foreignRequests(seen, service.ingress.address)).to.deep.equal([]);
  });
});
