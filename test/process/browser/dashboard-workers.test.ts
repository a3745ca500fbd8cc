// The dashboard when workers freeze: real processes, of which the last is stopped by a signal while the page is open.
import { expect } from 'chai';
import { browserMissing, type Visit } from '../../support/browser.ts';
import { visitDashboard } from '../../support/pages.ts';
import { startWorker, type TestService } from '../../support/process.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';
import { waitFor } from '../../support/wait.ts';

describeUnless(browserMissing(), 'the dashboard while workers come and go', () => {
  let service: Service;
  let worker: TestService;
  let seen: Visit;
  before(async () => {
    service = await startService();
    worker = await startWorker(service.databaseUrl);
    ({ seen } = await visitDashboard(service));
  });
  after(async () => {
    await worker?.kill();
    await seen?.close();
    await service?.close();
  });

  // Both leave out what a busy machine does not read in time.
  const workersOk = async (): Promise<boolean> => {
    const check = await waitFor(async () => {
      const { checks } = (await service.admin.get('/ready')).json as { checks: { name: string; ok: boolean }[] };
      return checks.find(({ name }) => name === 'workers');
    });
    return check.ok;
  };
  const gauge = (): Promise<string> =>
    waitFor(async () => /^custos_workers_alive (\d+)$/m.exec((await service.admin.get('/metrics')).text)?.[1]);

  it('reports that no worker is alive once the last one froze, as do /ready and the metrics', async () => {
    const { page } = seen;
    const workers = page.locator('.part', { hasText: 'Workers' });
    await waitFor(async () => (await workers.textContent())?.endsWith('alive') === true, {
      what: 'the page to show the worker',
    });
    expect([await workersOk(), await gauge()]).to.deep.equal([true, '1']);
    const frozenMs = performance.now();
    process.kill(worker.pid, 'SIGSTOP');
    const status = page.getByRole('region', { name: 'Status' });
    await status.getByText('No worker is running').waitFor();
    const sawMs = performance.now() - frozenMs;
    expect(await workersOk()).to.equal(false);
    // The gauge keeps what was read half a second ago, and for four seconds while the database does not answer in time.
    await waitFor(async () => (await gauge()) === '0', { what: 'the gauge to count no worker' });
    // The guarantee is 5 s on an idle machine; a run of all tests keeps the machine busy.
    expect(sawMs).to.be.below(20_000);
    expect(await page.locator('tr', { hasText: 'workers' }).textContent()).to.contain('no heartbeat for');
  });
});
