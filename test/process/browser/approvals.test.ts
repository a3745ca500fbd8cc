// Approvals, keys and webhooks in a real browser: a human decides, a key is created, used and revoked; with hostile texts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { browserMissing, foreignRequests, openDashboard, signOut, visit, type Visit } from '../../support/browser.ts';
import type { Client } from '../../support/client.ts';
import { approve, ask, escalate, gist, QUORUM, reject } from '../../support/escalations.ts';
import { type Pages, visitDashboard } from '../../support/pages.ts';
import { type Service, SHIPPED_POLICIES, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';

const HOSTILE_AGENT = '<img src=x onerror="document.title=1"> \u202egnp.tnega';
const HOSTILE_CONTEXT = { note: '</script><script>document.title=2</script>', sum: '1\u202e000' };

const CALLS = {
  id: 'calls',
  description: 'Tools in no catalogue are for humans.',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'unknown',
      conditions: {
        all: [
          { fact: 'tool', path: 'present', operator: 'equal', value: true },
          { fact: 'tool', path: 'known', operator: 'equal', value: false },
        ],
      },
      event: { type: 'ESCALATE', params: { code: 'TOOL_UNKNOWN', message: 'no catalogue has this tool' } },
    },
  ],
};

const ORDERS = {
  id: 'orders',
  description: 'Deleting orders is for humans.',
  stage: 'enforce',
  target: { actions: ['delete'], resources: ['payments/order'] },
  rules: [
    {
      name: 'asked',
      conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'delete' }] },
      event: { type: 'ESCALATE', params: { code: 'ORDERS', message: 'orders are deleted by humans' } },
    },
  ],
};

