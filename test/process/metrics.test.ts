// The Prometheus exposition of an ingress and a worker process, and the metric names in alerts and the Grafana dashboard.
import { expect } from 'chai';
import { INSTALLATION_GAUGES } from '../../shared/domain/installation/gauges.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Family, readExposition } from '../support/exposition.ts';
import { alertRules } from '../support/prometheus.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { boardExpressions, prometheusSuite } from './metrics-prometheus.ts';
import { type Receiver, startReceiver, verified } from '../support/webhooks.ts';

/** The Custos metric names in a PromQL expression, without the suffixes of a histogram's series. */
const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:custos|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

describe('the metrics of running processes', () => {
  let database: TestDatabase;
  let db: Database;
  let ingress: TestService;
  let worker: TestService;
  let receiver: Receiver;
  let client: Client;
  let key: string;
  let secret: string;
  let exposed: { ingress: Map<string, Family>; worker: Map<string, Family> };

  const read = async ({ address }: TestService): Promise<Map<string, Family>> =>
    readExposition(await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text());

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    ({ key } = await bootstrap(db));
    receiver = await startReceiver();
    const env = {
      CUSTOS_WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
      CUSTOS_METRICS: 'private',
      CUSTOS_POLICY_DIR: folderWithFewWords(),
    };
    [ingress, worker] = await Promise.all([startIngress(database.url, env), startWorker(database.url, env)]);
    client = createClient(ingress.address, key, { patient: true });
    ({ secret } = (await client.post('/v1/webhooks', { url: receiver.url, events: ['decision.made'] })).json);
    await client.post('/v1/enforce', { intent: 'data.read.report', agent_id: 'a "quoted"\\agent' });
    await client.post('/v1/enforce', { intent: 'payments.transfer.money', agent_id: 'a' });
    const submitted = { agentId: 'a', action: 'read', resource: 'file:a' };
    await client.post('/v1/intents', submitted);
    const call = { server: 'a "quoted"\\server', name: 'any', arguments: { path: '/srv/a' } };
    await client.post('/v1/enforce', { tool: call, agent_id: 'a' });
    await client.get('/v1/agents/no%22body');
    await waitFor(() => receiver.received.length >= 4, { what: 'four decisions to be delivered' });
    // The audit metric appears after the first audit; the others exist from the start.
    await waitFor(async () => (await read(worker)).get('custos_audit_ok')?.samples[0]);
    exposed = { ingress: await read(ingress), worker: await read(worker) };
  });

  after(async () => {
    client.close();
    await Promise.all([ingress.stop(), worker.stop(), receiver.close()]);
    await db.close();
    await database.drop();
  });

  it('are valid exposition format: a strict parser accepts every line, and histograms add up', () => {
    expect(exposed.ingress.get('custos_http_request_duration_seconds')?.type).to.equal('histogram');
    expect(exposed.worker.get('custos_job_duration_seconds')?.type).to.equal('histogram');
    const verdicts = exposed.ingress.get('custos_decisions_total')?.samples ?? [];
    expect(verdicts.reduce((sum, { value }) => sum + value, 0)).to.equal(3);
    const ofTools = exposed.ingress.get('custos_tool_decisions_total')?.samples ?? [];
    expect(ofTools.filter(({ value }) => value > 0)).to.deep.equal([
      { name: 'custos_tool_decisions_total', labels: { verdict: 'ESCALATE', tool: 'unknown' }, value: 1 },
    ]);
  });

  it('count the decisions that a worker made of submitted intents', () => {
    const verdicts = exposed.worker.get('custos_decisions_total')?.samples ?? [];
    expect(verdicts.reduce((sum, { value }) => sum + value, 0)).to.equal(1);
    expect(exposed.worker.get('custos_tool_decisions_total')?.samples).to.have.length(12);
  });

  it('have no gauge on workers alone, except those of the process', () => {
    const gauges = (families: Map<string, Family>): string[] =>
      [...families.values()]
        .filter(({ name, type }) => name.startsWith('custos_') && type === 'gauge')
        .map(({ name }) => name);
    expect(gauges(exposed.worker).filter((name) => !gauges(exposed.ingress).includes(name))).to.deep.equal([]);
  });

  it('count the attempts to send webhooks, which a worker made from the decisions', () => {
    for (const message of receiver.received) verified(secret, message);
    const attempts = exposed.worker.get('custos_webhook_attempts_total')?.samples ?? [];
    expect(attempts.find(({ labels }) => labels['outcome'] === 'delivered')?.value).to.be.at.least(1);
    expect(exposed.worker.get('custos_webhook_oldest_seconds')?.samples).to.have.length(1);
  });

  it('follow the naming rules: counters end in _total, times in _seconds, all have a help text', () => {
    for (const { name, type, help } of [...exposed.ingress.values(), ...exposed.worker.values()]) {
      expect(help, name).to.match(/\S/);
      if (!name.startsWith('custos_')) continue;
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name, 'base units only').not.to.match(/_(ms|millis|milliseconds|kb|mb|percent)(_|$)/);
      expect(type !== 'histogram' || name.endsWith('_seconds') || name.endsWith('_bytes'), name).to.equal(true);
    }
  });

  it('have no label whose cardinality grows with the input of callers', () => {
    const bounded = new Set([
      'route',
      'method',
      'status',
      'verdict',
      'queue',
      'state',
      'name',
      'outcome',
      'table',
      'organisation',
      'environment',
      'le',
      'result',
      'tool',
      'pool',
    ]);
    const states = exposed.ingress.get('custos_tool_decisions_total')?.samples.map(({ labels }) => labels['tool']);
    expect(new Set(states)).to.deep.equal(new Set(['known', 'changed', 'unknown']));
    for (const { name, samples } of [...exposed.ingress.values(), ...exposed.worker.values()])
      if (name.startsWith('custos_'))
        for (const { labels } of samples)
          for (const label of Object.keys(labels)) expect([...bounded], name).to.include(label);
  });

  /** Fails with names of metrics that none of the families has, and for an expression without any. */
  const checkNames = (expressions: readonly string[], ...families: readonly Map<string, Family>[]): void => {
    const known = new Set(families.flatMap((map) => [...map.keys()]));
    expect(expressions.length).to.be.greaterThan(20);
    for (const expression of expressions) {
      const names = metricsIn(expression);
      expect(names.length, expression).to.be.greaterThan(0);
      for (const name of names) expect([...known], expression).to.include(name);
    }
  };

  it('include every metric that an alert rule names on ingress, so that alerts do not end with the workers', () => {
    checkNames(
      alertRules().map(({ expr }) => expr),
      exposed.ingress,
    );
  });

  it('include every metric that the Grafana dashboard shows', () => {
    checkNames(boardExpressions(), exposed.ingress, exposed.worker);
  });

  prometheusSuite(() => ({ ingress, worker, db, client, key, read }));

  describe('on ingress, while no worker runs', () => {
    before(() => worker.stop());

    it('have every gauge about shared state, with a value', async () => {
      const own = await read(ingress);
      // No rule of these policies has a budget.
      const expected = INSTALLATION_GAUGES.filter((name) => name !== 'custos_budget_used_ratio');
      const missing = expected.filter((name) => (own.get(name)?.samples ?? []).length === 0);
      expect(missing).to.deep.equal([]);
      expect(INSTALLATION_GAUGES.length).to.be.at.least(18);
    });

    it('count the approvals that wait for a human', async () => {
      const values = (family: Family | undefined) =>
        family?.samples.map(({ labels, value }) => [labels['environment'], value]);
      const own = await read(ingress);
      expect(values(own.get('custos_approvals_pending'))).to.deep.equal([['live', 1]]);
      expect(values(own.get('custos_approvals_expiring'))).to.deep.equal([['live', 0]]);
      await db.query("UPDATE approval SET expires_at = now() + interval '4 minutes'", []);
      await waitFor(async () => values((await read(ingress)).get('custos_approvals_expiring'))?.[0]?.[1] === 1);
    });
  });
});
