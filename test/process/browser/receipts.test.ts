// Receipts and the log audit in a real browser: receipts are verified in the page, altered ones and a changed log are detected.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { verifyReceipt } from '../../../shared/core/proof/receipt.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { trustPublishedKeys } from '../../../shared/core/proof/keys.ts';
import { parseTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import {
  accessibilityProblems,
  browserMissing,
  foreignRequests,
  startBrowser,
  type Visit,
} from '../../support/browser.ts';
import { type Pages, visitDashboard } from '../../support/pages.ts';
import type { Service } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../../support/worker.ts';
import { waitFor } from '../../support/wait.ts';

const HOSTILE = { note: '</script><script>document.title="run"</script>', turned: '\u202egnorw' };

describeUnless(browserMissing(), 'the pages of receipts and audit', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let seen: Visit;
  let pages: Pages;
  let proofId: string;
  const receipt = async (id = proofId): Promise<Record<string, unknown>> =>
    (await service.admin.get(`/v1/proofs/${id}`)).json as Record<string, unknown>;
  const paste = async (text: string): Promise<void> => {
    await seen.page.getByLabel('Receipt', { exact: true }).fill(text);
    await seen.page.getByRole('button', { name: 'Verify' }).click();
  };
  const ask = async (agent: string): Promise<string> =>
    (await service.admin.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: agent })).json.proof
      .proof_id as string;

  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    for (let i = 0; i < 12; i += 1) await ask(`agent-${i % 3}`);
    const proof = { event: 'deploy', entityId: 'agent-1', payload: HOSTILE, proofId: 'deploy/7' };
    proofId = encodeURIComponent((await service.admin.post('/v1/proofs', proof)).json.proofId as string);
    await worker.append();
    for (let i = 0; i < 3; i += 1) await ask('agent-1');
    await worker.append();
    ({ seen, pages } = await visitDashboard(service, '/receipts'));
  });
  after(async () => {
    await seen?.close();
    await both?.close();
  });

  it('lists the entries of the log, and links from a decision to its receipt', async () => {
    const { page } = seen;
    await pages.heading('Receipts');
    const rows = page.locator('.list tbody tr');
    await rows.nth(15).waitFor();
    await pages.picture('receipts-1440-light');
    await page.getByLabel('Event').fill('deploy');
    await page.waitForURL(/event=deploy/);
    await page.getByText('deploy/7').waitFor();
    await waitFor(async () => (await rows.count()) === 1, { what: 'the one row' });
    const decision = (await service.admin.get('/v1/decisions?limit=1')).json.items[0];
    await page.getByLabel('Proof or decision id').fill(decision.decision_id as string);
    await page.keyboard.press('Enter');
    await page.getByText('Verified: this record is in the log').waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/dashboard/receipts/${decision.proof.proof_id}`);
  });

  it('verifies a receipt in the browser, step by step, and shows its record as text', async () => {
    const { page } = seen;
    await pages.go(`/receipts/${proofId}`);
    await page.getByText('Verified: this record is in the log').waitFor();
    expect(await page.locator('.step').count()).to.equal(8);
    expect(await page.locator('.step-passed').count()).to.equal(8);
    await page.getByRole('region', { name: "the record's body" }).getByText('document.title').waitFor();
    expect(await page.title()).not.to.equal('run');
    const { keyId } = (await service.admin.get('/v1/log/keys')).json.items.find(
      (key: { use: string }) => key.use === 'log',
    );
    expect(await page.locator('.steps').textContent()).to.contain((keyId as string).slice(0, 16));
    await pages.picture('receipt-1440-light');
    expect(seen.complaints).to.deep.equal([]);
  });

  it('leads to the decision of its record, and back to the list with its filters, where it was left', async () => {
    const { page } = seen;
    await page.setViewportSize({ width: 1440, height: 300 });
    await pages.open('/receipts?event=custos.decision');
    const row = page.locator('main tbody a').last();
    await row.scrollIntoViewIfNeeded();
    const list = page.url();
    const top = await page.evaluate('scrollY');
    expect(top).to.be.above(0);
    await row.click();
    await page.getByText('Verified: this record is in the log').waitFor();
    await page.goBack();
    await row.waitFor();
    await waitFor(async () => (await page.evaluate('scrollY')) === top, { what: 'the list where it was left' });
    await row.click();
    await page.getByText('Verified: this record is in the log').waitFor();
    await page.locator('.back-link').click();
    await row.waitFor();
    expect(page.url()).to.equal(list);
    await page.setViewportSize({ width: 1440, height: 900 });
    await row.click();
    await page.getByRole('link', { name: /^dec_/ }).click();
    await page.getByRole('heading', { name: 'Why', exact: true }).waitFor();
    await pages.go(`/receipts/${proofId}`);
    await page.getByText('Verified: this record is in the log').waitFor();
  });

  it('exports a receipt as files that `custos verify` accepts', async () => {
    const { page } = seen;
    const keys = trustPublishedKeys((await service.admin.get('/v1/log/keys')).json);
    const saved = async (button: string): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const json = await saved('Download JSON');
    expect(json.name).to.equal('receipt-deploy_7.json');
    expect(JSON.parse(json.text)).to.deep.equal(await receipt());
    const text = await saved('Download tlog-proof');
    expect(text.name).to.equal('receipt-deploy_7.tlog-proof');
    expect(text.text).to.equal(
      (await service.admin.get(`/v1/proofs/${proofId}`, { headers: { accept: 'text/plain' } })).text,
    );
    expect(verifyReceipt(parseTlogProof(text.text), keys).ok).to.equal(true);
  });

  it('refuses an altered receipt with the same error code as `custos verify`, and sends it to no server', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Receipts', exact: true }).first().click();
    await page.getByRole('link', { name: 'Check a receipt' }).click();
    await pages.heading('Check a receipt');
    const real = await receipt();
    const path = real['path'] as string[];
    const checkpoint = real['checkpoint'] as string;
    const record = Buffer.from(real['record'] as string, 'base64').toString();
    const requests = seen.requests.length;
    for (const [text, code, step] of [
      [
        JSON.stringify({ ...real, record: Buffer.from(record.replace('gnorw', 'right')).toString('base64') }),
        'RECORD_ALTERED',
        6,
      ],
      [JSON.stringify({ ...real, index: 3 }), 'WRONG_INDEX', 6],
      [JSON.stringify({ ...real, path: path.toReversed() }), 'WRONG_PATH', 6],
      [JSON.stringify({ ...real, checkpoint: checkpoint.replace(/\n\d+\n/, '\n99\n') }), 'CHECKPOINT_SIGNATURE', 4],
      [
        JSON.stringify({
          ...real,
          checkpoint: checkpoint.replaceAll('default/live', 'other/live'),
        }),
        'KEY_NOT_OF_LOG',
        3,
      ],
      ['{"format": "custos-receipt/1"}', 'MALFORMED', 1],
      ['<img src=x onerror="document.title=1">', 'MALFORMED', 1],
    ] as const) {
      await paste(text);
      await page.getByText(`Not valid: ${code}`).waitFor();
      expect(await page.locator('.step-passed').count(), code).to.equal(step - 1);
      expect(await page.locator('.step-failed').count(), code).to.equal(1);
      if (code === 'WRONG_PATH') {
        expect(await accessibilityProblems(page)).to.deep.equal([]);
        await pages.picture('receipt-tampered');
      }
    }
    await paste(JSON.stringify(real, null, 2));
    await page.getByText('Verified: this record is in the log').waitFor();
    const asked = seen.requests.slice(requests).filter((url) => !url.includes('/events'));
    expect(new Set(asked.map((url) => new URL(url).pathname))).to.deep.equal(new Set(['/dashboard/api/v1/log/keys']));
    expect(seen.complaints).to.deep.equal([]);
  });

  it('accepts a file, and refuses one that is larger than a receipt can be', async () => {
    const { page } = seen;
    const file = (text: string): { name: string; mimeType: string; buffer: Buffer } => ({
      name: 'receipt.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    const field = page.locator('input[type=file]');
    await field.setInputFiles(file('x'.repeat(2 * 1_048_576 + 1)));
    await page.getByText('The file is too large').waitFor();
    await field.setInputFiles(file(JSON.stringify(await receipt())));
    await page.getByText('Verified: this record is in the log').waitFor();
    await page.getByText('The file is too large').waitFor({ state: 'detached' });
  });

  it('reports that a record is not in the log yet, and shows its receipt once it is', async () => {
    const { page } = seen;
    const id = await ask('agent-2');
    await pages.go(`/receipts/${id}`);
    await page.getByText('Recorded, but not in the log yet').waitFor();
    await worker.append();
    await page.getByText('Verified: this record is in the log').waitFor();
  });

  it('reports a proof that does not exist', async () => {
    const { page } = seen;
    await pages.go('/receipts/agent-1');
    await pages.heading('No such proof');
    await page.getByRole('link', { name: 'its chain' }).click();
    await pages.heading('Chain of agent-1');
    expect(seen.complaints.splice(0).filter((text) => !text.includes('404'))).to.deep.equal([]);
  });

  it('recomputes the links of a chain', async () => {
    const { page } = seen;
    await page.locator('tbody .badge-good').nth(7).waitFor();
    expect(await page.locator('tbody .badge-bad').count()).to.equal(0);
    await pages.picture('chain-1440-light');
    // A false answer: the second record is replaced by the record of another proof.
    await page.route('**/v1/proofs/chain/**', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { items: { record: string }[] };
      const [first, second, third] = body.items;
      if (first && second && third) second.record = third.record;
      await route.fulfill({ response: answer, json: body });
    });
    await page.reload();
    await page.getByText('The chain is broken: CHAIN_BROKEN').waitFor();
    await page.unroute('**/v1/proofs/chain/**');
  });

  it('reports how much of the log was audited without a difference, and lists the actions of operators', async () => {
    const { page } = seen;
    await pages.go('/audit');
    await page.getByText('Not audited yet').waitFor();
    await service.rows(
      `INSERT INTO audit (log_id, audited_size, ok, findings, audited_at) SELECT log_id, size, true, '[]', now() FROM log`,
    );
    await page.reload();
    await page.getByText('The audit found no difference').waitFor();
    await page.getByRole('table', { name: 'Checkpoints' }).waitFor();
    await pages.picture('audit-1440-light');
    await page.getByRole('link', { name: "Operators' actions" }).click();
    await page.getByText('Signed in', { exact: true }).waitFor();
    await page.getByText('bootstrap').first().waitFor();
    await page.getByLabel('Result').selectOption('failed');
    await page.getByText('No action has this result').waitFor();
    expect(seen.complaints).to.deep.equal([]);
  });

  it('names each difference when the log has changed', async () => {
    const { page } = seen;
    const findings = [
      {
        kind: 'record-altered',
        leafIndex: 4,
        proofId: 'deploy/7',
        sentence: 'The bytes of leaf 4 are others than those that were hashed.',
        place: 'subtree 0',
      },
      {
        kind: 'root-mismatch',
        leafIndex: null,
        proofId: null,
        sentence: 'The leaves do not lead to the root of size 13.',
        place: 'head',
      },
    ];
    await service.rows('UPDATE audit SET ok = false, findings = $1', [JSON.stringify(findings)]);
    await service.rows(
      "UPDATE log SET halted_reason = 'The tree of 13 leaves has another root than the one that was signed.'",
    );
    await pages.go('/audit');
    await page.getByRole('alert').getByText('The log was changed').waitFor();
    await page.getByText('The log is halted').first().waitFor();
    for (const { sentence } of findings) await page.getByText(sentence).waitFor();
    expect(
      await page
        .getByRole('row', { name: /record-altered/ })
        .getByRole('link')
        .getAttribute('href'),
    ).to.equal('/dashboard/receipts/deploy%2F7');
    await pages.picture('audit-failed-1440-light');
  });

  it('fits both windows, and passes the accessibility checks in them', async () => {
    const { page } = seen;
    for (const [name, path, ready] of [
      ['receipts', '/receipts', '.list tbody tr'],
      ['receipt', `/receipts/${proofId}`, '.step-passed'],
      ['chain', '/receipts?view=chain&entityId=agent-1', 'tbody .badge-good'],
      ['check', '/receipts?view=check', 'textarea'],
      ['audit-failed', '/audit', '.audit-finding'],
      ['actions', '/audit?view=actions', '.list tbody tr'],
    ] as const) {
      await pages.go(path);
      await page.locator(ready).first().waitFor();
      await pages.looks(name);
    }
  });

  it('sent no request to another host during these tests', () => {
    expect(foreignRequests(seen, service.ingress.address).filter((url) => !url.startsWith('blob:'))).to.deep.equal([]);
  });

  it('are read and verified by the TypeScript client in a browser, too', async () => {
    const { address } = service.ingress;
    // Its modules come from this service, and its pages allow scripts of their own alone.
    const context = await (await startBrowser()).newContext({ bypassCSP: true });
    await context.route(`${address}/client/**`, (route) => {
      const file = new URL(route.request().url()).pathname.slice('/client/'.length);
      return route.fulfill({ path: path.join(findRoot(), 'clients/typescript/dist/src', file) });
    });
    try {
      const page = await context.newPage();
      await page.goto(`${address}/health`);
      const given = JSON.stringify({ address, key: service.adminKey, id: decodeURIComponent(proofId) });
      // A text, because the compiler would rewrite the import. In a browser the address has no default.
      const found = await page.evaluate(`(async ({ address, key, id }) => {
        const { Custos, verifyReceipt } = await import(address + '/client/index.js');
        const custos = new Custos({ url: address, key });
        const agents = [];
        for await (const agent of custos.agents.list()) agents.push(agent);
        const [receipt, keys] = await Promise.all([custos.proofs.get(id), custos.log.keys()]);
        const forged = { ...receipt, index: receipt.index + 1 };
        const results = [await verifyReceipt(receipt, keys), await verifyReceipt(forged, keys)];
        return { agents, results: results.map(({ ok, failure }) => failure ?? ok) };
      })(${given})`);
      expect(found).to.deep.equal({ agents: [], results: [true, 'WRONG_INDEX'] });
    } finally {
      await context.close();
    }
  });
});
