// Tests with an unavailable synchronous standby: commits hang, but requests do not, and sessions do not accumulate.
import { expect } from 'chai';
import { type Pair, startPair } from '../support/pair.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

const POOL = 4;

describe('a synchronous standby that is away', () => {
  let pair: Pair;
  before(async () => {
    pair = await startPair({ env: { CUSTOS_DATABASE_POOL: String(POOL) } });
  });
  after(async () => {
    await pair?.close();
  });

  const waitForStandby = (name: string): Promise<void> => pair.configure('synchronous_standby_names', name);
  const sessions = async (): Promise<Map<string, number>> => {
    const rows = await pair.rows<{ name: string; n: number }>(
      "SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1",
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  };

  it('causes E6002 in time without more sessions than the pools have, and a repeat succeeds once it is back', async () => {
    const { client } = pair;
    const ask = (i: number): ReturnType<typeof client.post> =>
      client.post(
        '/v1/enforce',
        { agent_id: `agent-${i}`, intent: 'read:db/open/a' },
        { headers: { 'idempotency-key': `key-${i}` } },
      );
    expect((await ask(0)).status).to.equal(200);
    await waitForStandby('nobody');
    let asked = 1;
    /** @returns the time of the slowest refusal within ten seconds, in milliseconds */
    const refused = async (): Promise<number> => {
      const begunMs = performance.now();
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
        { intervalMs: 1_000, what: 'refusals only, for ten seconds' },
      );
      return slowestMs;
    };
    try {
      // Two seconds on an idle machine.
      expect(await leastMs(4_000, refused)).to.be.below(4_000);
    } finally {
      await waitForStandby('');
    }
    await waitFor(async () => (await ask(asked)).status === 200, { what: 'decisions to be made again' });
    for (let i = 0; i < asked; i += 1)
      await waitFor(async () => (await ask(i)).status === 200, { what: `the repeat of key-${i}` });
    const rows = await pair.rows<{ agents: number; decisions: number }>(
      "SELECT count(DISTINCT agent_id)::int AS agents, count(*)::int AS decisions FROM decision WHERE agent_id LIKE 'agent-%'",
    );
    expect(rows[0]).to.deep.equal({ agents: asked + 1, decisions: asked + 1 });
  });
});