describeUnless(browserMissing(), 'approvals and keys in a browser', () => {
  let service: Service;
  let seen: Visit;
  let pages: Pages;
  let client: Client;

  const dialog = () => seen.page.getByRole('dialog');
  const asking = (agent_id: string, table: string, more: object = {}) => ({
    agent_id,
    intent: `delete:db/asked/${table}`,
    ...more,
  });
  const decide = async (verb: 'Approve' | 'Reject' | 'Withdraw', reason: string): Promise<void> => {
    await seen.page.getByRole('button', { name: `${verb}…` }).click();
    const button = dialog().getByRole('button', { name: verb });
    expect(await button.isDisabled(), 'a reason is needed').to.equal(true);
    expect(await seen.page.evaluate('document.activeElement.tagName'), 'the required field has the focus').to.equal(
      'TEXTAREA',
    );
    await dialog().getByLabel('Reason').fill(reason);
    await button.click();
  };
  before(async () => {
    const risk = JSON.parse(readFileSync(path.join(SHIPPED_POLICIES, 'risk.json'), 'utf8')) as object;
    service = await startService({
      policies: { ...QUORUM, 'risk.json': risk, 'calls.json': CALLS, 'orders.json': ORDERS },
      env: { CUSTOS_APPROVAL_TTL: '300' },
    });
    client = await service.client();
    await service.admin.post('/v1/agents', {
      agentId: 'billing-cleaner',
      name: 'Billing cleaner',
      description: 'Takes old invoices away.',
    });
    ({ seen, pages } = await visitDashboard(service, '/approvals'));
  });
  after(async () => {
    await seen?.close();
    await service?.close();
  });

  it('the list is empty at first; new approvals are announced without moving the rows being read', async () => {
    const { page } = seen;
    await page.getByText('No approvals are waiting').waitFor();
    await escalate(client, asking('billing-cleaner', 'invoices', { context: { ticket: 'OPS-7', rows: 1200 } }));
    const show = page.getByRole('button', { name: 'Show 1 new approval' });
    await show.waitFor();
    expect(await page.locator('.ask').count()).to.equal(0);
    await show.click();
    await page.getByRole('link', { name: 'delete:db/asked/invoices' }).waitFor();
    await escalate(client, asking(HOSTILE_AGENT, 'customers', { context: HOSTILE_CONTEXT }));
    await show.waitFor();
    expect(await page.locator('.ask').count()).to.equal(1);
    await show.click();
    await page.getByRole('link', { name: 'delete:db/asked/customers' }).waitFor();
    const hostile = page.locator('.ask', { hasText: 'customers' });
    expect(await hostile.textContent()).to.match(/⟨202E⟩.*\d min left/);
    await pages.looks('approvals');
  });

  it('is worked through with the keyboard alone: a reason stands between a key and a decision', async () => {
    const { page } = seen;
    const agent_id = 'keyboard';
    const ids: string[] = [];
    for (const table of ['one', 'two', 'two', 'two'])
      ids.push(await escalate(client, asking(agent_id, table, { context: { n: ids.length } })));
    const statuses = (): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await service.admin.get(`/v1/approvals/${id}`)).json.status));
    const focused = (): Promise<string> => page.evaluate("document.activeElement.dataset.ask ?? ''");
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await pages.open(`/approvals?agentId=${agent_id}`);
    await page.locator('.ask').nth(1).waitFor();
    for (let n = 0; n < 40 && (await focused()) === ''; n += 1) await press('Tab');
    const [single = ''] = ids;
    expect(await focused(), 'Tab reaches the first row').to.equal(single);
    await page.locator('#page-title').focus();
    await press('j');
    expect(await focused(), 'j reaches the first row from anywhere on the page').to.equal(single);
    await press('j', 'k', 'a', 'Enter');
    // The letters are the reason, also those of the shortcuts.
    await page.keyboard.type('rare, and agreed');
    expect(await statuses()).to.deep.equal(Array(4).fill('pending'));
    await press('Enter');
    await waitFor(async () => !['', single].includes(await focused()), { what: 'the focus on the next row' });
    await press('Enter', 'Enter');
    expect(await statuses()).to.deep.equal(['approved', ...Array<string>(3).fill('pending')]);
    await press('r');
    await page.keyboard.type('all of it, no');
    await pages.looks('approvals-group');
    await press('Control+Enter');
    await page.locator('.ask-member').getByText('rejected').nth(2).waitFor();
    expect(await statuses()).to.deep.equal(['approved', ...Array<string>(3).fill('rejected')]);
    const { reason } = (await service.admin.get(`/v1/approvals/${single}`)).json;
    expect(reason).to.equal('rare, and agreed');
    await pages.open('/approvals');
  });

  it('an approval with a reason permits the agent; the page links to the resulting decision', async () => {
    const { page } = seen;
    const asked = asking('billing-cleaner', 'invoices', { context: { ticket: 'OPS-7', rows: 1200 } });
    const approval_id = await escalate(client, asked);
    await page.getByRole('link', { name: 'delete:db/asked/invoices' }).click();
    await page.getByRole('heading', { name: 'Your decision' }).waitFor();
    await page.waitForFunction("document.activeElement.id === 'page-title'");
    for (const text of ['Takes old invoices away.', 'destroys something', 'OPS-7', 'ASKED', 'asked / rule'])
      await page.getByText(text).first().waitFor();
    await pages.looks('approval');
    await decide('Approve', 'Ticket OPS-7, backup verified');
    await page.getByText('Approved, and not used yet').waitFor();
    // The button that opened the dialog is removed with its approval.
    await page.waitForFunction("document.activeElement.id === 'page-title'");
    expect(gist(await ask(client, { ...asked, approval_id }))[0]).to.equal('ALLOW');
    await page.reload();
    await page.getByText('Approved and used').waitFor();
    await page.getByText('Ticket OPS-7, backup verified').waitFor();
    expect(await page.getByRole('link', { name: /^decision/ }).getAttribute('href')).to.match(/decisions\/dec_/);
    await pages.picture('approval-used');
  });

  it('shows texts of callers as text, and names invisible characters', async () => {
    const { page } = seen;
    await pages.open('/approvals');
    await page.getByRole('link', { name: 'delete:db/asked/customers' }).click();
    await page.getByRole('heading', { name: 'Your decision' }).waitFor();
    await page.getByText('<img src=x onerror="document.title=1">').first().waitFor();
    await page.getByText('⟨202E⟩').first().waitFor();
    await page.getByText('"1\\u202e000"').waitFor();
    expect(await page.locator('main img, main script').count()).to.equal(0);
    expect(await page.title()).to.match(/Approvals · Custos$/);
    await pages.picture('approval-hostile');
    await decide('Reject', 'not today');
    await page.getByText('Requests with this approval are denied.').waitFor();
    await page.getByText('not today').waitFor();
  });

  it('what was approved is withdrawn while it is unused; after its use the dialog says that it is too late', async () => {
    const { page } = seen;
    const approved = async (table: string) => {
      const asked = asking('withdrawn', table);
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      return { ...asked, approval_id };
    };
    const [unused, used] = [await approved('first'), await approved('second')];
    await pages.open(`/approvals/${unused.approval_id}`);
    await decide('Withdraw', 'the ticket was closed');
    await page.getByText('Requests with this approval are denied.').waitFor();
    await pages.open(`/approvals/${used.approval_id}`);
    await page.getByRole('button', { name: 'Withdraw…' }).click();
    expect((await ask(client, used)).verdict).to.equal('ALLOW');
    await dialog().getByLabel('Reason').fill('too late');
    await dialog().getByRole('button', { name: 'Withdraw' }).click();
    await dialog().getByText('and used by the key').waitFor();
  });

  it('shows every argument of a tool call: nested, folded, masked with the reason, and never as markup', async () => {
    const { page } = seen;
    const script = Array.from({ length: 40 }, (_, n) => `step ${n}`).join('\n');
    const args = {
      to: [{ address: '<b>anna</b>@example.com \u202e' }],
      api_token: 'abcdefgh',
      note: 'use sk-abcdefghijklmnopqrstuvwx now; [secret]',
      retries: 3,
      script,
    };
    const { json } = await client.post('/v1/enforce', {
      agent_id: 'billing-cleaner',
      tool: { server: 'mailer', name: 'send_message', arguments: args },
    });
    await pages.open('/approvals');
    await page.getByRole('link', { name: 'mailer/send_message' }).click();
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Tool call' }) });
    for (const text of [
      'the server "mailer" has no catalogue',
      '<b>anna</b>@example.com ⟨202E⟩',
      'masked: its name is one of secrets',
      'masked: it has the form of a credential',
      '3 number',
    ])
      await card.getByText(text).waitFor();
    expect(await card.textContent()).to.not.include('abcdefgh');
    expect(await card.textContent()).to.not.include('step 39');
    await card.getByRole('button', { name: /^Show all \d+ characters/ }).click();
    await card.getByText('step 39').waitFor();
    await pages.looks('approval-tool');
    await pages.open(`/decisions/${json.decision_id}`);
    await card.getByText('masked: its name is one of secrets').waitFor();
    await pages.looks('decision-tool');
    await pages.open('/decisions?tool=mailer/send_message');
    await page.getByRole('link', { name: 'mailer/send_message' }).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(1);
    await pages.looks('decisions-tool');
  });

  it('the key that requested an approval is shown that it may not decide, and is refused', async () => {
    const { page } = seen;
    const approvalId = await escalate(service.admin, asking('billing-cleaner', 'own'));
    await pages.open(`/approvals/${approvalId}`);
    await page.getByText('The request was made with your key').waitFor();
    expect(await page.getByRole('button', { name: 'Approve…' }).count()).to.equal(0);
    const refused = await approve(service.admin, approvalId);
    expect([refused.status, refused.json.code]).to.deep.equal([403, 'E1004']);
    await pages.picture('approval-own');
    const request = { name: 'made by the signed-in key', scopes: ['intents:write'] };
    const { key } = (await service.admin.post('/v1/auth/keys', request)).json;
    const made = await escalate(service.admin.withKey(key), asking('billing-cleaner', 'made'));
    await pages.open(`/approvals/${made}`);
    await page.getByText('Your key created the key of the request').waitFor();
    expect(await page.getByRole('button', { name: 'Approve…' }).count()).to.equal(0);
  });

  it('says the same about alike requests of that key, also to somebody who presses a key', async () => {
    const { page } = seen;
    for (const n of [1, 2]) await escalate(service.admin, asking('own-group', 'alike', { context: { n } }));
    await pages.open('/approvals?agentId=own-group');
    const group = page.locator('.ask[data-group]');
    await group.getByText('2 requests alike').waitFor();
    expect(await group.textContent()).to.match(/\d min left.*Your key may not decide these/);
    await group.focus();
    await page.keyboard.press('a');
    await page.getByRole('status').getByText('Your key may not decide this request.').waitFor({ state: 'attached' });
    await pages.open('/approvals');
  });

  it('names who decided when another key decides meanwhile', async () => {
    const { page } = seen;
    const approvalId = await escalate(client, asking('billing-cleaner', 'raced'));
    const other = await service.addKey({ scopes: ['admin:*'], name: 'colleague' });
    await pages.open(`/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await dialog().getByLabel('Reason').fill('I think not');
    // Without live events the page does not know of that decision yet.
    await page.route('**/dashboard/api/events*', (route) => route.abort());
    await reject(service.admin.withKey(other.key), approvalId, 'I was here first');
    await dialog().getByRole('button', { name: 'Reject' }).click();
    await dialog().getByText(`It was already rejected by ${other.keyId}: I was here first`).waitFor();
    await pages.picture('approval-raced');
    await page.unroute('**/dashboard/api/events*');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Requests with this approval are denied.').waitFor();
  });

  it('keeps the reason being typed when the approval is decided meanwhile, and reports that it is too late', async () => {
    const { page } = seen;
    const approvalId = await escalate(client, asking('billing-cleaner', 'too-late'));
    const other = await service.addKey({ scopes: ['admin:*'], name: 'second colleague' });
    await pages.open(`/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await dialog().getByLabel('Reason').fill('half a sentence');
    // A mouse selection may end outside the dialog.
    const box = await dialog().getByLabel('Reason').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 12);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog().getByLabel('Reason').inputValue()).to.equal('half a sentence');
    await approve(service.admin.withKey(other.key), approvalId, 'was quick');
    await dialog().getByText(`It was already approved by ${other.keyId}: was quick`).waitFor();
    expect(await dialog().getByLabel('Reason').inputValue()).to.equal('half a sentence');
    expect(await dialog().getByRole('button', { name: 'Reject' }).isDisabled()).to.equal(true);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Approved, and not used yet').waitFor();
  });

  it('shows which words of a text its reading leaves out', async () => {
    const { page } = seen;
    const raw_intent = 'delete the table db/asked/orders <b>flumox</b> and frobnicate the zorkmids';
    const read = (await client.post('/v1/intent', { agent_id: 'reader', raw_intent })).json;
    expect(read.unread).not.to.deep.equal([]);
    const approvalId = await escalate(client, {
      agent_id: 'reader',
      intent: read.normalized,
      intent_id: read.intent_id,
    });
    await pages.open('/approvals');
    const row = page.locator('.ask', { hasText: 'frobnicate' });
    await row.waitFor();
    expect((await row.locator('.ask-words .said').allTextContents()).join('')).to.equal(raw_intent);
    const marks = await row.locator('mark .said').allTextContents();
    expect(marks).to.deep.equal(read.unread.map(({ text }: { text: string }) => text));
    expect(await row.textContent()).to.match(/Read: \d+ % of the text; what is marked was left out/);
    await pages.looks('approvals');
    await pages.open(`/approvals/${approvalId}`);
    // The page of one approval shows the same, also when it is decided.
    const words = page.locator('.card', { hasText: 'Words of the agent' });
    await words.waitFor();
    expect(await words.locator('mark .said').allTextContents()).to.deep.equal(marks);
    await pages.looks('approvals-item-words');
    await approve(service.admin, approvalId);
    await page.reload();
    await words.waitFor();
    expect((await words.locator('.ask-words .said').allTextContents()).join('')).to.equal(raw_intent);
  });

  it('an ESCALATE appears by itself, two people approve it in their pages, and the retry of the agent is permitted', async () => {
    const page = await seen.context.newPage();
    // Other people, with keys and windows of their own.
    const people: Visit[] = [];
    try {
      const names = ['anna', 'ben'] as const;
      const keys = new Map<string, string>();
      for (const name of names) {
        const { key, keyId } = await service.addKey({ scopes: ['admin:*'], name, tags: ['finance'] });
        keys.set(name, keyId);
        const person = await visit();
        people.push(person);
        await openDashboard(person.page, service.ingress.address, key, '/approvals?agentId=two-hands');
        await person.page.getByText('No approvals are waiting').waitFor();
      }
      const asked = asking('two-hands', 'several/ledger');
      const approval_id = await escalate(client, asked);
      const retry = async (): Promise<unknown> => gist(await ask(client, { ...asked, approval_id }))[0];
      const [anna, ben] = people.map((person) => person.page);
      if (anna === undefined || ben === undefined) throw new Error('there are no people');
      for (const one of [anna, ben]) await one.getByRole('button', { name: 'Show 1 new approval' }).click();

      // The first one on the page of the approval.
      await anna.getByRole('link', { name: 'delete:db/asked/several/ledger' }).click();
      await anna.getByText('0 of 2 approved').waitFor();
      await anna.getByRole('button', { name: 'Approve…' }).click();
      await anna.getByRole('dialog').getByText('when all who must approve have approved').waitFor();
      await anna.getByRole('dialog').getByLabel('Reason').fill('the ledger is closed');
      await anna.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await anna.getByText('You have approved this request; others must, too.').waitFor();
      expect(await anna.getByRole('button', { name: 'Approve…' }).count()).to.equal(0);
      expect(await retry()).to.equal('ESCALATE');

      // The second one in the list, with the keyboard.
      const row = ben.locator('.ask', { hasText: 'several/ledger' });
      await row.focus();
      await ben.keyboard.press('a');
      await ben.keyboard.type('closed, indeed');
      await ben.keyboard.press('Enter');
      await row.getByText('approved', { exact: true }).waitFor();
      await anna.getByText('Approved, and not used yet').waitFor();

      // A third one, whom the rule does not name.
      await page.goto(`${service.ingress.address}/dashboard/approvals/${approval_id}`);
      for (const [name, reason] of [
        ['anna', 'the ledger is closed'],
        ['ben', 'closed, indeed'],
      ] as const) {
        const vote = page.locator('.reason-source', { hasText: keys.get(name) ?? '' });
        expect(await vote.textContent()).to.include(reason);
      }
      expect([await retry(), await retry()]).to.deep.equal(['ALLOW', 'ALLOW']);
      await anna.reload();
      await anna.getByText('Approved and used').waitFor();
      for (const { complaints } of people) expect(complaints).to.deep.equal([]);
    } finally {
      await page.close();
      for (const person of people) await person.close();
    }
  });

  it("expiry follows the service's clock, however wrong the browser's clock is", async () => {
    const approvalId = await escalate(client, asking('billing-cleaner', 'clock'));
    const page = await seen.context.newPage();
    await page.addInitScript(`{
      const True = Date;
      globalThis.Date = class extends True {
        constructor(...given) { given.length === 0 ? super(True.now() + 7_200_000) : super(...given); }
        static now() { return True.now() + 7_200_000; }
      };
    }`);
    await page.goto(`${service.ingress.address}/dashboard/approvals/${approvalId}`);
    await page.getByText(/Requested by .* (just now|\d+ s ago)/).waitFor();
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await page.close();
  });

  it('says once in its dialog that an approval has expired meanwhile', async () => {
    const { page } = seen;
    const approvalId = await escalate(client, asking('billing-cleaner', 'expiring'));
    await pages.open(`/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialog().getByText('may then do this once:').waitFor();
    await dialog().getByLabel('Reason').fill('slow, but sure');
    // The page does not know yet.
    await page.route('**/dashboard/api/events*', (route) => route.abort());
    service.advance(6 * 60_000);
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await dialog().getByText('Too late').waitFor();
    expect(await dialog().getByText('It has expired: nobody decided in time.').count()).to.equal(1);
    expect(await dialog().getByLabel('Reason').inputValue()).to.equal('slow, but sure');
    await pages.looks('approval-expired');
    await page.unroute('**/dashboard/api/events*');
    await page.keyboard.press('Escape');
    await page.getByText('Nobody decided in time').waitFor();
  });

  it('reports an approval that does not exist, and one that has expired', async () => {
    const { page } = seen;
    await pages.open('/approvals/apr_00000000000000000000000000');
    await page.getByText('There is no such approval').waitFor();
    const approvalId = await escalate(client, asking('billing-cleaner', 'late'));
    service.advance(6 * 60_000);
    await pages.open(`/approvals/${approvalId}`);
    await page.getByText('Nobody decided in time').waitFor();
    await pages.open('/approvals?status=all');
    await page.getByRole('link', { name: 'delete:db/asked/late' }).waitFor();
    await pages.picture('approvals-all');
    await page.getByRole('link', { name: 'Rejected', exact: true }).click();
    await page.getByText('not today').waitFor();
    expect(new URL(page.url()).search).to.equal('?status=rejected');
  });

  it('a key is created, shown once, works, and is refused once it is revoked', async () => {
    const { page } = seen;
    await pages.open('/keys');
    await page.getByRole('button', { name: 'Create key…' }).click();
    await dialog().getByText('submit governance intents').waitFor();
    await dialog().getByRole('button', { name: 'Create key', exact: true }).click();
    await dialog().getByText(/^must/).first().waitFor();
    expect(await dialog().getByLabel('Name').getAttribute('aria-invalid')).to.equal('true');
    await dialog().getByLabel('Name').fill('invoice gateway');
    await dialog()
      .getByRole('checkbox', { name: /^intents:write/ })
      .check();
    await dialog().getByLabel('Expires after').selectOption('other');
    await dialog().getByLabel('Duration').fill('soon');
    await dialog().getByRole('button', { name: 'Create key', exact: true }).click();
    await dialog()
      .getByText(/^must be/)
      .first()
      .waitFor();
    expect(await dialog().getByLabel('Duration').getAttribute('aria-invalid')).to.equal('true');
    await pages.looks('key-form');
    await dialog().getByLabel('Duration').fill('36h');
    await dialog().getByLabel('Agents (optional)').fill('billing-cleaner\n');
    await dialog().getByRole('button', { name: 'Create key', exact: true }).click();
    const secret = page.locator('[data-secret]');
    const key = (await secret.textContent()) ?? '';
    expect(key).to.match(/^cst_live_/);
    await page.waitForFunction("document.activeElement.id === 'secret-title'");
    await pages.looks('key-secret');

    const user = service.admin.withKey(key);
    expect((await ask(user, asking('billing-cleaner', 'invoices'))).verdict).to.equal('ESCALATE');
    expect((await user.post('/v1/enforce', asking('somebody-else', 'invoices'))).json.code).to.equal('E1004');

    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state])',
    );
    expect(kept).to.not.include(key);
    await page.reload();
    const row = page.locator('tr', { hasText: 'invoice gateway' });
    await row.waitFor();
    expect(await page.content()).to.not.include(key);
    await pages.looks('keys');

    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    const refused = await user.post('/v1/enforce', asking('billing-cleaner', 'invoices'));
    expect([refused.status, refused.json.code]).to.deep.equal([401, 'E1002']);
  });

  it('a webhook is created, its secret shown once; its deliveries are replayed; it is disabled and deleted', async () => {
    const { page } = seen;
    await pages.open('/webhooks');
    await page.getByRole('button', { name: 'Create a webhook…' }).click();
    await dialog().getByLabel('URL').fill('http://receiver.example.com/custos');
    await dialog()
      .getByRole('checkbox', { name: /^decision.made/ })
      .check();
    await dialog().getByRole('checkbox', { name: /^DENY/ }).check();
    await dialog().getByRole('button', { name: 'Create the webhook' }).click();
    await dialog().getByText('must begin with https:// in a live environment').waitFor();
    await pages.looks('webhook-form');
    await dialog().getByLabel('URL').fill('https://receiver.example.com/custos');
    await dialog().getByRole('button', { name: 'Create the webhook' }).click();
    const secret = (await page.locator('[data-secret]').textContent()) ?? '';
    expect(secret).to.match(/^whsec_/);
    await page.reload();
    await page.getByRole('link', { name: 'https://receiver.example.com/custos' }).waitFor();
    expect(await page.content()).to.not.include(secret);
    await pages.looks('webhooks');

    const [made] = await service.rows<{ id: string }>('SELECT endpoint_id AS id FROM webhook_endpoint');
    await service.rows(
      `INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, state, attempts, created_at, attempted_at, duration_ms, response_status, error)
       VALUES ($1, 'msg_1', 'decision.made', 'billing-cleaner', '{}', 'delivered', 1, now(), now(), 12, 204, NULL),
         ($1, 'msg_8', 'decision.made', $2, '{}', 'failed', 8, now(), now(), 15000, NULL, 'timeout')`,
      [made?.id, HOSTILE_AGENT],
    );
    await page.getByRole('link', { name: 'https://receiver.example.com/custos' }).click();
    const row = page.locator('tr', { hasText: 'timeout' });
    await row.getByText('failed').waitFor();
    await pages.looks('webhook');
    await row.getByRole('button', { name: /^Replay/ }).click();
    await row.getByText('pending').waitFor();
    await page.getByRole('button', { name: 'Rotate the key…' }).click();
    await dialog().getByLabel('The old key expires').selectOption('1h');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    expect(await page.locator('[data-secret]').textContent()).to.match(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('An administrator disabled it.').waitFor();
    expect(await row.getByRole('button', { name: /^Replay/ }).isDisabled()).to.equal(true);
    await pages.looks('webhook-disabled');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks in this environment').waitFor();
  });

  it('a key is rotated: both work until the overlap ends', async () => {
    const { page } = seen;
    const old = await service.addKey({ name: 'to rotate' });
    await pages.open('/keys');
    const row = page.locator('tr', { hasText: old.keyId });
    await row.getByRole('button', { name: /^Rotate/ }).click();
    await dialog().getByLabel('The old key expires').selectOption('1d');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const key = (await page.locator('[data-secret]').textContent()) ?? '';
    for (const each of [old.key, key])
      expect((await ask(service.admin.withKey(each), asking('a', 'b'))).verdict).to.equal('ESCALATE');
    await page.locator('tr', { hasText: `by ${key.split('_')[2]}` }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('[data-secret]').waitFor({ state: 'detached' });
  });

  it('restores the open dialog and the typed text after the session ended, when the same key signs in again', async () => {
    const { page } = seen;
    await pages.open('/keys');
    await page.getByRole('button', { name: 'Create key…' }).click();
    await dialog().getByLabel('Name').fill('half typed');
    await dialog()
      .getByRole('checkbox', { name: /^proofs:read/ })
      .check();
    await seen.context.clearCookies();
    await dialog().getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByLabel('Admin key').fill(service.adminKey);
    expect(await page.content()).to.not.include('half typed');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await dialog().waitFor();
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('half typed');
    expect(
      await dialog()
        .getByRole('checkbox', { name: /^proofs:read/ })
        .isChecked(),
    ).to.equal(true);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create key…' }).click();
    expect(await dialog().getByLabel('Name').inputValue(), 'a closed dialog keeps no text').to.equal('');
    await page.keyboard.press('Escape');
  });

  it("warns before the session's own key is revoked, and then ends the session with a message", async () => {
    const { page } = seen;
    const own = await service.addKey({ scopes: ['admin:*'], name: 'mine' });
    await signOut(page);
    await openDashboard(page, service.ingress.address, own.key, '/keys');
    const row = page.locator('tr', { hasText: 'signed in' });
    await row.getByRole('button', { name: /^Rotate/ }).click();
    expect(await dialog().locator('option').allTextContents()).to.not.include('At once');
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog().getByText('You are signed in with this key').waitFor();
    await pages.picture('key-revoke-own');
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key that you signed in with has been revoked.').waitFor();
    expect(await page.getByLabel('Admin key').count()).to.equal(1);
  });

  it('sent no request to another host, and logged no browser errors except the refusals', () => {
    expect(foreignRequests(seen, service.ingress.address)).to.deep.equal([]);
    expect(seen.complaints.filter((text) => !/40[0149]|ERR_FAILED/.test(text))).to.deep.equal([]);
  });
});
