// Tests with an unavailable synchronous standby: commits hang, but requests do not, and sessions do not accumulate.
import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { createClient } from '../support/client.ts';
import { startTestServer } from '../support/database.ts';
import { TEST_PEPPER, startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrapAt } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const POOL = 4;

describe('a synchronous standby that is away', () => {
  let server: Embedded;
  let admin: pg.Client;
  let key: string;
  let running: TestService[] = [];

  before(async function () {
    this.timeout(120_000);
    server = await startTestServer();
    await migrate({ databaseUrl: server.url, migrationDatabaseUrl: server.adminUrl }, TEST_PEPPER);
    ({ key } = await bootstrapAt(server.url));
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', CUSTOS_DATABASE_POOL: String(POOL) };
    running = [await startWorker(server.url, env), await startIngress(server.url, env)];
  });
  after(async function () {
    this.timeout(120_000);
    await Promise.all(running.map((service) => service.stop()));
    await admin.end();
    await server.stop('immediate');
  });

  const waitForStandby = async (name: string): Promise<void> => {
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await admin.query('SELECT pg_reload_conf()');
  };
  const sessions = async (): Promise<Map<string, number>> => {
    const { rows } = await admin.query<{ name: string; n: number }>(
      "SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1",
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  };

  it('causes E6002 in time without more sessions than the pools have, and a repeat succeeds once it is back', async function () {
    this.timeout(120_000);
    const client = createClient(running[1]?.address ?? '', key);
    const ask = (i: number): ReturnType<typeof client.post> =>
      client.post(
        '/v1/enforce',
        { agent_id: `agent-${i}`, intent: 'read:db/open/a' },
        { headers: { 'idempotency-key': `key-${i}` } },
      );
    expect((await ask(0)).status).to.equal(200);
    await waitForStandby('nobody');
    let asked = 1;
    const begunMs = performance.now();
    try {
      let slowestMs = 0;
      await waitFor(
        async () => {
          const startedMs = performance.now();
          const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => ask(asked + i)));
          slowestMs = Math.max(slowestMs, performance.now() - startedMs);
          asked += 5;
          for (const { status, json } of answers) {
            expect(status).to.equal(503);
            expect(json.code).to.equal('E6002');
          }
          const open = await sessions();
          expect(open.get('custos-ingress') ?? 0).to.be.at.most(POOL);
          expect(open.get('custos-workers') ?? 0).to.be.at.most(POOL);
          expect(Math.max(...open.values())).to.be.at.most(POOL);
          return performance.now() - begunMs > 10_000;
        },
        { timeoutMs: 60_000, intervalMs: 1_000 },
      );
      // Two seconds on an idle machine.
      expect(slowestMs).to.be.below(4_000);
    } finally {
      await waitForStandby('');
    }
    await waitFor(async () => (await ask(asked)).status === 200, { timeoutMs: 30_000 });
    for (let i = 0; i < asked; i += 1)
      await waitFor(async () => (await ask(i)).status === 200, { timeoutMs: 30_000, what: `the repeat of key-${i}` });
    const { rows } = await admin.query<{ agents: number; decisions: number }>(
      "SELECT count(DISTINCT agent_id)::int AS agents, count(*)::int AS decisions FROM decision WHERE agent_id LIKE 'agent-%'",
    );
    expect(rows[0]).to.deep.equal({ agents: asked + 1, decisions: asked + 1 });
    client.close();
  });
});
