// Running processes in a real Prometheus with the files of docs/operations: every expression has data, and alerts fire, last and end.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Client } from '../support/client.ts';
import type { Family } from '../support/exposition.ts';
import type { TestService } from '../support/process.ts';
import {
  alertRules,
  type Prometheus,
  readOperations,
  startPrometheus,
  whyNoPrometheus,
} from '../support/prometheus.ts';
import { describeUnless } from '../support/skip.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

export interface Scraped {
  readonly ingress: TestService;
  readonly worker: TestService;
  readonly db: Database;
  readonly client: Client;
  readonly key: string;
  read(service: TestService): Promise<Map<string, Family>>;
}

/** Alerts whose expression has no data while all is well, even without its comparison. */
const WITHOUT_DATA = [
  // absent() has a value only when the gauge has none.
  'CustosNothingKnown',
  // No request has failed, so the series of failures do not exist yet.
  'CustosErrors',
  // No rule of these policies has a budget.
  'CustosBudgetAlmostUsed',
  // It needs the data of a day.
  'CustosVerdictMixJumped',
];
/** From the freeze to the alert that fires, at a scrape and an evaluation each second. */
const ALERT_WITHIN_MS = 5_000;

/** The expressions of the Grafana dashboard. */
export function boardExpressions(): string[] {
  const { panels } = JSON.parse(readOperations('grafana-dashboard.json')) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '10s')));
}

/** The expressions of alerts without their filters: `bool` makes a comparison 0 or 1. */
const alertExpressions = (): string[] =>
  alertRules()
    .filter(({ alert }) => !WITHOUT_DATA.includes(alert))
    .map(({ expr }) => expr.replaceAll(/ (==|[<>]=?) /g, ' $1 bool '));

/** Submits about thirty intents a second until it is stopped. @returns the id of the last one */
async function submitUntil(client: Client, signal: AbortSignal): Promise<string> {
  for (;;) {
    const { json } = await client.post('/v1/intents', { agentId: 'a', action: 'read', resource: 'file:a' });
    if (signal.aborted) return json.intentId;
    await delay(30);
  }
}

/** Tests within a suite that runs the processes. */
export function prometheusSuite(scraped: () => Scraped): void {
  describeUnless(whyNoPrometheus(), 'in a real Prometheus', () => {
    let prometheus: Prometheus;
    const fires = async (alert: string): Promise<boolean> => (await prometheus.firing()).includes(alert);
    const quiet = (): Promise<boolean> =>
      waitFor(async () => (await prometheus.firing()).length === 0, { what: 'no alert to fire' });

    before(async () => {
      const { ingress, worker, key } = scraped();
      const targets = { 'custos-ingress': ingress.address, 'custos-workers': worker.address };
      prometheus = await startPrometheus(targets, key);
    });
    after(() => prometheus.stop());

    it('have data for every expression of the Grafana dashboard and of the alerts, none of which fires', async () => {
      const expressions = [...boardExpressions(), ...alertExpressions()];
      let missing: string[] = expressions;
      await waitFor(
        async () => {
          const answers = await Promise.all(missing.map((expression) => prometheus.query(expression)));
          missing = missing.filter((_, i) => answers[i]?.length === 0);
          return missing.length === 0;
        },
        { intervalMs: 200, what: 'data' },
      ).catch((error: unknown) => {
        throw new Error(`no data for ${missing.join('\n')}`, { cause: error });
      });
      expect(await prometheus.firing()).to.deep.equal([]);
    });

    it('count no statement of their own as one that waits for a connection', async () => {
      const waits = await prometheus.query('count by (pool) (max_over_time(custos_database_connection_waits[1m]))');
      expect(waits.map(({ metric }) => metric['pool'])).to.have.members(['service', 'queues']);
    });

    it('report workers that are frozen under load within five seconds, and their backlog, until it is over', async () => {
      const { client, db, ingress, read, worker } = scraped();
      const took = await leastMs(ALERT_WITHIN_MS, async () => {
        const stop = new AbortController();
        const submitting = submitUntil(client, stop.signal);
        await delay(200);
        process.kill(worker.pid, 'SIGSTOP');
        try {
          const startedMs = performance.now();
          await waitFor(() => fires('CustosNoWorkers'));
          const tookMs = performance.now() - startedMs;
          expect((await read(ingress)).get('custos_workers_alive')?.samples[0]?.value).to.equal(0);
          await waitFor(async () => (await client.get('/ready')).json.degraded.includes('workers'), {
            what: 'workers to be reported as degraded',
          });
          stop.abort();
          await db.query("UPDATE intent SET open_since = now() - interval '36 seconds' WHERE intent_id = $1", [
            await submitting,
          ]);
          await waitFor(async () => {
            expect(await fires('CustosNoWorkers'), 'it lasts').to.equal(true);
            return fires('CustosQueueBehind');
          });
          const ages = (await read(ingress)).get('custos_queue_oldest_waiting_seconds')?.samples;
          expect(ages?.find(({ labels }) => labels['queue'] === 'intents')?.value).to.be.at.least(36);
          return tookMs;
        } finally {
          stop.abort();
          process.kill(worker.pid, 'SIGCONT');
          await quiet();
        }
      });
      expect(took).to.be.below(ALERT_WITHIN_MS);
    });

    it('report an environment that is halted, until it is resumed', async () => {
      const { client } = scraped();
      await client.post('/v1/halt', { reason: 'incident 42' });
      const [halted] = await waitFor(async () => {
        const found = await prometheus.query('ALERTS{alertname="CustosHalted",alertstate="firing"}');
        return found.length > 0 && found;
      });
      expect(halted?.metric).to.include({ environment: 'live', severity: 'warning' });
      await client.delete('/v1/halt');
      await quiet();
    });
  });
}
