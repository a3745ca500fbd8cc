// Tests with a PostgreSQL server that becomes read-only: requests are refused with E6002, accepted work waits and resumes afterwards.
import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import { accessOf, startTestServer } from '../support/database.ts';
import { startIngress, startWorker, TEST_PEPPER, type TestService } from '../support/process.ts';
import { bootstrapAt } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const BURST = 40;
/** Longer than the lifetime of every cache. */
const READ_ONLY_MS = 2_500;
/** A worker polls each of its queues every half second, and its own tables a few times a second. */
const MOST_FAILURES_A_SECOND = 200;

describe('a PostgreSQL server that turns read-only', function suite() {
  this.timeout(120_000);
  let server: Embedded;
  let admin: pg.Client;
  let running: TestService[] = [];
  let client: Client;

  before(async () => {
    server = await startTestServer();
    await migrate(accessOf(server), TEST_PEPPER);
    const { key } = await bootstrapAt(server.url);
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal' };
    running = await Promise.all([startWorker(server.url, env), startIngress(server.url, env)]);
    client = createClient(running[1]?.address ?? '', key);
  });
  after(async () => {
    client?.close();
    await Promise.all(running.map((one) => one.stop()));
    await admin.end();
    await server.stop('immediate');
  });

  const rows = async <Row extends object>(text: string): Promise<Row[]> => (await admin.query(text)).rows as Row[];
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await admin.query('SELECT pg_reload_conf()');
  };
  let next = 0;
  const submit = (): Promise<ClientResponse> =>
    client.post('/v1/intents', { agentId: 'submitted', action: 'read', resource: `db/open/${(next += 1)}` });
  const REQUESTS: readonly (readonly [string, () => Promise<ClientResponse>])[] = [
    ['intent', submit],
    ['enforce', () => client.post('/v1/enforce', { agent_id: 'a', intent: 'read:db/open/a' })],
    [
      'enforce, idempotent',
      () =>
        client.post(
          '/v1/enforce',
          { agent_id: 'a', intent: 'read:db/open/a' },
          { headers: { 'idempotency-key': `key-${(next += 1)}` } },
        ),
    ],
    ['proof', () => client.post('/v1/proofs', { event: 'test.made', entityId: 'thing', payload: {} })],
    ['signals', () => client.post('/v1/trust/signals', { signals: [{ agentId: 'a', type: 'success' }] })],
    ['agent', () => client.post('/v1/agents', { name: 'an agent' })],
    ['halt', () => client.post('/v1/halt', { reason: 'test' })],
  ];
  const rolledBack = async (): Promise<number> => {
    const [row] = await rows<{ n: number }>(
      'SELECT xact_rollback::float8 AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.n ?? 0;
  };

  it('causes E6002, is named to operators, loses no accepted work, and all of it is decided once writes work again', async () => {
    const accepted = await Promise.all(Array.from({ length: BURST }, submit));
    await setReadOnly('on');
    const begunMs = performance.now();
    const readOnly = async (): Promise<boolean> => (await submit()).status === 503;
    await waitFor(readOnly, { what: 'the server to be read-only' });
    const failedBefore = await rolledBack();
    const countedMs = performance.now();
    while (performance.now() - begunMs < READ_ONLY_MS) {
      for (const [name, send] of REQUESTS) {
        const answer = await send();
        expect([answer.status, answer.json.code], `${name}: ${answer.text}`).to.deep.equal([503, 'E6002']);
        expect(Number(answer.headers['retry-after']), name).to.be.at.least(1);
        expect(answer.json.retryable, name).to.equal(true);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const { address } of running) expect((await fetch(`${address}/ready`)).status).to.equal(503);
    const toOperator = await client.get('/ready');
    expect(toOperator.json.status).to.equal('not_ready');
    expect(toOperator.json.checks.find(({ name }: { name: string }) => name === 'database')).to.deep.equal({
      name: 'database',
      ok: false,
      detail: 'PostgreSQL is read-only',
    });
    const failures = (await rolledBack()) - failedBefore;
    expect(failures / ((performance.now() - countedMs) / 1_000)).to.be.below(MOST_FAILURES_A_SECOND);
    expect(await rows('SELECT FROM dead_job')).to.deep.equal([]);
    await setReadOnly('off');
    await waitFor(async () => (await client.get('/ready')).status === 200, { what: 'ingress to be ready' });
    const worker = running[0]?.address ?? '';
    await waitFor(async () => (await fetch(`${worker}/ready`)).status === 200, { what: 'the worker to be ready' });
    await waitFor(
      async () => {
        const [row] = await rows<{ n: number }>(
          "SELECT (SELECT count(*) FROM intent WHERE status IN ('queued', 'evaluating'))::int + (SELECT count(*) FROM log_inbox)::int AS n",
        );
        return row?.n === 0;
      },
      { what: 'everything accepted to be carried out' },
    );
    const intents = await rows<{ intent_id: string; status: string }>('SELECT intent_id, status FROM intent');
    expect(new Set(intents.map(({ status }) => status))).to.deep.equal(new Set(['decided']));
    const taken = accepted.filter(({ status }) => status === 202).map(({ json }) => json.intentId as string);
    expect(intents.map((row) => row.intent_id)).to.include.members(taken);
    expect(await rows('SELECT FROM dead_job')).to.deep.equal([]);
  });
});
