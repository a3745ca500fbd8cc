// Processes with a wrong wall clock: stored and compared times come from the database, and the error is reported.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { type Client, createClient } from '../support/client.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { createReadyDatabase } from '../support/service.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';

const MINUTE_MS = 60_000;
const SHIFTER = pathToFileURL(path.join(findRoot(), 'dist', 'test', 'support', 'shifted-clock.js')).href;

const shifted = (byMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${SHIFTER}`,
  TEST_CLOCK_SHIFT_MS: String(byMs),
});

function suite(title: string, reason: string | undefined, startRedis: () => Promise<TestRedis | undefined>): void {
  describeUnless(reason, `processes with a wrong clock, with queues in ${title}`, () => {
    let database: TestDatabase;
    let db: Database;
    let redis: TestRedis | undefined;
    let env: Record<string, string>;
    let key: string;
    /** A worker whose clock is right. */
    let right: TestService | undefined;
    let ingress: TestService;
    let client: Client;

    before(async () => {
      redis = await startRedis();
      const ready = await createReadyDatabase();
      ({ key } = ready);
      database = ready;
      db = await openTestDatabase(database.url);
      env = {
        CUSTOS_RATE_LIMIT: 'off',
        CUSTOS_APPROVAL_TTL: '1800',
        CUSTOS_POLICY_DIR: folderWithFewWords(),
        ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      };
      ingress = await startIngress(database.url, env);
      client = createClient(ingress.address, key);
    });
    after(async () => {
      client.close();
      await Promise.all([right?.stop(), ingress.stop()]);
      await db.close();
      await database.drop();
      await redis?.close();
    });

    /** Successful runs: on a busy machine one may fail, and is then counted apart. */
    const runsOf = async (worker: TestService, name: string): Promise<number> => {
      const text = await (await fetch(`${worker.address}/metrics`, { headers: { 'x-api-key': key } })).text();
      const labels = `queue="upkeep",name="${name}",outcome="completed"`;
      return Number(new RegExp(`^custos_job_duration_seconds_count\\{${labels}\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    };
    const readinessOf = async (service: TestService): Promise<string> =>
      (await fetch(`${service.address}/ready`, { headers: { 'x-api-key': key } })).text();
    const databaseMs = async (): Promise<number> =>
      (await db.query<{ at: Date }>('SELECT clock_timestamp() AS at', []))[0]?.at.getTime() ?? 0;

    it('a worker an hour ahead expires nothing, reports its clock, and does not stop the work of others', async () => {
      const asked = await client.post('/v1/enforce', { agent_id: 'a', intent: 'frobnicate:infra/cluster_9' });
      expect(asked.json).to.include({ verdict: 'ESCALATE' });
      const approvalId = asked.json.approval.approval_id;
      // The only worker, so that it runs the job that expires approvals.
      const ahead = await startWorker(database.url, { ...env, ...shifted(60 * MINUTE_MS) });
      try {
        await waitFor(async () => (await runsOf(ahead, 'expire-approvals')) >= 2, {
          what: 'approvals to be looked through twice',
        });
        expect((await client.get(`/v1/approvals/${approvalId}`)).json).to.include({ status: 'pending' });
        expect(await readinessOf(ahead)).to.match(
          /the clock of this machine is 3(600|599|601) s ahead of the database/,
        );
        expect(ahead.stdout() + ahead.stderr()).to.include('ahead of the database');
      } finally {
        await ahead.stop();
      }
      const next = await startWorker(database.url, env);
      right = next;
      const before = await runsOf(next, 'sweep');
      await waitFor(async () => (await runsOf(next, 'sweep')) >= before + 3, {
        what: 'upkeep to continue after a worker that was an hour ahead',
      });
      expect((await client.get(`/v1/approvals/${approvalId}`)).json).to.include({ status: 'pending' });
    });

    // The ingress handles time in the same way with either queue store, so one suffices.
    const shifts = [
      ['ahead', 10 * MINUTE_MS],
      ['behind', -10 * MINUTE_MS],
    ] as const;
    for (const [what, byMs] of title === 'Redis' ? [] : shifts)
      it(`an ingress ten minutes ${what} timestamps intents with the database's time, so that lists are in order`, async () => {
        const wrong = await startIngress(database.url, { ...env, ...shifted(byMs) });
        const other = createClient(wrong.address, key);
        try {
          const sinceMs = await databaseMs();
          const accepted = await other.post('/v1/intents', { agentId: 'a', action: 'read', resource: 'db/open/a' });
          expect(accepted.status).to.equal(202);
          const { intentId } = accepted.json;
          const read = await waitFor(async () => {
            const answer = await client.get(`/v1/intents/${intentId}`);
            return ['decided', 'failed'].includes(answer.json.status) && answer.json;
          });
          expect(read.status).to.equal('decided');
          const untilMs = await databaseMs();
          // A process knows the database's time only to within about one round trip.
          for (const at of [read.submittedAt, read.updatedAt])
            expect(Date.parse(at)).to.be.within(sinceMs - 1_000, untilMs + 1_000);
          const again = await client.post('/v1/intents', { agentId: 'a', action: 'read', resource: 'db/open/b' });
          const list = await client.get('/v1/intents?limit=2');
          expect(list.json.items.map((one: { intentId: string }) => one.intentId)).to.deep.equal([
            again.json.intentId,
            intentId,
          ]);
          expect(await readinessOf(wrong)).to.include(what === 'ahead' ? 'ahead of' : 'behind');
          expect(await readinessOf(ingress)).not.to.include('the clock of this machine');
        } finally {
          other.close();
          await wrong.stop();
        }
      });
  });
}

suite('PostgreSQL', undefined, async () => undefined);
suite('Redis', whyNoRedis(), startTestRedis);
