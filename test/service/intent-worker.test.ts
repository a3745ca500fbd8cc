// The intent worker: the same verdict as over HTTP, recorded exactly once for any number of workers and deliveries.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { rewriteIntents } from '../support/intents.ts';
import { factsText } from '../support/stored-facts.ts';
import { recordText } from '../support/stored-records.ts';
import { createAuditor } from '../../shared/domain/ledger/audit.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { isPassing } from '../../shared/platform/db/trouble.ts';
import type { Client } from '../support/client.ts';
import { approve, gist, reject } from '../support/escalations.ts';
import type { PolicyFiles, Service } from '../support/service.ts';
import { endOpenTransactions } from '../support/sessions.ts';
import {
  failingIntentWorker,
  heldIntentWorker,
  type ServiceAndWorker,
  startServiceAndWorker,
  startTestWorker,
  type TestWorker,
} from '../support/worker.ts';

const rule = (type: string, resources: string[], conditions: object = { all: [ALWAYS] }, params: object = {}) => ({
  stage: 'enforce',
  description: `${type} for tests`,
  target: { actions: ['read'], resources },
  rules: [{ name: 'rule', conditions, event: { type, params: { code: type, message: type, ...params } } }],
});
const ALWAYS = { fact: 'intent', path: 'action', operator: 'equal', value: 'read' };

const POLICIES: PolicyFiles = {
  'allow-open.json': {
    id: 'allow-open',
    ...rule('ALLOW', ['db/open/*', 'db/partly/known/*', 'db/mixed/*', 'db/asked/*']),
  },
  'deny.json': { id: 'deny', ...rule('DENY', ['db/mixed/secret/*']) },
  'escalate.json': { id: 'escalate', ...rule('ESCALATE', ['db/asked/first']) },
  'tagged.json': {
    id: 'tagged',
    ...rule('ALLOW', ['db/tagged/*'], {
      all: [{ fact: 'key', path: 'tags', operator: 'contains', value: 'finance' }],
    }),
  },
  'near.json': {
    id: 'near',
    ...rule('ALLOW', ['db/near/*'], {
      all: [{ fact: 'client', path: 'address', operator: 'inCidr', value: ['127.0.0.0/8', '::1/128'] }],
    }),
  },
  'context.json': {
    id: 'context',
    ...rule('ALLOW', ['db/context/*'], {
      all: [{ fact: 'context', path: 'ticket', operator: 'equal', value: 'OPS-1' }],
    }),
  },
};

