// The data of the audit page: the state of the logs, and the operator trail as each key may see it.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { actionWords } from '../../ingress/dashboard/client/pages/audit-words.ts';
import type { AuditedLogs } from '../../ingress/dashboard/client/wire.ts';
import type { OperatorAction, OperatorActions } from '../../ingress/dashboard/client/wire/operator-trail.ts';
import { changePolicySet } from '../../shared/domain/policy-sets/change.ts';
import { businessRoutes } from '../../ingress/routes/all.ts';
import { dashboardRoutes } from '../../ingress/dashboard/routes/all.ts';
import { generateKey } from '../../shared/domain/keys/format.ts';
import { type Signed, signIn, trySignIn } from '../support/dashboard.ts';
import { type Reading, startReading } from '../support/dashboard-reading.ts';
import type { Service } from '../support/service.ts';
import { startTestWorker } from '../support/worker.ts';
import { recordOf } from './receipt-setup.ts';
import { sendCase, trailCases, withPlaceholders, MADE_ELSEWHERE } from './trail-cases.ts';

interface AuditRow {
  readonly seq: string;
  readonly at: Date;
  readonly request_id: string;
  readonly key_id: string | null;
  readonly organisation_id: string | null;
  readonly environment: string | null;
  readonly address: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly change: string | null;
}

/** A policy that denies reads. */
const CLOSED = {
  id: 'closed',
  stage: 'enforce',
  target: { actions: ['read'], resources: ['*'] },
  rules: [
    {
      name: 'closed',
      conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
      event: { type: 'DENY', params: { code: 'CLOSED', message: 'closed' } },
    },
  ],
};

