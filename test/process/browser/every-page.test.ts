// Guarantees of every dashboard page: keyboard use, a message when rate-limited, printing, and the same
// session in every window.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { accessibilityProblems, browserMissing, signOut, type Visit } from '../../support/browser.ts';
import { cutAt } from '../../support/fits.ts';
import { visitDashboard } from '../../support/pages.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';
import { startTestWorker } from '../../support/worker.ts';

const PAGES = [
  'Overview',
  'Decisions',
  'Agents',
  'Tools',
  'Budgets',
  'Resources',
  'Approvals',
  'Receipts',
  'Audit',
  'Keys',
  'Webhooks',
  'Policies',
  'Queues',
  'Dead jobs',
];
/** Of a phone, and where the layout has the least room before it changes. */
const WIDTHS = [360, 681, 720, 861, 901, 1001, 1180, 1280];
/** Pages with live numbers, which keep showing them while requests are rate-limited. */
const LIVE = ['Overview', 'Queues'];

/** Marks each visible, focusable element with its number. */
const MARK_ALL = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const seen = all.filter((each) => !each.disabled && each.checkVisibility({ visibilityProperty: true }));
  seen.forEach((each, n) => each.setAttribute('data-walked', String(n)));
  return seen.map((each) => each.outerHTML.slice(0, 120));
})()`;
/** The element that has the focus, and whether the focus is visible. */
const FOCUSED = `(() => {
  const { activeElement: at } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const { top, bottom, width } = at.getBoundingClientRect();
  return {
    walked: at.getAttribute('data-walked'),
    ring: outlineStyle !== 'none' && outlineWidth !== '0px',
    shown: bottom > 0 && top < innerHeight && width > 0,
    html: at.outerHTML.slice(0, 120),
  };
})()`;
/** Texts and attributes with characters that are invisible or change the direction, and elements that a text has made. */
const UNSEEN = `(() => {
  const unseen = /[\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/;
  const all = [...document.querySelectorAll('*')];
  const texts = all.flatMap((each) => [...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data));
  const values = all.flatMap((each) => [...each.attributes].filter(({ name }) => name !== 'value').map(({ name, value }) => name + '=' + value));
  const made = [...document.querySelectorAll('[onerror]')].map((each) => each.outerHTML);
  return [...[...texts, ...values].filter((each) => unseen.test(each)), ...made];
})()`;
interface Focused {
  readonly walked: string | null;
  readonly ring: boolean;
  readonly shown: boolean;
  readonly html: string;
}

describeUnless(browserMissing(), 'every page of the dashboard', () => {
  let service: Service;
  let seen: Visit;

  before(async () => {
    service = await startService();
    const worker = await startTestWorker(service);
    await service.admin.post('/v1/agents', { agentId: 'agent-1', name: 'Agent 1' });
    // Long ones, as in a real organisation.
    const agentId = 'urn:example:agents:customer-operations/emea-primary-2026';
    await service.admin.post('/v1/agents', { agentId, name: 'Regional escalations of EMEA, primary instance' });
    await service.admin.post('/v1/auth/keys', {
      name: 'gateway-of-the-region',
      scopes: ['intents:write', 'proofs:read'],
      agentIds: [agentId],
    });
    for (const intent of ['data.read.user_profile', 'db.delete.production.users'])
      await service.admin.post('/v1/enforce', { intent, agent_id: 'agent-1', trust_level: 7 });
    await worker.append();
    await worker.close();
    ({ seen } = await visitDashboard(service));
  });
  after(async () => {
    await seen?.close();
    await service?.close();
  });

  const heading = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  const focused = (): Promise<Focused> => seen.page.evaluate<Focused>(FOCUSED);
  /** Waits until an element with this text has the focus, as the title of a page has it once it is painted. */
  const focusIsOn = (text: string): Promise<unknown> =>
    waitFor(async () => (await seen.page.evaluate('document.activeElement.textContent')) === text, {
      what: `the focus to be on ${text}`,
    });
  /** Presses Tab until an element with this text has the focus. */
  const reach = async (name: string): Promise<void> => {
    const { page } = seen;
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === name) return;
    }
    throw new Error(`the keyboard does not get to ${name}`);
  };
  /** Expects that the first row of the page's list, if it has one, is at most eight Tabs from the top of the page. */
  const tabsToFirstRow = async (): Promise<void> => {
    const { page } = seen;
    if ((await page.locator('#list tbody :is(a, button)').count()) === 0) return;
    const isInRow = "document.activeElement.closest('#list tbody tr:first-child') !== null";
    await page.evaluate("document.activeElement.blur(); document.querySelector('.skip-link').focus()");
    let tabs = 1;
    for (; tabs < 9 && !(await page.evaluate<boolean>(isInRow)); tabs += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'Skip to the list')
        await page.keyboard.press('Enter');
    }
    expect(tabs, 'Tabs to the first row').to.be.at.most(8);
  };
  /** Waits until the page's own content is shown. */
  const filled = async (): Promise<void> => {
    await waitFor(async () => (await seen.page.locator('main .loading').count()) === 0, {
      what: 'the data of the page',
    });
    await seen.page.locator('main :is(.card, .list, .empty, .error-state)').first().waitFor();
  };

  for (const name of PAGES)
    it(`${name}: the page and all its controls can be reached by keyboard, with a visible focus`, async () => {
      const { page } = seen;
      // The first focusable element of the page.
      await page.evaluate(`document.querySelector('.skip-link').focus()`);
      await reach(name);
      await page.keyboard.press('Enter');
      await heading(page, name);
      await focusIsOn(name);
      await filled();
      const all = await page.evaluate<string[]>(MARK_ALL);
      await page.evaluate(`document.querySelector('.skip-link').focus()`);
      const walked = new Set<string>();
      // A time field has a tab stop for each of its parts.
      for (let n = 0; n < all.length + 30 && walked.size < all.length; n += 1) {
        const at = await focused();
        if (at.walked !== null) walked.add(at.walked);
        if (n > 0 && at.walked !== null) {
          expect(at.ring, `the focus is visible on ${at.html}`).to.equal(true);
          expect(at.shown, `${at.html} is in the window`).to.equal(true);
        }
        await page.keyboard.press('Tab');
      }
      await tabsToFirstRow();
      const missed = all.filter((_, n) => !walked.has(String(n)));
      expect(missed, 'elements that the keyboard does not reach').to.deep.equal([]);
    });

  it('no page is cut off, and no table has to be scrolled sideways, in windows from a phone to a wide screen', async () => {
    const { page } = seen;
    const cut: string[] = [];
    for (const path of ['', ...PAGES.slice(1)].map((name) => name.toLowerCase().replace(' ', '-'))) {
      await page.goto(`${service.ingress.address}/dashboard/${path}`);
      await filled();
      for (const width of WIDTHS) for (const what of await cutAt(page, width)) cut.push(`${path} at ${width}: ${what}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(cut).to.deep.equal([]);
  });

  it('a dialog takes the focus, keeps it, and returns it on Escape', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await heading(page, 'Keys');
    await reach('Create key…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const inside = (): Promise<boolean> =>
      page.evaluate<boolean>(
        `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
      );
    for (let n = 0; n < 25; n += 1) {
      expect(await inside(), 'the focus stays in the dialog').to.equal(true);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Create key…');
  });

  it('the palette finds pages, agents and ids, works with the keyboard alone, and Escape returns the focus', async () => {
    const { page } = seen;
    const open = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages, ids and actions' }).waitFor();
      await page.keyboard.type(text);
    };
    await open('webh');
    await page.keyboard.press('Enter');
    await heading(page, 'Webhooks');
    await focusIsOn('Webhooks');
    await open('agent-1');
    await page.getByRole('option', { name: 'agent-1 Agent', exact: true }).waitFor();
    expect(await page.locator('[role="option"][aria-selected="true"]').textContent()).to.contain('agent-1');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page), colorScheme).to.deep.equal([]);
    }
    await page.keyboard.press('Enter');
    await heading(page, 'agent-1');
    await focusIsOn('agent-1');
    await open('suspicious-nonsense');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('[role="option"][aria-selected="true"]').textContent()).to.contain('Find the receipt');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Search pages, ids and actions' }).waitFor({ state: 'detached' });
    await focusIsOn('agent-1');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('the session switches to another environment in all windows, and each looks different', async () => {
    const { page, context } = seen;
    const second = await context.newPage();
    await second.goto(`${service.ingress.address}/dashboard/agents`);
    await second.getByText('Agent 1').waitFor();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /^Environment/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitemradio', { name }).focus();
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      await page.keyboard.press('Enter');
    };
    await choose('Test');
    await page.locator('.shell-test').waitFor();
    await second.locator('.shell-test').waitFor();
    await second.getByText('No agents are registered').waitFor();
    expect(await page.title()).to.contain('Test');
    await choose('Live');
    await second.getByText('Agent 1').waitFor();
    await second.close();
    await page.bringToFront();
  });

  it('reports that it is rate-limited and will retry, and shows its data once requests are accepted', async () => {
    const { page } = seen;
    const asked = /\/dashboard\/api\/(?!session|events)/;
    await page.route(asked, (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
        body: JSON.stringify({ detail: 'Too many requests.', code: 'E3001' }),
      }),
    );
    for (const name of PAGES.filter((each) => !LIVE.includes(each))) {
      await page.getByRole('link', { name, exact: true }).click();
      await heading(page, name);
      const problem = page.getByRole('alert').filter({ hasText: 'Too many requests' }).first();
      await problem.getByText('The page tries again by itself').waitFor();
    }
    await page.unroute(asked);
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await filled();
    expect(seen.complaints.splice(0).filter((text) => !text.includes('429'))).to.deep.equal([]);
  });

  it('a page whose code could not be loaded is loaded once the service answers again', async () => {
    const { page } = seen;
    await page.goto(`${service.ingress.address}/dashboard`);
    await filled();
    await page.route('**/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await heading(page, 'Keys');
    await page.unroute('**/*.js');
    await page.getByRole('button', { name: 'Create key…' }).waitFor();
    expect(seen.complaints.splice(0).filter((text) => !text.includes('ERR_FAILED'))).to.deep.equal([]);
  });

  it('spells out what is invisible in names and reasons, also in the title and for screen readers, and runs none of it', async () => {
    const { page } = seen;
    const evil = (what: string): string => `${what}\u202e<img src=x onerror=alert(1)>\u200b\u2066"'`;
    const { admin } = service;
    const made = async (path: string, body: object) => {
      const { status, json } = await admin.post(path, body);
      expect(status, JSON.stringify(json)).to.be.below(300);
      return json;
    };
    const agentId = evil('agent');
    await made('/v1/agents', {
      agentId,
      name: evil('name'),
      description: evil('description'),
      metadata: { [evil('m')]: evil('v') },
    });
    await made('/v1/auth/keys', { name: evil('key'), scopes: ['intents:write'], agentIds: [agentId] });
    const url = `https://receiver.example.com/\u202e<img>`;
    const { webhookId } = await made('/v1/webhooks', { url, events: ['decision.made'], description: evil('webhook') });
    const tool = { server: evil('server'), name: evil('tool'), arguments: { [evil('argument')]: evil('value') } };
    const { decision_id, approval } = await made('/v1/enforce', {
      agent_id: agentId,
      tool,
      context: { [evil('c')]: evil('v') },
    });
    const { proofId } = await made('/v1/proofs', {
      event: evil('event'),
      entityId: agentId,
      payload: { [evil('p')]: evil('v') },
    });
    await made('/v1/halt', { reason: evil('halt') });
    const found: string[] = [];
    const look = async (path: string, shown?: string): Promise<void> => {
      await page.goto(`${service.ingress.address}/dashboard${path}`);
      await filled();
      if (shown !== undefined) await page.getByText(shown).first().waitFor();
      for (const what of await page.evaluate<string[]>(UNSEEN)) found.push(`${path}: ${what}`);
    };
    await look('', 'Everything is halted');
    await admin.delete('/v1/halt', { body: { reason: evil('resume') } });
    const agent = encodeURIComponent(agentId);
    const paths = [
      ...[
        '',
        '/agents',
        `/agents/${agent}`,
        `/agents/${agent}?view=activity`,
        `/agents/${agent}?view=trust`,
        `/agents?search=${agent}`,
      ],
      ...[
        '/approvals',
        `/approvals/${approval.approval_id}`,
        '/decisions',
        `/decisions/${decision_id}`,
        '/tools',
        '/keys',
        '/resources',
      ],
      ...[
        '/webhooks',
        `/webhooks/${webhookId}`,
        '/audit',
        '/receipts',
        `/receipts/${proofId}`,
        `/receipts?view=chain&entityId=${agent}`,
      ],
      ...['/budgets', '/dead-jobs', `/${agent}`, `/resources/${agent}`],
    ];
    for (const path of paths) await look(path);
    expect(found).to.deep.equal([]);
    expect(seen.complaints.splice(0).filter((text) => !text.includes('404'))).to.deep.equal([]);
  });

  it('is printed black on white, without its controls', async () => {
    const { page } = seen;
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).to.equal(false);
    const colours = await page.evaluate<string[]>(
      `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('#page-title')).color]`,
    );
    const [paper = 0, ink = 255] = colours.map((colour) => Number(/\d+/.exec(colour)?.[0]));
    expect(paper).to.be.above(230);
    expect(ink).to.be.below(60);
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  });

  it('shows the current session in every window after someone signs out, or in with another key, in one of them', async () => {
    const { page, context } = seen;
    const second = await context.newPage();
    await second.goto(`${service.ingress.address}/dashboard/agents`);
    await heading(second, 'Agents');
    await second.getByText('Agent 1').waitFor();
    // The live stream reports the end of the session first, which is not an expiry.
    const session = '**/dashboard/api/session';
    await second.route(session, async (route) => {
      await second.getByLabel('Admin key').waitFor();
      await route.continue();
    });
    await signOut(page);
    await second.getByText('You have signed out in another window.').waitFor();
    await second.unroute(session);
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'], environment: 'test' });
    await page.getByLabel('Admin key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The other environment has no agents, and its window shows none of the first one's.
    await second.locator('.who', { hasText: keyId }).waitFor();
    await heading(second, 'Agents');
    expect(await second.getByText('Agent 1').count()).to.equal(0);
    await second.close();
    await waitFor(async () => (await page.locator('.who').textContent())?.includes(keyId) === true, {
      what: 'the key',
    });
  });
});
