// The dashboard's first pages in a real browser: sign-in, live numbers, both themes and widths, no requests to other hosts.
import { expect } from 'chai';
import { generateKey } from '../../../shared/domain/keys/format.ts';
import {
  accessibilityProblems,
  browserMissing,
  foreignRequests,
  openDashboard,
  signOut,
  type Visit,
  visit,
} from '../../support/browser.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { startTestWorker } from '../../support/worker.ts';
import { waitFor } from '../../support/wait.ts';

/** The folder for screenshots of the pages; none are taken when it is not set. */
const PICTURES = process.env['CUSTOS_TEST_PICTURES'];

describeUnless(browserMissing(), 'the dashboard in a browser', () => {
  let service: Service;
  let seen: Visit;
  const picture = async (name: string): Promise<void> => {
    if (PICTURES !== undefined) await seen.page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };

  before(async () => {
    service = await startService();
    const worker = await startTestWorker(service);
    for (let i = 0; i < 12; i += 1)
      await service.admin.post('/v1/agents', { agentId: `agent-${i}`, name: `Agent ${i}` });
    for (let i = 0; i < 40; i += 1) {
      const intent = ['data.read.user_profile', 'db.delete.production.users', 'mail.send.customer_list'][i % 3];
      await service.admin.post('/v1/enforce', { intent, agent_id: `agent-${i % 12}`, trust_level: 7 });
    }
    await worker.append();
    await worker.close();
    seen = await visit();
  });
  after(async () => {
    await seen?.close();
    await service?.close();
  });

  it('asks for a key first, refuses a wrong one with a message, and can be used with the keyboard alone', async () => {
    const { page } = seen;
    await page.goto(`${service.ingress.address}/dashboard/queues`);
    const field = page.getByLabel('Admin key');
    await field.waitFor();
    expect((await accessibilityProblems(page)).join('\n')).to.equal('');
    await picture('sign-in-light');
    await page.keyboard.type(generateKey('live').key);
    await page.keyboard.press('Enter');
    const alert = page.locator('#key-problem');
    await alert.getByText('invalid or has been revoked').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    expect((await accessibilityProblems(page)).join('\n')).to.equal('');
    // The browser logs an error for every failed request; there must be no other errors.
    expect(seen.complaints.splice(0).filter((text) => !text.includes('401'))).to.deep.equal([]);

    await field.fill((await service.addKey({ scopes: ['proofs:read'] })).key);
    await page.keyboard.press('Enter');
    await alert.getByText('This key may not sign in').waitFor();
    expect(seen.complaints.splice(0).filter((text) => !text.includes('403'))).to.deep.equal([]);

    await field.fill(service.adminKey);
    await page.keyboard.press('Enter');
    // The page that was requested before signing in.
    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/dashboard/queues');
  });

  it('shows activity live, and current problems', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    // The title receives the focus once the page is painted.
    await page.waitForFunction("document.activeElement.textContent === 'Overview'");
    expect(await page.title()).to.equal('Overview · Custos');
    await page.getByText('No worker is running').first().waitFor();
    const tile = page.locator('.tile', { hasText: 'Decisions' }).locator('.tile-value');
    await waitFor(async () => (await tile.textContent()) === '40', { what: 'the decisions of the hour' });
    await page.locator('.u-over').first().waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Halt…' }).click();
    await dialog.getByLabel('Reason').fill('a drill');
    const halt = dialog.getByRole('button', { name: 'Halt live' });
    expect(await halt.isDisabled(), 'the name of the environment is needed').to.equal(true);
    await dialog.getByLabel('Type live to confirm').fill('live');
    await halt.click();
    const banner = page.locator('.halt-banner');
    await banner.getByText('a drill').waitFor();
    expect((await service.admin.get('/v1/halt')).json).to.include({ halted: true, reason: 'a drill' });
    const status = page.getByRole('region', { name: 'Status' });
    await status.getByText('Everything is halted').first().waitFor();
    // Red is never beside green.
    expect(await page.getByText('All systems normal').count()).to.equal(0);
    await banner.getByRole('button', { name: 'Resume…' }).click();
    await dialog.getByLabel('Reason').fill('the drill is over');
    await dialog.getByRole('button', { name: 'Resume live' }).click();
    await banner.waitFor({ state: 'detached' });
    expect((await service.admin.get('/v1/halt')).json).to.include({ halted: false });
    await waitFor(async () => (await status.getByText('Everything is halted').count()) === 0, {
      what: 'the end of the halt',
    });
    expect(seen.complaints).to.deep.equal([]);
  });

  it('shows a key that is bound to agents their numbers only', async () => {
    const { key } = await service.addKey({ scopes: ['admin:*'], agentIds: ['agent-1', 'agent-2'] });
    const other = await visit();
    try {
      const { page } = other;
      await openDashboard(page, service.ingress.address, key);
      await page.getByText('Your key is bound to 2 agents').waitFor();
      const tile = (label: string) => page.locator('.tile', { hasText: label });
      await waitFor(async () => (await tile('Agents').locator('.tile-value').textContent())?.startsWith('2 '), {
        what: 'the number of its agents',
      });
      expect([await tile('Decisions').count(), await tile('Denied').count()]).to.deep.equal([0, 0]);
      expect(await page.getByRole('navigation', { name: 'Range' }).count()).to.equal(0);
      expect((await accessibilityProblems(page)).join('\n')).to.equal('');
      expect(other.complaints).to.deep.equal([]);
    } finally {
      await other.close();
    }
  });

  it('keeps the range in the address, marks halts, and opens the decisions of a time and a verdict', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: '24 h' }).click();
    await page.getByText('in the last 24 hours').first().waitFor();
    expect(new URL(page.url()).searchParams.get('range')).to.equal('24h');
    await page.getByText('Halted: a drill').waitFor();
    const figure = page.locator('figure', { hasText: 'ESCALATE' }).first();
    await figure.getByRole('button', { name: 'As a table' }).click();
    await figure.locator('tbody tr').first().getByRole('button').click();
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
    const { searchParams } = new URL(page.url());
    expect(Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')).to.equal(600_000);
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(seen.complaints).to.deep.equal([]);
  });

  for (const { width, scheme } of [
    { width: 1440, scheme: 'light' },
    { width: 1440, scheme: 'dark' },
    { width: 390, scheme: 'light' },
    { width: 390, scheme: 'dark' },
    { width: 360, scheme: 'light' },
  ] as const)
    it(`fits a window of ${width} in the ${scheme}, and passes the accessibility checks`, async () => {
      const { page } = seen;
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      await page.locator('.u-over').first().waitFor();
      expect((await accessibilityProblems(page)).join('\n')).to.equal('');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width);
      await picture(`overview-${width}-${scheme}`);
    });

  it('hides its menu behind a button in a narrow window', async () => {
    const { page } = seen;
    const menu = page.getByRole('button', { name: 'Menu' });
    expect(await menu.getAttribute('aria-expanded')).to.equal('false');
    await menu.click();
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Menu' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('reports that the numbers are no longer live, and reconnects by itself', async () => {
    const { page } = seen;
    const events = '**/dashboard/api/events*';
    await page.route(events, (route) => route.abort());
    await page.reload();
    await page.getByText('Not live').waitFor();
    await picture('not-live');
    await page.unroute(events);
    await page.getByText('Live again').waitFor();
    expect(await page.getByText('Not live').count()).to.equal(0);
    // The browser logs an error for each request that fails.
    expect(seen.complaints.splice(0).filter((text) => !text.includes('ERR_FAILED'))).to.deep.equal([]);
  });

  it('shows the queue board without requests to another host', async () => {
    const { page } = seen;
    await page.goto(`${service.ingress.address}/dashboard/queues/board`);
    await page.getByRole('link', { name: 'intents' }).first().click();
    await page.getByText('Loading').waitFor({ state: 'detached' });
    await picture('board');
    expect(seen.complaints).to.deep.equal([]);
    await page.goto(`${service.ingress.address}/dashboard`);
  });

  it('returns to sign-in when the session ends, and then to the page that was open', async () => {
    const { page } = seen;
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const session = '**/dashboard/api/session';
    await page.route(session, (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The service did not answer').waitFor();
    await page.unroute(session);
    await page.reload();
    await signOut(page);
    await openDashboard(page, service.ingress.address, key, '/queues');
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    await page.getByText('has been revoked').waitFor();
    await page.getByLabel('Admin key').fill(service.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
  });

  it('sent no request to another host during these tests', () => {
    expect(seen.requests.length).to.be.above(50);
    expect(foreignRequests(seen, service.ingress.address)).to.deep.equal([]);
  });
});