describe('the data of the audit page', () => {
  let service: Service;
  let signed: Signed;
  let other: Signed;
  let otherId: string;
  let otherKey: string;
  let read: Reading['read'];

  before(async () => {
    ({ service, signed, other, otherId, otherKey, read } = await startReading());
  });
  after(() => service?.close());

  it('shows the state of the log and each finding with its meaning', async () => {
    const fresh = await service.addKey({
      organisationId: await service.addOrganisation('fresh'),
      scopes: ['admin:*'],
    });
    const nothing = await read<AuditedLogs>('/audit/logs', await signIn(service.admin, fresh.key));
    expect(nothing).to.deep.equal({ logs: [] });
    const worker = await startTestWorker(service);
    await worker.append();
    await worker.close();
    const [log] = (await read<AuditedLogs>('/audit/logs')).logs;
    expect(log).to.deep.include({ generation: 1, haltedReason: null, audit: null, waiting: 0 });
    expect(log?.checkpoint?.size).to.equal(log?.size);
    const finding = {
      kind: 'leaf-missing',
      leafIndex: 3,
      proofId: null,
      sentence: 'Leaf 3 is not there.',
      place: 'head',
    };
    await service.rows(
      'INSERT INTO audit (log_id, audited_size, ok, findings, audited_at) SELECT log_id, 7, false, $1, now() FROM log WHERE organisation_id = $2',
      [JSON.stringify([finding, finding]), service.operatorId],
    );
    const [failed] = (await read<AuditedLogs>('/audit/logs')).logs;
    expect(failed?.audit).to.deep.include({ ok: false, auditedSize: 7 });
    expect(failed?.audit?.findings).to.have.length(2);
    expect(failed?.audit?.findings[0]).to.deep.equal({
      kind: 'leaf-missing',
      meaning: 'a leaf was deleted',
      leafIndex: 3,
      proofId: null,
      sentence: 'Leaf 3 is not there.',
    });
  });

  it('lists each action once with its result, and no actions of other organisations', async () => {
    const actions = async (by: Signed, query = ''): Promise<readonly OperatorAction[]> =>
      (await read<OperatorActions>(`/audit/actions${query}`, by)).items;
    await signed.send('POST', '/v1/agents', { agentId: 'made-here', name: 'x' });
    await signed.send('PATCH', '/v1/agents/nobody', { status: 'PAUSED' });
    await other.send('DELETE', '/v1/agents/none-of-theirs');
    const mine = await actions(signed);
    expect(mine.slice(0, 2).map(({ action, outcome, status, code }) => [action, outcome, status, code])).to.deep.equal([
      ['PATCH /dashboard/api/v1/agents/{agentId}', 'refused', 404, 'E4002'],
      ['POST /dashboard/api/v1/agents', 'done', 201, null],
    ]);
    expect(mine.filter(({ outcome }) => outcome === 'begun')).to.deep.equal([]);
    expect(mine.every(({ subject }) => !subject.includes('none-of-theirs'))).to.equal(true);
    const theirs = await actions(other);
    expect(theirs.map(({ action, outcome, keyName }) => [action, outcome, keyName])).to.deep.equal([
      ['DELETE /dashboard/api/v1/agents/{agentId}', 'refused', 'test'],
      ['sign-in', 'done', 'test'],
    ]);
    const [signIns] = theirs.filter(({ action }) => action === 'sign-in');
    expect(signIns?.change).to.deep.include({ subject: 'session', id: signIns?.keyId });
    expect(await actions(signed, '?outcome=done')).to.satisfy((all: readonly OperatorAction[]) =>
      all.every(({ outcome }) => outcome === 'done'),
    );
  });

  it('names the subject and the change of every action that changes something', async () => {
    const own = [...businessRoutes({} as never), ...dashboardRoutes({} as never)];
    const changing = own
      .filter(({ method, changesNothing }) => method !== 'GET' && changesNothing !== true)
      .map(({ method, path }) => `${method} ${path.replace('/dashboard/api', '')}`);
    const cases = trailCases(service, signed);
    expect([...cases.keys(), ...MADE_ELSEWHERE]).to.have.members(changing);
    expect(
      changing.filter((route) => actionWords(route) === route),
      'actions without words',
    ).to.deep.equal([]);
    const made: Record<string, string> = {};
    for (const [route, caseOf] of cases) {
      const [method = ''] = route.split(' ');
      const expected = await sendCase(signed, method, await caseOf(made), made);
      const [row] = (await read<OperatorActions>('/audit/actions?limit=1')).items;
      expect(row?.action.replace('/dashboard/api', ''), route).to.equal(route);
      expect(row?.outcome, route).to.equal('done');
      expect(withPlaceholders(row?.change ?? null), route).to.deep.equal(expected);
    }
  });

  it('names the set and what changed for every route that changes policies', async () => {
    const set = (name: string): object => ({
      files: [{ path: 'x.json', text: JSON.stringify({ ...CLOSED, description: name }) }],
      reason: name,
    });
    const { digest: first } = (await service.admin.get('/v1/policies')).json;
    const { digest } = (await service.admin.post('/v1/policies', { ...set('tried'), stage: { share: 1 } })).json;
    const inForce = (from: string, to: string) => [{ name: 'inForce', from, to }];
    const propose = async (): Promise<string> => {
      const rules = { needsApproval: true, approvalTtlMs: 60_000, signers: undefined };
      const change = { digest, author: 'cli:x', reason: 'r', source: 'push' as const };
      const result = await service.db.transaction((sql) => changePolicySet(sql, change, rules, service.nowMs()));
      return result.kind === 'proposed' ? result.proposal.approval_id : expect.fail(result.kind);
    };
    const decided = (state: string) => [{ name: 'state', from: 'pending', to: state }];
    const reason = 'because';
    const steps: readonly (readonly [string, string | (() => Promise<string>), object, string, object[]])[] = [
      ['DELETE', `/v1/policies/stages/${digest}`, { reason }, digest, [{ name: 'dropped', to: 'all' }]],
      ['POST', '/v1/policies', { ...set('tried'), reason }, digest, inForce(first, digest)],
      ['POST', '/v1/policies/rollback', { digest: first, reason }, first, inForce(digest, first)],
      ['POST', '/v1/policies/promote', { digest, reason }, digest, inForce(first, digest)],
      ['POST', '/v1/policies/follow-folder', { reason }, first, inForce(digest, first)],
      ['POST', async () => `/v1/policies/approvals/${await propose()}/reject`, { reason }, digest, decided('rejected')],
      [
        'POST',
        async () => `/v1/policies/approvals/${await propose()}/approve`,
        { reason },
        digest,
        decided('approved'),
      ],
    ];
    for (const [method, place, body, id, fields] of steps) {
      const path = typeof place === 'string' ? place : await place();
      const answer = await signed.send(method, path, body);
      expect(answer.status, `${method} ${path} ${answer.text}`).to.be.below(300);
      const [row] = (await read<OperatorActions>('/audit/actions?limit=1')).items;
      expect(row?.change, `${method} ${path}`).to.deep.equal({ subject: 'policy_set', id, fields, reason });
    }
  });

  it('shows sign-in attempts to the owner of the key and to the operator', async () => {
    const unknown = generateKey('live');
    await trySignIn(service.admin, unknown.key);
    const limited = await service.addKey({ organisationId: otherId, name: 'their reader', scopes: ['proofs:read'] });
    await trySignIn(service.admin, limited.key);
    const of = async (by: Signed): Promise<Map<string | null, OperatorAction>> =>
      new Map((await read<OperatorActions>('/audit/actions', by)).items.map((item) => [item.keyId, item]));
    const bound = await service.addKey({ scopes: ['admin:*'], agentIds: ['agent-1'] });
    const ofBound = await of(await signIn(service.admin, bound.key));
    expect([...ofBound.keys()], 'a bound key sees only its own actions').to.deep.equal([bound.keyId]);
    const [mine, theirs] = [await of(signed), await of(other)];
    expect(mine.get(unknown.keyId)).to.deep.include({
      outcome: 'refused',
      status: 401,
      code: 'E1002',
      keyName: null,
    });
    expect(theirs.has(unknown.keyId)).to.equal(false);
    expect(theirs.get(limited.keyId)).to.deep.include({ outcome: 'refused', status: 403, keyName: 'their reader' });
    expect(mine.get(limited.keyId)?.keyName, 'names of the keys of others stay hidden').to.equal(null);
  });

  it('shows actions without a recorded end, page by page', async () => {
    await service.rows(
      `INSERT INTO dashboard_audit (at, request_id, key_id, organisation_id, environment, address, action, subject, outcome)
       SELECT now(), 'lost-' || n, 'k', $1, 'live', '127.0.0.1', 'POST /dashboard/api/v1/halt', '/dashboard/api/v1/halt', 'begun' FROM generate_series(1, 5) n`,
      [service.operatorId],
    );
    const walked: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: OperatorActions = await read(
        `/audit/actions?outcome=begun&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      walked.push(...page.items.map(({ seq }) => seq));
      expect(page.items.every(({ requestId, status }) => requestId.startsWith('lost-') && status === null)).to.equal(
        true,
      );
      cursor = page.nextCursor;
    }
    expect(walked).to.have.length(5);
    expect(walked).to.deep.equal(walked.toSorted((a, b) => b - a));
  });

  it('records each row in the log, so that deleted and changed rows are noticed', async () => {
    const worker = await startTestWorker(service);
    await worker.append();
    await worker.close();
    const leavesOf = async (key: string): Promise<object[]> => {
      const path = '/v1/proofs/chain/custos%3Adashboard?limit=200';
      const { items } = (await service.admin.get(path, { key })).json as { items: { event: string; record: string }[] };
      return items.map((item) => {
        expect(item.event).to.equal('custos.dashboard');
        return recordOf(item).payload.body;
      });
    };
    const hashOf = ({ request_id: id }: Pick<AuditRow, 'request_id'>, seq: string, text: string): string =>
      createHash('sha256').update(`${id}\n${seq}\n${text}`).digest('hex');
    const rows = await service.rows<AuditRow>(
      "SELECT * FROM dashboard_audit WHERE request_id NOT LIKE 'lost-%' ORDER BY seq",
    );
    const expected = rows.map(({ seq, at, ...row }) => ({
      of: row.organisation_id,
      leaf: {
        seq: Number(seq),
        at: at.toISOString(),
        requestId: row.request_id,
        keyId: row.key_id,
        organisationId: row.organisation_id,
        environment: row.environment,
        action: row.action,
        subject: row.subject,
        outcome: row.outcome,
        status: row.status,
        code: row.code,
        addressHash: hashOf(row, seq, row.address),
        ...(row.change === null ? {} : { changeHash: hashOf(row, seq, row.change) }),
      },
    }));
    expect(expected.map(({ leaf }) => leaf.outcome)).to.include.members(['begun', 'done', 'refused']);
    const ofOperator = expected.filter(({ of }) => of === null || of === service.operatorId);
    expect(await leavesOf(service.adminKey)).to.deep.equal(ofOperator.map(({ leaf }) => leaf));
    const ofOther = expected.filter(({ of }) => of === otherId);
    expect(ofOther).not.to.have.length(0);
    expect(await leavesOf(otherKey)).to.deep.equal(ofOther.map(({ leaf }) => leaf));
  });

  it('needs a session, and limits the size of a page', async () => {
    for (const path of ['/agents', '/decisions/newer', '/decisions/x/explanation', '/audit/logs', '/audit/actions']) {
      const answer = await service.admin.get(`/dashboard/api${path}`, {
        key: null,
        check: false,
        headers: { 'x-custos-dashboard': '1' },
      });
      expect(answer.status, path).to.equal(401);
    }
    expect((await signed.get('/audit/actions?limit=201')).status).to.equal(400);
  });
});
