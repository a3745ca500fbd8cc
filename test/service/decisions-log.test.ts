// Every decision is appended to the log exactly once, on the chain of its agent, by every route.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { checkLog } from '../support/log-check.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

describe('decisions in the log', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const intent = 'data.read.x';
  const chainOf = async (agentId: string) =>
    (await client.get(`/v1/proofs/chain/${encodeURIComponent(agentId)}`)).json.items as {
      proofId: string;
      event: string;
      record: string;
    }[];
  /** Compares the decisions in the log with the answers. */
  const expectOnChain = async (agentId: string, answers: readonly Record<string, unknown>[]): Promise<void> => {
    await worker.append();
    const chain = await chainOf(agentId);
    const answered = answers.map(({ proof: _proof, ...body }) => body);
    const logged = chain.map(({ event, record }) => {
      expect(event).to.equal('custos.decision');
      const { factsDigest, ...body } = JSON.parse(Buffer.from(record, 'base64').toString('utf8')).payload.body;
      expect(factsDigest).to.match(/^[0-9a-f]{64}$/);
      return body as Record<string, unknown>;
    });
    const byId = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
      String(a['decision_id']) < String(b['decision_id']) ? -1 : 1;
    expect(logged.sort(byId)).to.deep.equal(answered.sort(byId));
    await checkLog(service.db, service.operatorId, 'live');
  };

  it('POST /v1/enforce, concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => client.post('/v1/enforce', { intent, agent_id: 'single é' })),
    );
    await expectOnChain(
      'single é',
      answers.map((answer) => answer.json),
    );
  });

  it('POST /v1/enforce/batch, without the failed members', async () => {
    const requests = [
      { intent, agent_id: 'batch' },
      { intent: 'no intent', agent_id: 'batch' },
      { intent: 'db.delete.production.users', agent_id: 'batch' },
    ];
    const plain = (await client.post('/v1/enforce/batch', { requests })).json.decisions;
    const headers = { 'idempotency-key': 'batch' };
    const first = (await client.post('/v1/enforce/batch', { requests }, { headers })).json.decisions;
    const again = (await client.post('/v1/enforce/batch', { requests }, { headers })).json.decisions;
    expect(again).to.deep.equal(first);
    await expectOnChain('batch', [plain[0], plain[2], first[0], first[2]]);
  });

  it('POST /v1/enforce with an Idempotency-Key, once for any number of repeats', async () => {
    const send = () =>
      client.post('/v1/enforce', { intent, agent_id: 'idempotent' }, { headers: { 'idempotency-key': 'enforce' } });
    await Promise.all(Array.from({ length: 6 }, send));
    const answer = await send();
    expect(answer.status).to.equal(200);
    await expectOnChain('idempotent', [answer.json]);
  });

  it('POST /v1/intents, decided by a worker, once for any number of job deliveries', async () => {
    const { intentId } = (await client.post('/v1/intents', { agentId: 'worker', action: 'read', resource: 'data/x' }))
      .json;
    await Promise.all(Array.from({ length: 5 }, () => worker.evaluate(intentId)));
    // Whether the decision still stands depends on the time of reading, and is not part of the decision.
    const { stands, ...decision } = (await client.get(`/v1/intents/${intentId}`)).json.decision;
    expect(stands).to.equal(true);
    await expectOnChain('worker', [decision]);
  });

  it('excludes a dry run, a refused request and a parse', async () => {
    const agent_id = 'nothing';
    await service.admin.post('/v1/enforce', { intent, agent_id, dry_run: true });
    await client.post('/v1/enforce', { intent: '', agent_id });
    await client.post('/v1/intent', { agent_id, raw_intent: 'Read user profile data' });
    await worker.append();
    expect(await chainOf(agent_id)).to.deep.equal([]);
  });

  it('forms one chain together with proofs of the same agent', async () => {
    const agent_id = 'both';
    const first = (await client.post('/v1/enforce', { intent, agent_id })).json;
    const proof = (await client.post('/v1/proofs', { event: 'seen', entityId: agent_id, payload: {} })).json;
    const last = (await client.post('/v1/enforce', { intent, agent_id })).json;
    await worker.append();
    expect((await chainOf(agent_id)).map((item) => item.proofId)).to.deep.equal([
      first.proof.proof_id,
      proof.proofId,
      last.proof.proof_id,
    ]);
    await checkLog(service.db, service.operatorId, 'live');
  });
});
