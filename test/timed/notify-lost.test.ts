// Tests of lost notifications: LISTEN connections are cut, and every change still takes effect in all processes within a second.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Client, createClient } from '../support/client.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startIngress, type TestService } from '../support/process.ts';
import { createReadyDatabase } from '../support/service.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

const OBEYED_MS = 1_000;
/** Polling without a pause would take all of a processor. */
const POLL_EVERY_MS = 5;

describe('two ingress processes whose notifications are lost', () => {
  let database: TestDatabase;
  let db: Database;
  let processes: TestService[];
  let here: Client;
  let there: Client;
  before(async () => {
    const ready = await createReadyDatabase();
    database = ready;
    db = await openTestDatabase(database.url);
    const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal' };
    processes = await Promise.all([startIngress(database.url, env), startIngress(database.url, env)]);
    here = createClient(processes[0]?.address ?? '', ready.key);
    there = createClient(processes[1]?.address ?? '', ready.key);
  });
  after(async () => {
    here.close();
    there.close();
    await Promise.all(processes.map((one) => one.stop()));
    await db.close();
    await database.drop();
  });

  /** Cuts the LISTEN connection of each process, after the connections that were cut before are open again. */
  const deafen = async (): Promise<void> => {
    await waitFor(async () => (await listeners('SELECT pid')).length === processes.length, {
      what: 'all processes to listen',
    });
    await listeners('SELECT pg_terminate_backend(pid)');
  };
  const listeners = (select: string): Promise<object[]> =>
    db.query(
      `${select} FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'custos-changes' AND query LIKE 'LISTEN%'`,
      [],
    );
  /** Makes a change in one process and polls the other. @returns the time from the change to the last answer without it */
  const lag = async (change: () => Promise<unknown>, obeys: () => Promise<boolean>): Promise<number> => {
    await deafen();
    await change();
    const changedMs = performance.now();
    for (let lastMs = 0; ; ) {
      const sentMs = performance.now();
      if (await obeys()) return lastMs;
      lastMs = sentMs - changedMs;
      await delay(POLL_EVERY_MS);
      if (lastMs > 10_000) throw new Error('the change never took effect');
    }
  };
  const reason = async (agent_id: string): Promise<string> =>
    (await there.post('/v1/enforce', { intent: 'data.read.x', agent_id })).json.reasons[0].code;

  it('refuse a revoked key within a second', async () => {
    const revocation = async (): Promise<number> => {
      const { key, keyId } = (await here.post('/v1/auth/keys', { name: 'k', scopes: ['agents:read'] })).json;
      const revoked = there.withKey(key);
      expect((await revoked.get('/v1/agents')).status).to.equal(200);
      return lag(
        () => here.delete(`/v1/auth/keys/${keyId}`),
        async () => (await revoked.get('/v1/agents')).json.code === 'E1002',
      );
    };
    expect(await leastMs(OBEYED_MS, revocation)).to.be.below(OBEYED_MS);
  });

  for (const status of ['PAUSED', 'SUSPENDED', 'TERMINATED'])
    it(`deny an agent within a second after it was ${status}`, async () => {
      let attempts = 0;
      const change = async (): Promise<number> => {
        const agentId = `${status}-${(attempts += 1)}`;
        await here.post('/v1/agents', { agentId, name: 'x' });
        expect(await reason(agentId)).to.equal('READ_OPEN');
        return lag(
          () => here.patch(`/v1/agents/${agentId}`, { status }),
          async () => (await reason(agentId)) === 'AGENT_NOT_ACTIVE',
        );
      };
      expect(await leastMs(OBEYED_MS, change)).to.be.below(OBEYED_MS);
    });

  it('apply a halt within a second, and also its end', async () => {
    expect(await reason('a')).to.equal('READ_OPEN');
    const haltAndLift = async (): Promise<number> => {
      const haltedMs = await lag(
        () => here.post('/v1/halt', { reason: 'test' }),
        async () => (await reason('a')) === 'HALTED',
      );
      const liftedMs = await lag(
        () => here.delete('/v1/halt'),
        async () => (await reason('a')) === 'READ_OPEN',
      );
      return Math.max(haltedMs, liftedMs);
    };
    expect(await leastMs(OBEYED_MS, haltAndLift)).to.be.below(OBEYED_MS);
  });
});