describe('the intent worker', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: POLICIES, words: 'few' });
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const submit = async (resource: string, more: object = {}): Promise<string> =>
    (await client.post('/v1/intents', { agentId: 'nobody', action: 'read', resource, ...more })).json.intentId;
  const read = async (intentId: string) => (await client.get(`/v1/intents/${intentId}`)).json;
  const decide = async (resource: string, more: object = {}) => {
    const intentId = await submit(resource, more);
    await worker.evaluate(intentId);
    return read(intentId);
  };
  const decisionsOf = (agentId: string) =>
    service.rows<{ decision_id: string; verdict: string }>(
      'SELECT decision_id, verdict FROM decision WHERE agent_id = $1',
      [agentId],
    );
  const inboxOf = (decisionId: string) =>
    service.rows("SELECT seq FROM log_inbox WHERE source = 'decision' AND $1 = ANY (string_to_array(source_id, ' '))", [
      decisionId,
    ]);

  describe('of a wildcard resource', () => {
    const CASES: readonly (readonly [string, string, string])[] = [
      ['allows a pattern fully covered by one ALLOW', 'db/open/*', 'ALLOW'],
      ['allows a narrower pattern', 'db/open/a/*', 'ALLOW'],
      ['allows a single resource of it', 'db/open/a', 'ALLOW'],
      ['denies a pattern only partly covered by an ALLOW', 'db/partly/*', 'DENY'],
      ['denies a covered pattern that overlaps a DENY', 'db/mixed/*', 'DENY'],
      ['allows a pattern that overlaps no DENY', 'db/mixed/public/*', 'ALLOW'],
      ['denies a pattern within a DENY', 'db/mixed/secret/a/*', 'DENY'],
      ['escalates a covered pattern that overlaps an ESCALATE', 'db/asked/*', 'ESCALATE'],
      ['allows a resource outside the ESCALATE', 'db/asked/second', 'ALLOW'],
      ['denies the pattern of everything when it overlaps a DENY', '*', 'DENY'],
      ['denies a pattern that no rule covers', 'db/elsewhere/*', 'DENY'],
    ];
    for (const [what, resource, verdict] of CASES)
      it(`${what}: ${resource} is ${verdict}`, async () => {
        const intent = await decide(resource);
        // A submission that needs a human is still undecided; the ESCALATE is a decision of its own.
        const decision =
          intent.status === 'waiting_approval'
            ? (await service.admin.get(`/v1/approvals/${intent.approvalId}`)).json.decision
            : intent.decision;
        expect(intent.status).to.equal(verdict === 'ESCALATE' ? 'waiting_approval' : 'decided');
        expect(decision.verdict).to.equal(verdict);
        expect(decision.intent.resource).to.equal(resource);
      });
  });

  it('sees the tags of the key that submitted, as enforcement does', async () => {
    for (const [tags, verdict] of [
      [['ops', 'finance'], 'ALLOW'],
      [['ops'], 'DENY'],
      [[], 'DENY'],
    ] as const) {
      const tagged = await service.client({ tags });
      const enforced = await tagged.post('/v1/enforce', { agent_id: 'tagged', intent: 'read:db/tagged/one' });
      expect(enforced.json.verdict).to.equal(verdict);
      const body = { agentId: 'tagged', action: 'read', resource: 'db/tagged/one' };
      const { intentId } = (await tagged.post('/v1/intents', body)).json;
      await worker.evaluate(intentId);
      expect((await tagged.get(`/v1/intents/${intentId}`)).json.decision.verdict).to.equal(verdict);
    }
  });

  it('sees the address of the client that submitted, which is erased with the decision', async () => {
    const intent = await decide('db/near/one');
    expect(intent.decision.verdict).to.equal('ALLOW');
    const [kept] = await service.rows<{ client_address: string | null; facts: Buffer }>(
      'SELECT client_address, facts FROM intent JOIN decision USING (decision_id) WHERE intent_id = $1',
      [intent.intentId],
    );
    expect(kept?.client_address).to.equal(null);
    expect(factsText(kept?.facts)).to.include('"client":{"address":"127.0.0.1"}');
    const asked = await service.admin.post('/v1/enforce', { agent_id: 'near', intent: 'read:db/near/one' });
    expect(asked.json.verdict).to.equal('ALLOW');
  });

  it('decides what GET /v1/decisions/{id} returns, byte for byte, on behalf of the key that submitted', async () => {
    const { key, keyId } = await service.addKey();
    const own = client.withKey(key);
    const intentId = (await own.post('/v1/intents', { agentId: 'same', action: 'Read', resource: 'DB:Open/A' })).json
      .intentId;
    await worker.evaluate(intentId);
    const intent = (await own.get(`/v1/intents/${intentId}`)).json;
    const decision = await own.get(`/v1/decisions/${intent.decision.decision_id}`);
    expect(decision.text).to.equal(JSON.stringify(intent.decision));
    expect(intent).to.include({ action: 'Read', resource: 'DB:Open/A' });
    expect(decision.json).to.include({ key_id: keyId, agent_id: 'same', verdict: 'ALLOW' });
    expect(decision.json.intent).to.include({ normalized: 'db.read.open.a', parsed: false });
    const [listed] = (await own.get('/v1/intents?agentId=same')).json.items;
    expect(listed).to.deep.equal(intent);
  });

  it('passes the context to policies as it was sent', async () => {
    const context = { ticket: 'OPS-1', nested: { text: 'a\u0000b\n"c" é', list: [1e30, -0, null] } };
    expect((await decide('db/context/a', { context })).decision.verdict).to.equal('ALLOW');
    expect((await decide('db/context/a', { context: { ticket: 'OPS-2' } })).decision.verdict).to.equal('DENY');
    expect((await decide('db/context/a')).decision.verdict).to.equal('DENY');
    const decision = (await decide('db/context/a', { context, agentId: 'facts' })).decision;
    const [row] = await service.rows<{ facts: Buffer; facts_salt: Buffer; record: Buffer }>(
      'SELECT facts, facts_salt, record FROM decision WHERE decision_id = $1',
      [decision.decision_id],
    );
    const facts = factsText(row?.facts);
    expect(JSON.parse(facts).context).to.deep.equal({
      ...context,
      nested: { ...context.nested, list: [1e30, 0, null] },
    });
    const digest = createHash('sha256')
      .update(row?.facts_salt ?? '')
      .update(facts)
      .digest('hex');
    expect(JSON.parse(`${recordText(row?.record)}}`).payload.body.factsDigest).to.equal(digest);
  });

  it('decides for an unregistered agent as for one without evidence', async () => {
    const { decision } = await decide('db/open/a', { agentId: 'never seen' });
    expect(decision).to.deep.include({ verdict: 'ALLOW', agent_id: 'never seen' });
    expect(decision.trust).to.deep.include({ recorded_level: 1, score: 250 });
  });

  for (const status of ['PAUSED', 'SUSPENDED', 'TERMINATED'])
    it(`denies an agent that became ${status} after its submission`, async () => {
      const agentId = `agent-${status}`;
      await service.admin.post('/v1/agents', { agentId, name: agentId });
      expect((await decide('db/open/a', { agentId })).decision.verdict).to.equal('ALLOW');
      const intentId = await submit('db/open/a', { agentId });
      await service.admin.patch(`/v1/agents/${agentId}`, { status });
      await worker.deciding.changes.refresh();
      await worker.evaluate(intentId);
      const { decision } = await read(intentId);
      expect(decision.verdict).to.equal('DENY');
      expect(decision.reasons.map((reason: { code: string }) => reason.code)).to.include('AGENT_NOT_ACTIVE');
    });

  describe('of a key that is not valid any more', () => {
    const ENDS: Readonly<Record<string, (keyId: string) => Promise<unknown>>> = {
      revoked: (keyId) => service.admin.delete(`/v1/auth/keys/${keyId}`),
      'past its expiry': async () => service.advance(60_000),
    };
    const addKey = () => service.addKey({ expiresAtMs: service.nowMs() + 60_000 });
    const submitBy = async (key: string, resource: string): Promise<string> =>
      (await client.withKey(key).post('/v1/intents', { agentId: 'nobody', action: 'read', resource })).json.intentId;

    for (const [what, end] of Object.entries(ENDS)) {
      it(`denies what it submitted before it was ${what}`, async () => {
        const { key, keyId } = await addKey();
        const intentId = await submitBy(key, 'db/open/a');
        await end(keyId);
        await worker.evaluate(intentId);
        const { status, decision } = await read(intentId);
        expect([status, ...gist(decision), decision.allowed]).to.deep.equal(['decided', 'DENY', 'KEY_INVALID', false]);
        expect(decision.key_id).to.equal(keyId);
      });

      it(`uses no approval that a human gave after it was ${what}`, async () => {
        const { key, keyId } = await addKey();
        const intentId = await submitBy(key, 'db/asked/first');
        await worker.evaluate(intentId);
        const { status, approvalId } = await read(intentId);
        expect(status).to.equal('waiting_approval');
        await end(keyId);
        expect((await approve(service.admin, approvalId)).status).to.equal(200);
        await worker.evaluate(intentId);
        const { decision } = await read(intentId);
        expect(gist(decision)).to.deep.equal(['DENY', 'KEY_INVALID']);
        expect((await service.admin.get(`/v1/approvals/${approvalId}`)).json.status).to.equal('approved');
      });
    }

    it('decides by its policies what a key submitted that was rotated since', async () => {
      const { key, keyId } = await service.addKey();
      const intentId = await submitBy(key, 'db/open/a');
      await service.admin.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '0h' });
      await worker.evaluate(intentId);
      expect((await read(intentId)).decision).to.include({ verdict: 'ALLOW', stands: true });
    });
  });

  it('denies what was approved when the approval is withdrawn before it is evaluated again', async () => {
    const intentId = await submit('db/asked/first');
    await worker.evaluate(intentId);
    const { approvalId } = await read(intentId);
    await approve(service.admin, approvalId);
    expect((await reject(service.admin, approvalId, 'withdrawn')).status).to.equal(200);
    await worker.evaluate(intentId);
    const { status, decision } = await read(intentId);
    expect([status, ...gist(decision)]).to.deep.equal(['decided', 'DENY', 'APPROVAL_REJECTED']);
  });

  it('denies everything while its environment is halted', async () => {
    const intentId = await submit('db/open/halted');
    await service.admin.post('/v1/halt', { reason: 'incident' });
    try {
      await worker.deciding.changes.refresh();
      await worker.evaluate(intentId);
    } finally {
      await service.admin.delete('/v1/halt');
      await worker.deciding.changes.refresh();
    }
    expect((await read(intentId)).decision.reasons[0].code).to.equal('HALTED');
  });

  it('evaluates once, with twenty workers at the same time and ten more later', async () => {
    const intentId = await submit('db/open/once', { agentId: 'once' });
    const key = await worker.keyOf(intentId);
    // Two workers with separate caches, as in two processes.
    const second = await startTestWorker(service);
    try {
      const workers = [worker.intentWorker(), second.intentWorker()];
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          i < 10 ? workers[i % 2]?.decideOne(key) : workers[i % 2]?.decideBatch(key, 200),
        ),
      );
      const intent = await read(intentId);
      expect(intent.status).to.equal('decided');
      for (let i = 0; i < 10; i += 1) await workers[i % 2]?.decideOne(key);
      await workers[0]?.endAsFailed(key);
      expect(await read(intentId)).to.deep.equal(intent);
      const rows = await decisionsOf('once');
      expect(rows.map((row) => row.decision_id)).to.deep.equal([intent.decision.decision_id]);
      expect(await inboxOf(intent.decision.decision_id)).to.have.lengthOf(1);
    } finally {
      await second.close();
    }
  });

  it('is left to the worker that has claimed it, and to the next one as soon as the session of that worker is gone', async () => {
    const intentId = await submit('db/open/taken-over', { agentId: 'taken-over' });
    const key = await worker.keyOf(intentId);
    const slow = heldIntentWorker(worker, 'before');
    const late = slow.decideOne(key).then(
      () => undefined,
      (error: unknown) => error,
    );
    await slow.held;
    await worker.evaluateAll(key);
    expect((await read(intentId)).status).to.equal('queued');
    await endOpenTransactions(service);
    await worker.evaluateAll(key);
    const decided = await read(intentId);
    expect(decided.status).to.equal('decided');
    slow.release();
    expect(isPassing(await late)).to.equal(true);
    expect(await read(intentId)).to.deep.equal(decided);
    expect(await decisionsOf('taken-over')).to.have.lengthOf(1);
  });

  it('stores nothing of a decision that failed to commit, and decides it later', async () => {
    const intentId = await submit('db/open/not-stored', { agentId: 'not-stored' });
    const key = await worker.keyOf(intentId);
    const failing = failingIntentWorker(worker);
    let message = '';
    await failing.decideOne(key).catch((error: Error) => (message = error.message));
    expect(message).to.equal('the disk is full');
    expect((await read(intentId)).status).to.equal('queued');
    expect(await decisionsOf('not-stored')).to.deep.equal([]);
    await worker.evaluate(intentId);
    expect((await read(intentId)).status).to.equal('decided');
    expect(await decisionsOf('not-stored')).to.have.lengthOf(1);
  });

  it('ends in `failed` with one recorded DENY, EVALUATION_FAILED, after the last attempt, even if evaluating throws', async () => {
    const intentId = await submit('db/open/failing', { agentId: 'failing', context: { ticket: 'OPS-1' } });
    const key = await worker.keyOf(intentId);
    const { decider, policies } = worker.deciding;
    const broken = (): never => {
      throw new Error('this evaluation ends the process');
    };
    const evaluator = { evaluate: broken, evaluateApproved: broken, assessRisk: broken, explain: broken };
    const failing = worker.intentWorker({
      decider: { ...decider, answer: broken },
      policies: { ...policies, current: () => ({ ...policies.installation(), evaluator }) },
    });
    await failing.decideOne(key).then(
      () => expect.fail('the evaluation did not throw'),
      () => undefined,
    );
    await Promise.all(Array.from({ length: 5 }, () => failing.endAsFailed(key)));
    const intent = await read(intentId);
    expect(intent.status).to.equal('failed');
    expect(intent.decision).to.deep.include({ verdict: 'DENY', allowed: false });
    expect(intent.decision.reasons.map((reason: { code: string }) => reason.code)).to.deep.equal(['EVALUATION_FAILED']);
    expect((await client.get(`/v1/decisions/${intent.decision.decision_id}`)).json).to.deep.equal(intent.decision);
    await worker.evaluate(intentId);
    expect(await read(intentId)).to.deep.equal(intent);
    expect(await decisionsOf('failing')).to.have.lengthOf(1);
    expect(await inboxOf(intent.decision.decision_id)).to.have.lengthOf(1);
  });

  for (const [what, column, damaged] of [
    ['a context that is not JSON', 'context', '{"broken"'],
    ['a context that is JSON but not an object', 'context', '[1]'],
    ['a context that cannot be put into canonical form', 'context', '{"a":"\\ud800"}'],
    ['an action that is no longer accepted', 'action', 'no word at all'],
    ['a resource that is no longer accepted', 'resource', 'a/../b'],
  ] as const)
    it(`ends an intent as failed with a recorded DENY even with ${what}`, async () => {
      const agentId = `damaged-${column}-${damaged.length}`;
      const intentId = await submit('db/open/damaged', { agentId });
      const key = await worker.keyOf(intentId);
      await rewriteIntents(service.db, `${column} = $2`, 'intent_id = $1', [intentId, damaged]);
      const error = await worker
        .intentWorker()
        .decideOne(key)
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).to.be.an('error');
      expect(isPassing(error)).to.equal(false);
      expect((await read(intentId)).status).to.equal('queued');
      await worker.intentWorker().endAsFailed(key);
      const intent = await read(intentId);
      expect(intent.status).to.equal('failed');
      expect(intent.decision).to.deep.include({ verdict: 'DENY', allowed: false });
      expect(await decisionsOf(agentId)).to.have.lengthOf(1);
      expect(await inboxOf(intent.decision.decision_id)).to.have.lengthOf(1);
    });

  it('ends as failed with a DENY when the service has not written its row, which is counted', async () => {
    const genuine = await submit('db/open/genuine', { agentId: 'forged' });
    const copy = (seal: string) =>
      service.db.query<{ intent_id: string }>(
        `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, request_id, client_address, submission_seal)
          SELECT organisation_id, environment, $2::text, agent_id, key_id, action, 'db/open/forged', submitted_at, updated_at, request_id, client_address, ${seal}
          FROM intent WHERE intent_id = $1 RETURNING intent_id`,
        [genuine, newId('int', Date.now())],
      );
    expect(await refusedBy(copy('NULL'))).to.equal('23000');
    for (const seal of ['submission_seal', "sha256('x')"]) {
      const [forged] = await copy(seal);
      const key = await worker.keyOf(forged?.intent_id ?? '');
      expect(await refusedBy(worker.intentWorker().decideOne(key))).to.contain('seal of the submitted intent');
      await worker.intentWorker().endAsFailed(key);
      expect((await read(key.intentId)).decision).to.include({ verdict: 'DENY', allowed: false });
    }
    await worker.evaluate(genuine);
    expect((await read(genuine)).decision.allowed).to.equal(true);
  });

  it('is not rewritten, decided again or deleted while it waits, with the rights of the service', async () => {
    const [open, ended] = [await submit('db/open/waits'), (await decide('db/open/ended')).intentId];
    const columns =
      'organisation_id, environment, intent_id, agent_id, key_id, action, resource, context, traceparent, request_id';
    const changes = [
      ...columns.split(', ').map((column) => [`UPDATE intent SET ${column} = 'x' WHERE intent_id = $1`, open]),
      ['UPDATE intent SET submitted_at = now() WHERE intent_id = $1', open],
      ['UPDATE intent SET submission_seal = NULL WHERE intent_id = $1', open],
      ['DELETE FROM intent WHERE intent_id = $1', open],
      ["UPDATE intent SET status = 'queued', decision_id = NULL WHERE intent_id = $1", ended],
    ] as const;
    for (const [change = '', intentId] of changes)
      expect(await refusedBy(service.db.query(change, [intentId])), change).to.equal('23000');
    await service.db.query("UPDATE intent SET tool = '{}' WHERE intent_id = $1", [open]);
    const deciding = worker.intentWorker().decideOne(await worker.keyOf(open));
    expect(await refusedBy(deciding)).to.contain('seal of the submitted intent');
  });

  /** The code, or else the message, of the error. */
  const refusedBy = (work: Promise<unknown>): Promise<string | undefined> =>
    work.then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );

  it('is never shown with the decision of another one that its row names, and the audit finds it', async () => {
    const denied = await decide('db/closed/mine', { action: 'delete' });
    const allowed = await decide('db/open/mine');
    expect([denied.decision.allowed, allowed.decision.allowed]).to.deep.equal([false, true]);
    await worker.append();
    const auditor = createAuditor({ db: service.db, nowMs: service.nowMs, monotonicMs: () => performance.now() });
    const findings = async () => (await auditor.run()).flatMap((audit) => audit.findings.map(({ kind }) => kind));
    const name = (decisionId: string) =>
      rewriteIntents(service.db, 'decision_id = $2', 'intent_id = $1', [denied.intentId, decisionId]);
    await name(allowed.decision.decision_id);
    const answers = [await client.get(`/v1/intents/${denied.intentId}`), await client.get('/v1/intents')];
    for (const { status, text } of answers) {
      expect(status).to.equal(500);
      expect(text).not.to.contain(allowed.decision.decision_id);
    }
    expect(await findings()).to.deep.equal(['intent-altered']);
    await name(denied.decision.decision_id);
    expect(await read(denied.intentId)).to.deep.equal(denied);
    expect(await findings()).to.deep.equal([]);
  });

  it('does nothing for an unknown intent', async () => {
    const key = await worker.keyOf(await submit('db/open/other'));
    const before = (await service.rows('SELECT decision_id FROM decision')).length;
    await worker.intentWorker().decideOne({ ...key, intentId: 'int_00000000000000000000000000' });
    await worker.intentWorker().decideOne({ ...key, environment: 'test' });
    expect((await service.rows('SELECT decision_id FROM decision')).length).to.equal(before);
  });
});
