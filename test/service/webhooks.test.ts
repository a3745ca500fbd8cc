// Webhooks: which events an endpoint receives, in what form, and who may manage endpoints.
import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import { MAX_ENDPOINTS, WEBHOOK_EVENTS } from '../../shared/kernel/webhook-events.ts';
import { ESCALATING, PERMITTING } from '../support/escalations.ts';
import { verified } from '../support/webhooks.ts';
import { ALLOWED, DENIED, webhookSuite } from '../support/webhook-suite.ts';

describe('a webhook', () => {
  const suite = webhookSuite();
  const post = (path: string, body: object) => suite.service.admin.post(path, body);

  it('receives each decision once, in the order of the log, signed, with ids and no texts', async () => {
    const made = await suite.create();
    const first = await suite.decide('secret-keeper');
    const second = await suite.decide('secret-keeper', 'delete:db/open/y');
    await suite.deliver(made);
    await suite.deliver(made);
    const { received } = suite.receiver;
    expect(received.map(({ json }) => json.data.decisionId)).to.deep.equal([first.decision_id, second.decision_id]);
    const [message] = received;
    if (message === undefined) throw new Error('nothing was received');
    expect(verified(made.secret, message)).to.deep.equal({
      type: 'decision.made',
      timestamp: first.evaluated_at,
      data: {
        decisionId: first.decision_id,
        proofId: first.proof.proof_id,
        agentId: 'secret-keeper',
        keyId: first.key_id,
        verdict: 'ALLOW',
        allowed: true,
        policySet: first.policy_set.digest,
        requestId: first.request_id,
        evaluatedAt: first.evaluated_at,
      },
    });
    const stored = (await suite.deliveries(made)).at(-1);
    expect(stored).to.deep.include({ deliveryId: message.id, state: 'delivered', attempts: 1, responseStatus: 204 });
    expect(stored.payload).to.deep.equal(message.json);
  });

  it('receives only events of its types, and only decisions of its filter', async () => {
    const made = await suite.create({ filter: { verdicts: ['DENY'], agentIds: ['wanted', 'other'] } });
    await post('/v1/auth/keys', { name: 'x', scopes: ['agents:read'] });
    const denied = await suite.decide('wanted', DENIED);
    await suite.decide('unwanted', DENIED);
    await suite.decide('wanted', ALLOWED);
    await suite.deliver(made);
    expect(suite.receiver.received.map(({ json }) => json.data.decisionId)).to.deep.equal([denied.decision_id]);
  });

  it('begins with the events after its creation, of its own organisation and environment', async () => {
    await suite.decide('before');
    await suite.worker.append();
    const made = await suite.create();
    const organisationId = await suite.service.addOrganisation('elsewhere');
    for (const client of [
      await suite.service.client({ organisationId }),
      await suite.service.client({ environment: 'test' }),
    ])
      await client.post('/v1/enforce', { agent_id: 'a', intent: ALLOWED });
    await suite.decide('after');
    await suite.deliver(made);
    expect(suite.agents()).to.deep.equal(['after']);
  });

  it('reports approvals when they open and close, and what became of submitted intents', async () => {
    const { service, worker } = suite;
    const made = await suite.create({ events: ['approval.opened', 'approval.decided', 'intent.decided'] });
    const opened = await suite.decide('asks', 'delete:db/asked/x');
    await suite.decide('asks', 'delete:db/asked/x');
    const { approval_id: approvalId, expires_at: expiresAt } = opened.approval;
    const approver = await service.client({ scopes: ['admin:*'] });
    await approver.post(`/v1/approvals/${approvalId}/approve`, { reason: 'private reason' });
    const intent = { agentId: 'asks', action: 'read', resource: 'db/x' };
    const { intentId } = (await post('/v1/intents', intent)).json;
    await worker.evaluate(intentId);
    await suite.deliver(made);
    const [open, decided, submitted, ...more] = suite.receiver.received.map(({ json }) => json);
    const { decision_id: decisionId, key_id: keyId } = opened;
    expect(more).to.deep.equal([]);
    expect(open).to.deep.include({
      type: 'approval.opened',
      data: { approvalId, decisionId, agentId: 'asks', keyId, expiresAt },
    });
    expect(decided.type).to.equal('approval.decided');
    expect(decided.data).to.deep.include({ approvalId, decisionId, agentId: 'asks', state: 'approved' });
    expect(JSON.stringify(decided)).to.not.contain('private reason');
    expect(submitted.data).to.deep.include({ intentId, status: 'decided', verdict: 'DENY', agentId: 'asks' });
  });

  it('reports keys, policies, changed levels of trust, halted logs and failed audits', async () => {
    const { service } = suite;
    const types = WEBHOOK_EVENTS.filter((type) => /^(?:key|policy|trust|log|audit)\./.test(type));
    const made = await suite.create({ events: types });
    const { keyId } = (await post('/v1/auth/keys', { name: 'k', scopes: ['agents:read'] })).json;
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    await service.apply(PERMITTING);
    await service.apply({ 'bad.json': { id: 'bad' } });
    await service.apply(ESCALATING);
    const signal = (n: number) => ({ signalId: `s${n}`, agentId: 'grows', type: 'success' });
    await post('/v1/trust/signals', { signals: Array.from({ length: 10 }, (_, n) => signal(n)) });
    await foldBatch({ db: service.db, nowMs: service.nowMs, dailyCap: 100_000 });
    await suite.deliver(made);
    const [log] = await service.rows<{ log_id: number; origin: string }>(
      "SELECT log_id, origin FROM log WHERE organisation_id = $1 AND environment = 'live'",
      [service.operatorId],
    );
    await service.rows('INSERT INTO audit (log_id) VALUES ($1) ON CONFLICT DO NOTHING', [log?.log_id]);
    // A finding may quote bytes that jsonb refuses, and must be stored all the same.
    const findings = JSON.stringify([{ code: 'leaf-missing', message: '\u0000' }, { code: 'leaf-missing' }]);
    await service.rows('UPDATE audit SET ok = false, findings = $2 WHERE log_id = $1', [log?.log_id, findings]);
    await service.rows("UPDATE log SET halted_reason = 'another tree' WHERE log_id = $1", [log?.log_id]);
    await service.rows('UPDATE log SET halted_reason = NULL WHERE log_id = $1', [log?.log_id]);
    service.advance(1_000);
    await suite.deliver(made);
    const byType = (type: string) =>
      suite.receiver.received.filter(({ json }) => json.type === type).map(({ json }) => json.data);
    expect(byType('key.created')).to.have.length(1);
    expect(byType('key.created')[0]).to.deep.include({ keyId });
    expect(byType('key.revoked').map((data) => data.keyId)).to.deep.equal([keyId]);
    expect(byType('policy.activated')).to.have.length(2);
    expect(byType('policy.refused')[0].findings).to.be.greaterThan(0);
    expect(byType('trust.level_changed')).to.have.length(1);
    const { level, previousLevel, agentId } = byType('trust.level_changed')[0];
    expect([agentId, level > previousLevel]).to.deep.equal(['grows', true]);
    expect(byType('audit.failed')).to.deep.equal([{ log: log?.origin, findings: ['leaf-missing'] }]);
    expect(byType('log.halted')).to.deep.equal([{ log: log?.origin }]);
    expect(new Set(suite.receiver.received.map(({ json }) => json.type))).to.deep.equal(new Set(types));
  });

  it('reports a proof when a checkpoint covers it, and not before', async () => {
    const made = await suite.create({ events: ['proof.anchored'] });
    const { proofId } = (await post('/v1/proofs', { event: 'done', entityId: 'e', payload: {} })).json;
    await suite.worker.appendUnsigned();
    await suite.deliverer.deliver(made.webhookId);
    expect(suite.receiver.received).to.deep.equal([]);
    await suite.deliver(made);
    const [message] = suite.receiver.received;
    expect(message?.json.data).to.deep.include({ proofId, entityId: 'e', event: 'done' });
    expect((await suite.service.admin.get(`/v1/proofs/${proofId}`)).status).to.equal(200);
  });

  it('shows its secret once: not in the list, not after a repeat, and the database holds it encrypted', async () => {
    const body = { url: suite.receiver.url, events: ['key.created'], description: 'mine' };
    const headers = { 'idempotency-key': 'make one webhook' };
    const made = (await suite.service.admin.post('/v1/webhooks', body, { headers })).json;
    const again = (await suite.service.admin.post('/v1/webhooks', body, { headers })).json;
    const { secret, ...shown } = made;
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(again).to.deep.equal(shown);
    expect((await suite.service.admin.get('/v1/webhooks')).json.items).to.deep.equal([shown]);
    const rows = await suite.service.rows(
      'SELECT row_to_json(w)::text FROM webhook_endpoint w UNION ALL SELECT row_to_json(i)::text FROM idempotency i',
    );
    expect(rows.length).to.be.greaterThan(1);
    expect(JSON.stringify(rows)).to.not.contain(secret.slice('whsec_'.length, -1));
  });

  it('is signed with the old and the new key until the overlap of a rotation ends', async () => {
    const made = await suite.create();
    const rotate = (body: object) => post(`/v1/webhooks/${made.webhookId}/rotate`, body);
    const { secret, previousKeysUntil } = (await rotate({ overlap: '1h' })).json;
    expect(Date.parse(previousKeysUntil)).to.be.closeTo(suite.service.nowMs() + 3_600_000, 60_000);
    const next = async () => {
      await suite.decide('a');
      await suite.deliver(made);
      const message = suite.receiver.received.at(-1);
      if (message === undefined) throw new Error('nothing was received');
      return message;
    };
    const during = await next();
    expect(during.signature.split(' ')).to.have.length(2);
    for (const one of [made.secret, secret]) verified(one, during);
    suite.service.advance(3_600_001);
    const after = await next();
    verified(secret, after);
    expect(() => verified(made.secret, after)).to.throw('No matching signature');
    const last = (await rotate({ overlap: '0m', signature: 'ed25519' })).json;
    expect(last).to.not.have.property('secret');
    const asymmetric = await next();
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(last.publicKey.slice('whpk_'.length), 'base64'),
    ]);
    const content = `${asymmetric.id}.${asymmetric.timestampSeconds}.${asymmetric.body}`;
    const [version, signature = ''] = asymmetric.signature.split(',');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(version).to.equal('v1a');
    expect(verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))).to.equal(true);
  });

  const WRONG: readonly [string, object, string][] = [
    ['an unknown event', { events: ['decision.unmade'] }, '/events/0'],
    ['no event', { events: [] }, '/events'],
    ['a URL that is none', { url: 'receiver' }, '/url'],
    ['another scheme', { url: 'ftp://receiver.example.com' }, '/url'],
    ['credentials in the URL', { url: 'https://user:pass@receiver.example.com' }, '/url'],
    ['a private address', { url: 'https://10.1.2.3/' }, '/url'],
    ['a metadata address in another notation', { url: 'https://0xa9fea9fe/' }, '/url'],
    ['an IPv4-mapped private address', { url: 'https://[::ffff:10.0.0.1]/' }, '/url'],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, '/secret'],
    ['a secret of another kind', { secret: 'password' }, '/secret'],
    ['an unknown verdict', { filter: { verdicts: ['MAYBE'] } }, '/filter/verdicts/0'],
  ];
  for (const [what, more, pointer] of WRONG)
    it(`is refused with ${what}`, async () => {
      const body = { url: suite.receiver.url, events: ['decision.made'], ...more };
      const { status, json } = await post('/v1/webhooks', body);
      expect([status, json.code, json.errors?.[0].pointer]).to.deep.equal([400, 'E2001', pointer]);
    });

  it('cannot be managed with a key that is bound to agents, and there are at most 20 of an environment', async () => {
    const bound = await suite.service.client({ scopes: ['admin:*'], agentIds: ['a'] });
    expect((await bound.get('/v1/webhooks')).json.code).to.equal('E1004');
    const body = { url: suite.receiver.url, events: ['decision.made'] };
    const answers = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 2 }, () => post('/v1/webhooks', body)));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(MAX_ENDPOINTS);
    expect(answers.filter(({ json }) => json.code === 'E5002')).to.have.length(2);
  });
});
