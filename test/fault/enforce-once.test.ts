// Tests that a batch under an Idempotency-Key has exactly one effect: each of its requests has one decision, whatever fails.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { ESCALATING } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

/** Tables that enforcement reads or writes. Each may be locked for seconds. */
const TABLES = [
  'agent',
  'approval',
  'decision',
  'idempotency',
  'log_inbox',
  'outbox',
  'process_heartbeat',
  'trust_state',
];
/** Rounds in which the connections are cut, each time a little later. */
const ROUNDS = 12;

interface Member {
  readonly decision_id?: string;
  readonly verdict?: string;
  readonly error?: { readonly code: string; readonly status: number };
}

describe('a batch under an Idempotency-Key', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few', patient: false });
    client = await service.client();
  });
  after(() => service?.close());

  /** One request of each kind: allowed, escalated, denied, and invalid. Each for two agents, one of which is known already. */
  const questions = (round: string) => {
    const of = (agent: string): object[] => [
      { agent_id: agent, intent: 'delete:db/open/a' },
      { agent_id: agent, intent: 'delete:db/asked/a' },
      { agent_id: agent, intent: 'read:db/open/a' },
    ];
    return [...of(`known-${round}`), { agent_id: 'x', intent: 'bad' }, ...of(`new-${round}`)];
  };
  const EXPECTED = ['ALLOW', 'ESCALATE', 'DENY', 'E2001', 'ALLOW', 'ESCALATE', 'DENY'];
  const shape = ({ verdict, error }: Member): string => verdict ?? error?.code ?? 'nothing';

  const warm = (round: string) => client.post('/v1/enforce', { agent_id: `known-${round}`, intent: 'read:warm/x' });
  const send = (round: string): Promise<ClientResponse> =>
    client.post('/v1/enforce/batch', { requests: questions(round) }, { headers: { 'idempotency-key': round } });

  /** Expects that earlier decisions are unchanged. @returns whether every request has its decision */
  const take = (answer: ClientResponse, decided: Map<number, Member>): boolean => {
    expect([200, 409, 503], answer.text).to.include(answer.status);
    if (answer.status !== 200) {
      expect(Number(answer.headers['retry-after']), answer.text).to.be.within(1, 30);
      return false;
    }
    const members = answer.json.decisions as Member[];
    for (const [i, member] of members.entries()) {
      const before = decided.get(i);
      if (before !== undefined) expect(member, `member ${i} is as it was answered`).to.deep.equal(before);
      if (member.error === undefined) decided.set(i, member);
      else expect(['E2001', 'E6002']).to.include(member.error.code);
    }
    return members.every(({ error }) => (error?.status ?? 0) < 500);
  };

  const expectOnce = async (round: string, decided: Map<number, Member>): Promise<void> => {
    const rows = await service.rows<{ decision_id: string }>(
      "SELECT decision_id FROM decision WHERE agent_id = ANY ($1) AND position(convert_to('warm', 'UTF8') IN record) = 0",
      [[`known-${round}`, `new-${round}`]],
    );
    expect(rows.map((row) => row.decision_id)).to.have.members([...decided.values()].map((one) => one.decision_id));
    const open = await service.rows('SELECT FROM approval WHERE agent_id = ANY ($1)', [
      [`known-${round}`, `new-${round}`],
    ]);
    expect(open).to.have.lengthOf(2);
  };

  /** Repeats the batch until every request has its decision. From then on the response must stay the same. */
  const settle = async (round: string, decided: Map<number, Member>): Promise<void> => {
    const last = await waitFor(
      async () => {
        const answer = await send(round);
        if (take(answer, decided)) return answer;
        // A running process releases its claim within a second.
        if (answer.status === 409) expect(answer.headers['retry-after']).to.equal('1');
        return undefined;
      },
      { what: 'all to be decided', intervalMs: 100 },
    );
    expect(last.json.decisions.map(shape), last.text).to.deep.equal(EXPECTED);
    const again = await send(round);
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([last.text, 'true']);
    await expectOnce(round, decided);
  };

  for (const table of TABLES)
    it(`keeps its decisions while table ${table} is locked, and a repeat decides the rest once`, async () => {
      await warm(table);
      const decided = new Map<number, Member>();
      const first = await service.db.transaction(async (sql) => {
        await sql.query('SELECT set_config($1, $2, true)', ['statement_timeout', '0']);
        await sql.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, []);
        return send(table);
      });
      take(first, decided);
      // A late answer looks at its agents again. While it can't, none of it is given: a permission may not stand any more.
      if (['approval', 'trust_state'].includes(table)) {
        expect(first.status, first.text).to.equal(200);
        expect(first.json.decisions.map(shape)).to.include.members(['ALLOW', 'DENY', 'E6002', 'E2001']);
      }
      await settle(table, decided);
    });

  it('has one decision for each request, whenever its connections are cut', async () => {
    for (let i = 0; i < ROUNDS; i += 1) {
      const round = `broken-${i}`;
      await warm(round);
      const decided = new Map<number, Member>();
      const asking = send(round);
      // A statement of the test takes about as long as one of the batch, so each round cuts the batch at another statement.
      for (let n = 0; n < i; n += 1) await service.rows('SELECT 1');
      await service.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'custos-ingress'",
      );
      take(await asking, decided);
      await settle(round, decided);
    }
  });
});
