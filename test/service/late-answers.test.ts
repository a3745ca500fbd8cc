// Answers that come late, as after a process was frozen: nothing is permitted that does not stand any more, and a revoked key gets nothing.
import { expect } from 'chai';
import { asSuperuser } from '../support/database.ts';
import { heldWrites, pauseIn, revokeIn } from '../support/held-writes.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { PERMITTING } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

interface Form {
  readonly path: string;
  readonly bodyOf: (agentId: string) => object;
  /** The verdict of its question, or the code of the problem in its place. */
  readonly outcome: (json: ClientResponse['json']) => unknown;
}

const question = (agentId: string): object => ({ agent_id: agentId, intent: 'delete:db/asked/x' });
const evaluation = (agentId: string): object => ({
  subject: { type: 'agent', id: agentId.replace('agent:', '') },
  action: { name: 'delete' },
  resource: { type: 'db', id: 'asked/x' },
});
const evaluated = (json: ClientResponse['json']): unknown =>
  json.decision === true ? 'ALLOW' : (json.context?.error?.code ?? json.code ?? 'DENY');
const FORMS: Readonly<Record<string, Form>> = {
  'a question': { path: '/v1/enforce', bodyOf: question, outcome: (json) => json.verdict ?? json.code },
  'a batch': {
    path: '/v1/enforce/batch',
    bodyOf: (agentId) => ({ requests: [question(agentId)] }),
    outcome: (json) => json.decisions[0].verdict ?? json.decisions[0].error.code,
  },
  'an evaluation of AuthZEN': { path: '/access/v1/evaluation', bodyOf: evaluation, outcome: evaluated },
  'several evaluations of AuthZEN': {
    path: '/access/v1/evaluations',
    bodyOf: (agentId) => ({ evaluations: [evaluation(agentId)] }),
    outcome: (json) => evaluated(json.evaluations[0]),
  },
};
const LATE_MS = 1_000;
const CANCEL =
  'SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';

describe('an answer that comes late', () => {
  let service: Service;
  let aheadMs = 0;
  let key: { key: string; keyId: string };
  let client: Client;
  let agents = 0;
  let agentId: string;
  before(async () => {
    service = await startService({
      policies: PERMITTING,
      words: 'few',
      monotonicMs: () => performance.now() + aheadMs,
    });
  });
  after(() => service?.close());
  beforeEach(async () => {
    key = await service.addKey({ scopes: ['intents:write', 'proofs:read'] });
    client = service.admin.withKey(key.key);
    agentId = `agent:${(agents += 1)}`;
    await service.admin.post('/v1/agents', { agentId, name: agentId });
    await client.get('/v1/decisions');
  });

  const late = (
    send: () => Promise<ClientResponse>,
    change: Parameters<typeof heldWrites>[2] = async () => undefined,
  ) =>
    heldWrites(service.db, send, async (sql) => {
      await change(sql);
      aheadMs += LATE_MS;
    });

  for (const [what, { path, bodyOf, outcome }] of Object.entries(FORMS))
    for (const idempotencyKey of [undefined, 'once']) {
      const ask = (): Promise<ClientResponse> =>
        client.post(path, bodyOf(agentId), {
          headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
        });
      const how = idempotencyKey === undefined ? '' : ' under an Idempotency-Key';

      it(`to ${what}${how} permits what still stands`, async () => {
        expect(outcome((await late(ask)).json)).to.equal('ALLOW');
      });

      it(`to ${what}${how} permits nothing when the agent was paused meanwhile`, async () => {
        const answer = await late(ask, (sql) => pauseIn(sql, agentId));
        expect(outcome(answer.json)).to.equal('E5004');
      });

      it(`to ${what}${how} is refused when the key was revoked meanwhile`, async () => {
        const answer = await late(ask, (sql) => revokeIn(sql, key.keyId));
        expect([answer.status, answer.json.code]).to.deep.equal([401, 'E1002']);
      });
    }

  // The questions of a batch, the first permitted and the second not.
  const BATCHES: Readonly<Record<string, (agentId: string) => object>> = {
    'a batch': (id) => ({ requests: [question(id), { agent_id: id, intent: 'delete:db/other/x' }] }),
    'several evaluations of AuthZEN': (id) => ({
      evaluations: [evaluation(id), { ...evaluation(id), resource: { type: 'db', id: 'other/x' } }],
    }),
  };
  for (const [what, bodyOf] of Object.entries(BATCHES))
    it(`to ${what} fails only in what it permits when the agents can't be read`, async () => {
      const { path = '' } = FORMS[what] ?? {};
      const send = (): Promise<ClientResponse> => client.post(path, bodyOf(agentId));
      await send();
      const answer = await asSuperuser(service.db, async (sql) => {
        await sql.query('LOCK TABLE agent IN ACCESS EXCLUSIVE MODE', []);
        let done: ClientResponse | undefined;
        const answered = heldWrites(service.db, send, async () => (aheadMs += LATE_MS), 'agent');
        void answered.then((one) => (done = one));
        // What times out without the test.
        const cancel = (): Promise<unknown> => sql.query(CANCEL, []);
        await waitFor(() => cancel().then(() => done !== undefined), { what: 'the answer' });
        return answered;
      });
      expect(answer.status, answer.text).to.equal(200);
      const { decisions, evaluations } = answer.json;
      const outcomes = decisions
        ? decisions.map((one: ClientResponse['json']) => one.verdict ?? one.error.code)
        : evaluations.map(evaluated);
      expect(outcomes).to.deep.equal(['E6002', 'DENY']);
    });
});
