// Ingress killed at any moment: what was answered is on record, once, as it was answered; a repeat settles the rest.
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/platform/db/database.ts';
import { answerOfRecord } from '../../shared/core/decision/record.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, PATIENCE, type TestDatabase } from '../support/database.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { TEST_SEALS } from '../support/seals.ts';

/** An answer as its record has it: the promise is signed anew whenever a decision is read. */
function unpromised(answer: string | undefined): string | undefined {
  return answer?.replace(/"promise":\{[^}]*\},/, '');
}

const CONNECTIONS = 16;
/** Killed once this many requests have been answered: in the middle of the load, wherever that is. */
const KILL_AFTER = [25, 150, 400];

describe('ingress killed under load', function suite() {
  this.timeout(120_000);
  let database: TestDatabase;
  let db: Database;
  let key: string;
  let worker: TestService;
  let ingress: TestService;
  const env = { CUSTOS_RATE_LIMIT: 'off' };
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
    [worker, ingress] = await Promise.all([startWorker(database.url, env), startIngress(database.url, env)]);
  });
  after(async () => {
    await Promise.all([worker.stop(), ingress.stop()]);
    await db.close();
    await database.drop();
  });

  interface Asked {
    readonly agentId: string;
    readonly idempotent: boolean;
    /** The answer, or undefined when the connection broke, or the machine was too busy to answer in time. */
    answer: string | undefined;
    isRefused: boolean;
  }
  const bodyOf = (agent_id: string): object => ({ intent: 'data.read.user_profile', agent_id });
  const headersOf = ({ agentId, idempotent }: Asked) => (idempotent ? { headers: { 'idempotency-key': agentId } } : {});

  /** Asks on several connections until the process is gone. */
  const load = async (client: Client, round: number, onAnswer: (answered: number) => void): Promise<Asked[]> => {
    const asked: Asked[] = [];
    let gone = false;
    let answered = 0;
    const one = async (connection: number): Promise<void> => {
      for (let i = 0; !gone; i += 1) {
        const request: Asked = {
          agentId: `r${round}-${connection}-${i}`,
          idempotent: i % 2 === 0,
          answer: undefined,
          isRefused: false,
        };
        asked.push(request);
        try {
          const answer = await client.post('/v1/enforce', bodyOf(request.agentId), headersOf(request));
          // On a machine that is busy it may ask to repeat, and nobody knows whether it was done: as when a connection breaks.
          request.isRefused = answer.json.code === 'E6002';
          if (request.isRefused) continue;
          expect(answer.status).to.equal(200);
          request.answer = answer.text;
          answered += 1;
          onAnswer(answered);
        } catch (error) {
          if (!/ECONNRESET|ECONNREFUSED|EPIPE|socket hang up/.test(String(error))) throw error;
          gone = true;
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => one(i)));
    return asked;
  };

  const onRecord = async (round: number): Promise<Map<string, string[]>> => {
    const rows = await db.query<{ agent_id: string; record: Buffer }>(
      { name: 'on-record', text: 'SELECT agent_id, record FROM decision WHERE agent_id LIKE $1' },
      [`r${round}-%`],
    );
    const found = new Map<string, string[]>();
    for (const row of rows) found.set(row.agent_id, [...(found.get(row.agent_id) ?? []), answerOfRecord(row.record)]);
    return found;
  };

  for (const [round, killAfter] of KILL_AFTER.entries())
    it(`after ${killAfter} answers: each of them is on record once, byte for byte; repeats double nothing`, async () => {
      const client = createClient(ingress.address, key);
      let killing: Promise<unknown> | undefined;
      const asked = await load(client, round, (answered) => {
        if (answered === killAfter) killing = ingress.kill();
      });
      await killing;
      client.close();
      const answered = asked.filter((one) => one.answer !== undefined);
      expect(answered.length).to.be.at.least(killAfter);
      const before = await onRecord(round);
      for (const one of answered) expect(before.get(one.agentId), one.agentId).to.deep.equal([unpromised(one.answer)]);
      for (const [agentId, records] of before) expect(records, agentId).to.have.lengthOf(1);

      ingress = await startIngress(database.url, env);
      const again = createClient(ingress.address, key, { patient: true });
      const open = asked.filter((one) => one.answer === undefined && one.idempotent);
      for (const one of open) {
        const { status, json } = await again.post('/v1/enforce', bodyOf(one.agentId), headersOf(one));
        // Done, or begun and not ended: that claim runs out by itself.
        expect([200, 409], JSON.stringify(json)).to.include(status);
      }
      // As if the 30 s of the claims had passed.
      await db.query(
        { name: 'pass', text: 'UPDATE idempotency SET claimed_until = now() WHERE claim IS NOT NULL' },
        [],
      );
      for (const one of [...open, ...answered.filter(({ idempotent }) => idempotent).slice(-20)]) {
        const repeated = await again.post('/v1/enforce', bodyOf(one.agentId), headersOf(one));
        expect(repeated.status).to.equal(200);
        if (one.answer !== undefined) expect(repeated.text).to.equal(one.answer);
        one.answer = repeated.text;
      }
      again.close();
      const after = await onRecord(round);
      for (const one of asked.filter(({ idempotent }) => idempotent))
        expect(after.get(one.agentId), one.agentId).to.deep.equal([unpromised(one.answer)]);
    });

  it('asked to stop instead, it answers what runs, ends in order, and all that it answered is on record', async () => {
    const round = KILL_AFTER.length;
    const client = createClient(ingress.address, key);
    let stopping: Promise<{ code: number | null }> | undefined;
    const asked = await load(client, round, (answered) => {
      if (answered === 200) stopping = ingress.stop();
    });
    expect(await stopping).to.deep.include({ code: 0 });
    client.close();
    const found = await onRecord(round);
    const answered = asked.filter((one) => one.answer !== undefined);
    for (const one of answered) expect(found.get(one.agentId), one.agentId).to.deep.equal([unpromised(one.answer)]);
    const refused = asked.filter(({ isRefused }) => isRefused);
    expect(found.size, 'nothing was decided that was not answered').to.be.within(
      answered.length,
      answered.length + refused.length,
    );
    ingress = await startIngress(database.url, env);
  });
});
