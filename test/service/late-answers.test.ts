// Answers that come late, as after a process was frozen: nothing is permitted that does not stand any more, and a revoked key gets nothing.
import { expect } from 'chai';
import { heldWrites, pauseIn, revokeIn } from '../support/held-writes.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { PERMITTING } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';

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
});
