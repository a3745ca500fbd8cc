// Request ids: the X-Request-Id of a request is in its access log line and in its decisions, and finds them.
import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { createDecisionStore, type DecisionRow } from '../../shared/domain/decisions/decision-store.ts';
import { lowestId, newId } from '../../shared/kernel/ids.ts';
import { asAnswered, type Client, type ClientResponse } from '../support/client.ts';
import { ESCALATING } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';

interface Decided {
  readonly decision_id: string;
  readonly request_id?: string;
  readonly verdict: string;
}

describe('the id of a request', () => {
  const lines: Record<string, unknown>[] = [];
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({
      policies: ESCALATING,
      words: 'few',
      log: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const ALLOWED = { intent: 'delete:db/open/a', agent_id: 'joined' };
  const idOf = ({ headers }: ClientResponse): string => String(headers['x-request-id']);
  const lineOf = (answer: ClientResponse): Record<string, unknown> => {
    const own = lines.filter((line) => line['requestId'] === idOf(answer) && line['msg'] === 'request');
    expect(own).to.have.length(1);
    return own[0] ?? {};
  };
  const found = async (requestId: string, query = '', by: Client = client): Promise<string[]> =>
    (await by.get(`/v1/decisions?requestId=${encodeURIComponent(requestId)}${query}`)).json.items.map(
      (one: Decided) => one.decision_id,
    );
  const columnOf = async (decisionId: string): Promise<string | null | undefined> =>
    (
      await service.rows<{ id: string | null }>('SELECT request_id AS id FROM decision WHERE decision_id = $1', [
        decisionId,
      ])
    )[0]?.id;

  for (const [whose, headers] of [
    ["the service's own", {}],
    ["the caller's", { 'x-request-id': 'gateway:4711' }],
    ["the caller's, in the form of the service's own", { 'x-request-id': lowestId('req', 0) }],
  ] as const)
    it(`is in the answer, the row and the log line of its decision, and finds it: ${whose}`, async () => {
      const answer = await client.post('/v1/enforce', ALLOWED, { headers });
      const { decision_id: decisionId, request_id: requestId } = answer.json;
      expect(requestId).to.equal(idOf(answer));
      expect(await columnOf(decisionId)).to.equal(requestId);
      expect(lineOf(answer)).to.include({ decisionId, status: 200, route: '/v1/enforce' });
      expect(await found(requestId)).to.deep.equal([decisionId]);
      expect(asAnswered((await client.get(`/v1/decisions/${decisionId}`)).text)).to.equal(answer.text);
    });

  it('is shared by all decisions of a batch, which its log line lists; undecided items have no id', async () => {
    const members = [ALLOWED, { ...ALLOWED, intent: 'bad' }, { ...ALLOWED, intent: 'delete:db/elsewhere' }];
    const answer = await client.post('/v1/enforce/batch', { requests: members });
    const decided = (answer.json.decisions as Decided[]).flatMap(({ decision_id: id }) => id ?? []);
    expect(decided).to.have.length(2);
    expect(lineOf(answer)['decisionIds']).to.deep.equal(decided);
    expect((await found(idOf(answer))).sort()).to.deep.equal([...decided].sort());
    const dry = await service.admin.post('/v1/enforce', { ...ALLOWED, dry_run: true });
    const refused = await client.post('/v1/enforce', { ...ALLOWED, intent: 'bad' });
    for (const one of [dry, refused]) {
      expect(lineOf(one)).not.to.have.any.keys('decisionId', 'decisionIds');
      expect(await found(idOf(one))).to.deep.equal([]);
    }
  });

  it('of a submitted intent is that of the decisions that workers make for it, also after an approval', async () => {
    const body = { agentId: 'joined', action: 'delete', resource: 'db/asked/a' };
    const submitted = await client.post('/v1/intents', body);
    const { intentId } = submitted.json;
    await worker.evaluate(intentId);
    const waiting = (await client.get(`/v1/intents/${intentId}`)).json;
    expect(waiting.status).to.equal('waiting_approval');
    await service.admin.post(`/v1/approvals/${waiting.approvalId}/approve`, { reason: 'seen' });
    await worker.evaluate(intentId);
    const { decision } = (await client.get(`/v1/intents/${intentId}`)).json;
    expect(decision.request_id).to.equal(idOf(submitted));
    const both = await found(idOf(submitted));
    expect(both).to.have.length(2).and.to.include(decision.decision_id);
    expect(await found(idOf(submitted), '&verdict=ESCALATE')).to.deep.equal(
      both.filter((id) => id !== decision.decision_id),
    );
  });

  it('of a repeat under an Idempotency-Key is in the log with its own value, next to the decision of the first request', async () => {
    const headers = { 'idempotency-key': 'joined-once' };
    const batch = { requests: [ALLOWED, { ...ALLOWED, intent: 'delete:db/open/b' }] };
    const paths = [
      ['/v1/enforce', ALLOWED],
      ['/v1/enforce/batch', batch],
    ] as const;
    for (const [path, body] of paths) {
      const first = await client.post(path, body, { headers });
      const again = await client.post(path, body, { headers });
      expect(again.text).to.equal(first.text);
      const ids = path === '/v1/enforce' ? 'decisionId' : 'decisionIds';
      expect(lineOf(again)[ids]).to.deep.equal(lineOf(first)[ids]).and.not.to.equal(undefined);
      expect(idOf(again)).not.to.equal(idOf(first));
      expect(await found(idOf(again))).to.deep.equal([]);
    }
    await service.admin.post('/v1/halt', { reason: 'test' });
    for (const [path, body] of paths) {
      const lapsed = await client.post(path, body, { headers });
      expect(lapsed.text).to.contain('E5004');
      const ids = path === '/v1/enforce' ? 'decisionId' : 'decisionIds';
      expect(lineOf(lapsed)[ids]).not.to.equal(undefined);
    }
    await service.admin.request('DELETE', '/v1/halt', { body: { reason: 'test' } });
  });

  it('finds nothing for a key without access, and finds many decisions page by page', async () => {
    const headers = { 'x-request-id': 'shared-id' };
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1)
      made.unshift(
        (await client.post('/v1/enforce', { ...ALLOWED, agent_id: `shared-${i % 2}` }, { headers })).json.decision_id,
      );
    expect((await found('shared-id')).sort()).to.deep.equal([...made].sort());
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = (await client.get(`/v1/decisions?requestId=shared-id&limit=2${at}`)).json;
      paged.push(...page.items.map((one: Decided) => one.decision_id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).to.deep.equal([...made].sort().reverse());
    expect(await found('shared-id', '&agentId=shared-1')).to.have.length(2);
    const organisationId = await service.addOrganisation('stranger');
    for (const spec of [
      { scopes: ['admin:*'], organisationId },
      { scopes: ['proofs:read'], environment: 'test' },
      { scopes: ['proofs:read'], agentIds: ['other'] },
      {},
    ] as const)
      expect(await found('shared-id', '', await service.client(spec))).to.deep.equal([]);
  });

  it('finds decisions of any age, for every form of id', async () => {
    await acceptLateDecisions(service.db);
    const store = createDecisionStore({ db: service.db, processId: 'test' });
    const atMs = service.nowMs() - 60_000;
    const own = (ms: number): string => newId('req', ms);
    const pairs: [requestId: string, decidedAtMs: number][] = [];
    for (const afterMs of [0, 1, 500, 1_023, 1_024, 1_025, 40_000, -1, -1_500])
      for (let i = 0; i < 4; i += 1) {
        const askedMs = atMs + randomInt(5_000);
        pairs.push([own(askedMs), askedMs + afterMs]);
      }
    const second = own(atMs).slice(0, 12);
    for (const id of [
      'req_',
      'req_0',
      second,
      `${second}0`,
      own(atMs).toUpperCase(),
      `${second}${'z'.repeat(116)}`,
      'z',
      'req_zzzzzzzz',
    ])
      pairs.push([id, atMs], [id, atMs + 1]);
    const { organisationId } = { organisationId: service.operatorId };
    const rows = pairs.map(([requestId, decidedAtMs]): DecisionRow => {
      const decisionId = newId('dec', decidedAtMs);
      return {
        organisationId,
        environment: 'dev',
        decisionId,
        agentId: 'generated',
        keyId: 'k1234567',
        verdict: 'DENY',
        evaluatedAt: new Date(decidedAtMs).toISOString(),
        record: '{}',
        facts: '{}',
        factsSalt: '00'.repeat(16),
        reasons: null,
        requestId,
      };
    });
    await Promise.all(rows.map((row) => store.append(row)));
    for (const requestId of new Set(pairs.map(([id]) => id))) {
      const listed = await store.list({ organisationId, environment: 'dev', requestId }, 10);
      const expected = rows.filter((row) => row.requestId === requestId).map(({ decisionId }) => decisionId);
      expect(
        listed.map((row) => row.decision_id),
        requestId,
      ).to.deep.equal(expected.sort().reverse());
    }
  });
});
