// Takes the screenshots (main.ts): each page of the dashboard in each of the widths, in the light and in the dark.
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startHeartbeat } from '../../shared/platform/process/heartbeat.ts';
import { type Visit, visit } from '../support/browser.ts';
import { visitDashboard } from '../support/pages.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';
import { cutAt } from '../support/fits.ts';
import { examplePolicies, fill } from './fill.ts';

const OUT = process.env['CUSTOS_SCREENSHOTS'] ?? '.';
const ONLY = process.env['CUSTOS_SCREENSHOTS_ONLY'] ?? '';
const WIDTHS = (process.env['CUSTOS_SCREENSHOTS_WIDTHS'] ?? '').split(',').map(Number);
const LOADED = "document.querySelector('main h1') !== null && document.querySelector('main .loading') === null";
const SCHEMES = ['light', 'dark'] as const;

interface Shot {
  /** Of the file. */
  readonly name: string;
  /** Below /dashboard. */
  readonly path: string;
  /** Opens the first row of the list. */
  readonly firstRow?: boolean;
  /** What to do before the picture is taken, such as pressing a key. */
  readonly before?: (visit: Visit) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '' },
  { name: 'overview-day', path: '?range=24h' },
  { name: 'decisions', path: '/decisions' },
  { name: 'decisions-drawer', path: '/decisions?q=verdict:deny', firstRow: true },
  {
    name: 'decisions-search',
    path: '/decisions?q=verdict:deny&range=24h',
    before: async ({ page }) => page.getByLabel('Search decisions').pressSequentially('reason:'),
  },
  {
    name: 'decision',
    path: '/decisions?verdict=DENY',
    firstRow: true,
    before: async ({ page }) => page.getByRole('link', { name: 'Open', exact: true }).click(),
  },
  { name: 'agents', path: '/agents' },
  { name: 'agent', path: '/agents/crm-sync' },
  { name: 'tools', path: '/tools' },
  { name: 'budgets', path: '/budgets' },
  { name: 'resources', path: '/resources' },
  {
    name: 'resource-form',
    path: '/resources',
    before: async ({ page }) => page.getByRole('button', { name: /^Edit/ }).first().click(),
  },
  { name: 'approvals', path: '/approvals' },
  { name: 'approval', path: '/approvals', firstRow: true },
  { name: 'receipts', path: '/receipts' },
  { name: 'receipt', path: '/receipts/release-42' },
  { name: 'audit', path: '/audit' },
  { name: 'operators', path: '/audit?view=actions' },
  { name: 'keys', path: '/keys' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'webhook', path: '/webhooks', firstRow: true },
  { name: 'policies', path: '/policies' },
  { name: 'policies-history', path: '/policies/history' },
  { name: 'policies-stages', path: '/policies/stages' },
  { name: 'policies-approvals', path: '/policies/approvals' },
  { name: 'policies-approval', path: '/policies/approvals', firstRow: true },
  { name: 'queues', path: '/queues' },
  { name: 'board', path: '/queues/board' },
  { name: 'dead-jobs', path: '/dead-jobs' },
  { name: 'dead-job', path: '/dead-jobs', firstRow: true },
  { name: 'not-found', path: '/no-such-page' },
  { name: 'palette', path: '', before: ({ page }) => page.keyboard.press('Control+K') },
];

describe('screenshots of the dashboard', () => {
  let service: Service;
  let worker: TestWorker;
  let heartbeat: { close(): Promise<void> };
  let seen: Visit;
  before(async () => {
    service = await startService({
      policies: examplePolicies(),
      env: { CUSTOS_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' },
    });
    worker = await startTestWorker(service);
    heartbeat = await startHeartbeat({
      db: service.db,
      role: 'workers',
      version: '0.1.0',
      onError: (error) => console.error(error),
    });
    await fill(service, worker);
    ({ seen } = await visitDashboard(service));
  });
  after(async () => {
    await seen?.close();
    await heartbeat?.close();
    await worker?.close();
    await service?.close();
  });

  async function take({ page }: Visit, name: string, width: number, scheme: 'light' | 'dark'): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    if (scheme === 'light') for (const one of await cutAt(page, width)) console.log('CUT', name, width, one);
    // Charts are painted again after a change of size or theme.
    await page.waitForTimeout(400);
    await page.screenshot({ path: path.join(OUT, `${name}-${width}-${scheme}.png`), fullPage: true });
  }

  const loaded = (page: Page): Promise<unknown> =>
    waitFor(() => page.evaluate<boolean>(LOADED), { what: 'the page to be loaded' });

  /** As workers would have done: no record waits for the log, and no work for a queue. */
  async function catchUp(): Promise<void> {
    await worker.append();
    await service.rows('DELETE FROM outbox');
  }

  async function open({ page }: Visit, shot: Shot): Promise<void> {
    await catchUp();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${service.ingress.address}/dashboard${shot.path}`);
    if (shot.path === '/queues/board') {
      await page.waitForTimeout(1_500);
      return;
    }
    await page.locator('main h1').waitFor();
    await loaded(page);
    if (shot.firstRow !== true) return;
    const before = await page.locator('main h1').textContent();
    await page.locator('main tbody a, main .row-link').first().click();
    // Decisions open beside their list.
    const isOpen = async (): Promise<boolean> =>
      (await page.locator('main h1').textContent()) !== before || (await page.locator('.drawer').count()) > 0;
    await waitFor(isOpen, { what: 'the first row to open' });
    await loaded(page);
  }

  if ('sign-in'.startsWith(ONLY))
    it('sign-in', async () => {
      const stranger = await visit();
      await stranger.page.goto(`${service.ingress.address}/dashboard`);
      await stranger.page.getByLabel('Admin key').waitFor();
      for (const width of WIDTHS) for (const scheme of SCHEMES) await take(stranger, 'sign-in', width, scheme);
      await stranger.close();
    });

  for (const shot of SHOTS.filter(({ name }) => name.startsWith(ONLY)))
    it(shot.name, async () => {
      await open(seen, shot);
      await shot.before?.(seen);
      for (const width of WIDTHS) for (const scheme of SCHEMES) await take(seen, shot.name, width, scheme);
    });
});
