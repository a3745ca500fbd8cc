// Ingress killed while it answers batches under an Idempotency-Key: after repeats each member has one decision, and it is the one
// that the repeat's answer names.
import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/platform/db/database.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, PATIENCE, type TestDatabase } from '../support/database.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { TEST_SEALS } from '../support/seals.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const ROUNDS = 10;
/** Processes that are killed, one after the other, before the next ones start together. */
const TOGETHER = 2;
const LANES = 6;
const MEMBERS = 5;
/** The latest moment of a kill after the first batch is sent: a batch takes some tens of milliseconds. */
const KILL_WITHIN_MS = 250;

interface Batch {
  readonly name: string;
  /** Text of the answer, when one came. */
  answer?: string;
}

describe('batches under an Idempotency-Key, while ingress is killed', function suite() {
  this.timeout(180_000);
  let database: TestDatabase;
  let db: Database;
  let key: string;
  let worker: TestService;
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal' };
  before(async () => {
    database = await createTestDatabase();
    db = await openDatabase({
      seals: TEST_SEALS,
      url: database.url,
      applicationName: 'custos-test',
      ...PATIENCE,
      poolSize: 2,
      onError: () => undefined,
    });
    ({ key } = await bootstrap(db));
    worker = await startWorker(database.url, env);
  });
  after(async () => {
    await worker.stop();
    await db.close();
    await database.drop();
  });

  const agentOf = ({ name }: Batch, i: number): string => `${name}-${i}`;
  const send = (client: Client, batch: Batch) =>
    client.post(
      '/v1/enforce/batch',
      {
        requests: Array.from({ length: MEMBERS }, (_, i) => ({
          agent_id: agentOf(batch, i),
          // One of each verdict that opens something: the last is escalated by the shipped policies.
          intent: i === MEMBERS - 1 ? 'nonsense.unknown.thing' : 'data.read.user_profile',
        })),
      },
      { headers: { 'idempotency-key': batch.name } },
    );

  /** Sends batches until the process is gone. @returns all that were sent */
  const sendUntilKilled = async (ingress: TestService, round: number): Promise<Batch[]> => {
    const client = createClient(ingress.address, key);
    // The document that answers are held against is read before.
    await client.get('/health');
    const sent: Batch[] = [];
    let isGone = false;
    const lane = async (n: number): Promise<void> => {
      for (let i = 0; !isGone; i += 1) {
        const batch: Batch = { name: `r${round}-${n}-${i}` };
        sent.push(batch);
        try {
          const answer = await send(client, batch);
          expect([200, 503], answer.text).to.include(answer.status);
          if (answer.status === 200 && !answer.text.includes('"error"')) batch.answer = answer.text;
        } catch (error) {
          if (!/ECONNRESET|ECONNREFUSED|EPIPE|socket hang up/.test(String(error))) throw error;
          isGone = true;
        }
      }
    };
    const killed = new Promise<void>((resolve, reject) => {
      setTimeout(() => void ingress.kill().then(() => resolve(), reject), randomInt(KILL_WITHIN_MS));
    });
    await Promise.all([...Array.from({ length: LANES }, (_, n) => lane(n)), killed]);
    client.close();
    return sent;
  };

  it('each member has one decision after repeats, and the repeat names it', async () => {
    const batches: Batch[] = [];
    for (let round = 0; round < ROUNDS; round += TOGETHER) {
      const started = await Promise.all(Array.from({ length: TOGETHER }, () => startIngress(database.url, env)));
      for (const [i, ingress] of started.entries()) batches.push(...(await sendUntilKilled(ingress, round + i)));
    }
    const unanswered = batches.filter(({ answer }) => answer === undefined);
    expect(unanswered.length, 'some were under way when their process was killed').to.be.at.least(ROUNDS);

    const ingress = await startIngress(database.url, env);
    const client = createClient(ingress.address, key);
    try {
      for (const batch of [...unanswered, ...batches.filter(({ answer }) => answer !== undefined).slice(-20)]) {
        const repeated = await waitFor(
          async () => {
            const answer = await send(client, batch);
            // 409: the killed process still holds it, for ten seconds.
            expect([200, 409, 503], answer.text).to.include(answer.status);
            return answer.status === 200 && !answer.text.includes('"error"') ? answer : undefined;
          },
          { what: `the repeat of ${batch.name}`, intervalMs: 200 },
        );
        if (batch.answer !== undefined) expect(repeated.text, batch.name).to.equal(batch.answer);
        batch.answer = repeated.text;
      }
      const found = new Map<string, string[]>();
      const rows = await db.query<{ agent_id: string; decision_id: string }>(
        { name: 'test-decisions', text: "SELECT agent_id, decision_id FROM decision WHERE agent_id LIKE 'r%'" },
        [],
      );
      for (const row of rows) found.set(row.agent_id, [...(found.get(row.agent_id) ?? []), row.decision_id]);
      for (const batch of batches) {
        const { decisions } = JSON.parse(batch.answer ?? '') as { decisions: { decision_id: string }[] };
        for (const [i, { decision_id: id }] of decisions.entries())
          expect(found.get(agentOf(batch, i)), agentOf(batch, i)).to.deep.equal([id]);
      }
      expect(found.size).to.equal(batches.length * MEMBERS);
    } finally {
      client.close();
      await ingress.stop();
    }
  });
});
