// The API reference pages in a real browser: operations are shown and can be tried, without requests to other hosts.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { browserMissing, foreignRequests, type Visit, visit } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Sample, startSample } from '../support/sample-app.ts';
import { describeUnless } from '../support/skip.ts';

describe('/docs over HTTP', () => {
  let sample: Sample;
  let client: Client;
  before(async () => {
    sample = await startSample();
    client = createClient(sample.baseUrl, undefined, { hasOwnDocument: true });
  });
  after(async () => {
    client.close();
    await sample.close();
  });
  it('is served with its assets, under a Content-Security-Policy that allows only them and works over plain HTTP', async () => {
    for (const path of [
      '/docs',
      '/docs/initializer.js',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/favicon-32x32.png',
    ]) {
      const answer = await client.get(path);
      expect(answer.status, path).to.equal(200);
      const policy = String(answer.headers['content-security-policy']);
      expect(policy)
        .to.contain("default-src 'none'")
        .and.to.contain("script-src 'self';")
        .and.not.to.contain('upgrade-insecure-requests');
      expect(answer.headers).not.to.have.property('strict-transport-security');
    }
    expect((await client.get('/docs')).text).not.to.match(/https?:\/\//);
    expect((await client.get('/docs/initializer.js')).text).to.contain('validatorUrl: null');
  });
  it('serves no other paths below it', async () => {
    for (const path of [
      '/docs/package.json',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/nothing',
    ]) {
      expect((await client.get(path)).json.code, path).to.equal('E4004');
    }
  });
});

describeUnless(browserMissing(), '/docs in a browser', () => {
  let sample: Sample;
  let seen: Visit;
  let page: Page;
  before(async () => {
    sample = await startSample();
    seen = await visit();
    ({ page } = seen);
    await page.goto(`${sample.baseUrl}/docs`);
    await page.waitForSelector('.opblock');
  });
  after(async () => {
    await seen?.close();
    await sample?.close();
  });

  it('shows every operation', async () => {
    const shown = await page.locator('.opblock').count();
    const operations = Object.values(sample.app.document().paths).flatMap((methods) => Object.keys(methods));
    expect(shown).to.equal(operations.length);
  });
  it('can send a request to an operation with a key', async () => {
    await page.locator('button.authorize').first().click();
    await page.locator('.auth-container input').first().fill('writer');
    await page.locator('.auth-btn-wrapper button.authorize').first().click();
    await page.locator('.auth-btn-wrapper button.btn-done').first().click();
    const operation = page.locator('#operations-Things-getThing');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('tr[data-param-name="id"] input').fill('seen-in-browser');
    await operation.locator('button.execute').click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').innerText()).to.match(/^200/);
    expect(await answer.innerText()).to.contain('seen-in-browser');
  });
  it('sends no request to another host, and causes no browser errors', () => {
    expect(seen.requests.length).to.be.above(4);
    expect(foreignRequests(seen, sample.baseUrl)).to.deep.equal([]);
    expect(seen.complaints).to.deep.equal([]);
  });
});
