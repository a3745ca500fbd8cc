// Tests with ingress killed at any moment under load: every returned decision is on record once and unchanged, and repeating
// a request or a batch under its Idempotency-Key has no second effect.
import { expect } from 'chai';
import { answerOfRecord } from '../../shared/core/decision/record.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Client, type ClientResponse, createClient, unpromised } from '../support/client.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const CONNECTIONS = 16;
/** Ingress is killed after this many responses. The state of the other requests at that moment differs between runs. */
const KILL_AFTER = [10, 150];
const MEMBERS_OF_BATCH = 5;
/** Number of requests that are repeated although they were answered. */
const ANSWERED_REPEATED = 20;

interface Sent {
  /** Unique. It is also the Idempotency-Key and the prefix of the agents' ids. */
  readonly name: string;
  readonly kind: 'single' | 'single with key' | 'batch with key';
  /** The text of each decision. undefined: the connection was cut, or the machine was too busy to answer in time. */
  decisions: readonly string[] | undefined;
  /** Whether a response without all decisions was received. */
  isRefused: boolean;
}

const KINDS = ['single', 'single with key', 'batch with key'] as const;

/** The agents of a request, in the order of its decisions. */
function agentsOf({ name, kind }: Sent): string[] {
  return kind === 'batch with key' ? Array.from({ length: MEMBERS_OF_BATCH }, (_, i) => `${name}-${i}`) : [name];
}

function post(client: Client, sent: Sent): Promise<ClientResponse> {
  const options = sent.kind === 'single' ? {} : { headers: { 'idempotency-key': sent.name } };
  const questions = agentsOf(sent).map((agent_id, i) => ({
    agent_id,
    // The shipped policies escalate the last request of a batch, which opens an approval.
    intent: i === MEMBERS_OF_BATCH - 1 ? 'nonsense.unknown.thing' : 'data.read.user_profile',
  }));
  return sent.kind === 'batch with key'
    ? client.post('/v1/enforce/batch', { requests: questions }, options)
    : client.post('/v1/enforce', questions[0], options);
}

/** The decisions of a response; undefined if some are still missing. */
function decisionsIn({ status, text, json }: ClientResponse): string[] | undefined {
  if (status !== 200) return undefined;
  if (json.decisions === undefined) return [text];
  const members = json.decisions as { readonly error?: object }[];
  return members.some(({ error }) => error !== undefined) ? undefined : members.map((member) => JSON.stringify(member));
}

describe('ingress killed under load', () => {
  let database: TestDatabase;
  let db: Database;
  let key: string;
  let worker: TestService;
  let ingress: TestService;
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', CUSTOS_POLICY_DIR: folderWithFewWords() };
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    ({ key } = await bootstrap(db));
    [worker, ingress] = await Promise.all([startWorker(database.url, env), startIngress(database.url, env)]);
  });
  after(async () => {
    await Promise.all([worker?.stop(), ingress?.stop()]);
    await db?.close();
    await database?.drop();
  });

  /** Sends requests on several connections until the process has ended. */
  const load = async (round: number, onAnswer: (answered: number) => void): Promise<Sent[]> => {
    const client = createClient(ingress.address, key);
    const all: Sent[] = [];
    let isGone = false;
    let answered = 0;
    const connection = async (n: number): Promise<void> => {
      for (let i = 0; !isGone; i += 1) {
        const sent: Sent = {
          name: `r${round}-${n}-${i}`,
          kind: KINDS[(n + i) % KINDS.length] ?? 'single',
          decisions: undefined,
          isRefused: false,
        };
        all.push(sent);
        try {
          const answer = await post(client, sent);
          // 503 from a busy machine: as with a cut connection, it is unknown whether the request was carried out.
          expect([200, 503], answer.text).to.include(answer.status);
          sent.decisions = decisionsIn(answer);
          sent.isRefused = sent.decisions === undefined;
          if (sent.isRefused) continue;
          answered += 1;
          onAnswer(answered);
        } catch (error) {
          if (!/ECONNRESET|ECONNREFUSED|EPIPE|socket hang up/.test(String(error))) throw error;
          isGone = true;
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => connection(n)));
    client.close();
    return all;
  };

  /** The recorded decisions of a round, by agent. */
  const onRecord = async (round: number): Promise<Map<string, string[]>> => {
    const rows = await db.query<{ agent_id: string; record: Buffer }>(
      'SELECT agent_id, record FROM decision WHERE agent_id LIKE $1',
      [`r${round}-%`],
    );
    const found = new Map<string, string[]>();
    for (const row of rows) found.set(row.agent_id, [...(found.get(row.agent_id) ?? []), answerOfRecord(row.record)]);
    return found;
  };
  const expectOnRecordOnce = async (round: number, all: readonly Sent[]): Promise<number> => {
    const found = await onRecord(round);
    for (const sent of all)
      for (const [i, agentId] of agentsOf(sent).entries())
        if (sent.decisions !== undefined)
          expect(found.get(agentId), agentId).to.deep.equal([unpromised(sent.decisions[i] ?? '')]);
    for (const [agentId, records] of found) expect(records, agentId).to.have.lengthOf(1);
    return found.size;
  };

  /** Repeats requests until each is answered in full. */
  const repeat = async (client: Client, requests: readonly Sent[]): Promise<void> => {
    for (const sent of requests) {
      const decisions = await waitFor(async () => decisionsIn(await post(client, sent)), { what: sent.name });
      if (sent.decisions !== undefined) expect(decisions, sent.name).to.deep.equal(sent.decisions);
      sent.decisions = decisions;
    }
  };

  for (const [round, killAfter] of KILL_AFTER.entries())
    it(`after ${killAfter} responses: each one is on record once, byte for byte, and repeats have no second effect`, async () => {
      let killing: Promise<unknown> | undefined;
      const all = await load(round, (answered) => {
        if (answered === killAfter) killing = ingress.kill();
      });
      await killing;
      const answered = all.filter(({ decisions }) => decisions !== undefined);
      expect(answered.length).to.be.at.least(killAfter);
      await expectOnRecordOnce(round, answered);

      ingress = await startIngress(database.url, env);
      const client = createClient(ingress.address, key, { patient: true });
      const withKey = all.filter(({ kind }) => kind !== 'single');
      const open = withKey.filter(({ decisions }) => decisions === undefined);
      expect(open.length, 'requests under way when the process was killed').to.be.at.least(1);
      for (const sent of open) {
        const { status, text } = await post(client, sent);
        // Decided by the killed process, decided now, or claimed by the killed process until its claim expires.
        expect([200, 409], text).to.include(status);
      }
      await db.query('UPDATE idempotency SET claimed_until = now() WHERE claim IS NOT NULL', []);
      await repeat(client, [...open, ...withKey.filter((sent) => !open.includes(sent)).slice(-ANSWERED_REPEATED)]);
      client.close();
      await expectOnRecordOnce(round, all);
    });

  it('stops gracefully on SIGTERM: it answers running requests, and all its decisions are on record', async () => {
    const round = KILL_AFTER.length;
    let stopping: Promise<{ code: number | null }> | undefined;
    const all = await load(round, (answered) => {
      if (answered === 100) stopping = ingress.stop();
    });
    expect(await stopping).to.deep.include({ code: 0 });
    const decided = await expectOnRecordOnce(round, all);
    const answered = all.filter(({ decisions }) => decisions !== undefined).flatMap(agentsOf).length;
    const refused = all.filter(({ isRefused }) => isRefused).flatMap(agentsOf).length;
    expect(decided, 'nothing was decided that was not answered').to.be.within(answered, answered + refused);
  });
});
