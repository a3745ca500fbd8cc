// Rows that give authority are trusted only as this service wrote them: write access to the database does not make an administrator.
import { expect } from 'chai';
import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '../support/client.ts';
import { signIn, withCookie } from '../support/dashboard.ts';
import { approve, ask, escalate, ESCALATING, gist, PERMITTING } from '../support/escalations.ts';
import { readExposition } from '../support/exposition.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

describe('a row that gives authority and was changed outside the service', () => {
  let service: Service;
  const codeOf = async (client: Client): Promise<string> => {
    const { status, json } = await client.get('/v1/auth/keys');
    return status === 200 ? 'accepted' : json.code;
  };
  /** Runs SQL as somebody with full write access. */
  const tamper = (text: string, values: unknown[] = []): Promise<object[]> => service.rows(text, values);
  const verdictOf = async (client: Client, agentId: string): Promise<string> =>
    gist(await ask(client, { agent_id: agentId, intent: 'read:data/x' })).join();
  const becomes = (look: () => Promise<string>, expected: string): Promise<unknown> =>
    waitFor(async () => (await look()) === expected, { what: `the answer to be ${expected}` });
  /** Checks for longer than a change takes to reach every process. */
  const stays = async (look: () => Promise<string>, expected: string): Promise<void> => {
    const untilMs = performance.now() + 1_500;
    const seen = new Set<string>();
    await waitFor(async () => seen.add(await look()) && performance.now() > untilMs);
    expect([...seen]).to.deep.equal([expected]);
  };

  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
  });
  after(() => service.close());

  it('does not reactivate a revoked key, not even as the row from before the revocation', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const client = service.admin.withKey(key);
    expect(await codeOf(client)).to.equal('accepted');
    const [before] = await service.rows<{ seal: Buffer }>('SELECT seal FROM api_key WHERE key_id = $1', [keyId]);
    expect((await service.admin.request('DELETE', `/v1/auth/keys/${keyId}`)).status).to.equal(200);
    await becomes(() => codeOf(client), 'E1002');
    await tamper('UPDATE api_key SET revoked_at = NULL WHERE key_id = $1', [keyId]);
    await stays(() => codeOf(client), 'E1002');
    await tamper('UPDATE api_key SET version = 1, seal = $2 WHERE key_id = $1', [keyId, before?.seal]);
    await stays(() => codeOf(client), 'E1002');
  });

  it('has versions that the service itself can neither change nor delete', async () => {
    for (const change of ['DELETE FROM row_version', 'UPDATE row_version SET version = 1', 'TRUNCATE row_version']) {
      const error = await service.db.query(change, []).then(
        () => undefined,
        (e: unknown) => e,
      );
      expect((error as { code?: string } | undefined)?.code, change).to.equal('42501');
    }
  });

  it('does not widen the scopes of a key, and is counted', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['proofs:read'] });
    const client = service.admin.withKey(key);
    expect(await codeOf(client)).to.equal('E1004');
    await tamper("UPDATE api_key SET scopes = '{admin:*}' WHERE key_id = $1", [keyId]);
    await becomes(() => codeOf(client), 'E1002');
    const counted = await waitFor(async () => {
      const metrics = readExposition((await service.admin.get('/metrics', { check: false })).text);
      return metrics.get('custos_refused_rows_total')?.samples.find(({ labels }) => labels['table'] === 'api_key');
    });
    expect(counted.value).to.be.at.least(1);
    // A rotation does not copy the wider scopes either.
    expect((await service.admin.post(`/v1/auth/keys/${keyId}/rotate`, {})).status).to.equal(404);
    expect((await service.admin.get('/v1/auth/keys')).text).not.to.contain(keyId);
  });

  for (const [column, value] of [
    ['tier', '0'],
    ['environment', "'test'"],
    ['agent_ids', "'{a}'"],
    ['name', "'other'"],
    ['created_by', "'AAAAAAAA'"],
    ['created_at', "now() - interval '1 day'"],
    ['expires_at', "now() + interval '1 day'"],
    ['replaced_by', "'AAAAAAAA'"],
    ['secret_hmac', "sha256('x')"],
    ['version', '2'],
    ['seal', 'NULL'],
  ])
    it(`is no valid key when its ${column} was changed, even in a process that has the key in its cache`, async () => {
      const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
      const client = service.admin.withKey(key);
      expect(await codeOf(client)).to.equal('accepted');
      await tamper(`UPDATE api_key SET ${column} = ${value} WHERE key_id = $1`, [keyId]);
      await becomes(() => codeOf(client), 'E1002');
    });

  it('does not create a key from the hash and seal of another key', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    await tamper(
      `INSERT INTO api_key (key_id, organisation_id, environment, name, secret_hmac, scopes, tier, created_at, seal)
       SELECT 'FORGED00', organisation_id, environment, name, secret_hmac, scopes, tier, created_at, seal FROM api_key WHERE key_id = $1`,
      [keyId],
    );
    await tamper("UPDATE api_key SET key_id = 'FORGED01' WHERE key_id = $1", [keyId]);
    await becomes(() => codeOf(service.admin.withKey(key)), 'E1002');
  });

  it('invalidates all keys of an organisation whose tier was raised', async () => {
    const organisationId = await service.addOrganisation('raised');
    const { key } = await service.addKey({ organisationId, scopes: ['admin:*'] });
    const client = service.admin.withKey(key);
    expect(await codeOf(client)).to.equal('accepted');
    await tamper('UPDATE organisation SET tier = 3 WHERE id = $1', [organisationId]);
    await becomes(() => codeOf(client), 'E1002');
  });

  it('invalidates a key that was moved into the line of another', async () => {
    const [one, other] = [await service.addKey({ scopes: ['admin:*'] }), await service.addKey({ scopes: ['admin:*'] })];
    await tamper('UPDATE api_key SET replaced_by = $2 WHERE key_id = $1', [one.keyId, other.keyId]);
    await becomes(() => codeOf(service.admin.withKey(other.key)), 'E1002');
  });

  it('does not create a session', async () => {
    const { keyId } = await service.addKey({ scopes: ['admin:*'] });
    const token = randomBytes(32).toString('base64url');
    await tamper(
      `INSERT INTO dashboard_session (token_hash, key_id, created_at, last_seen_at, expires_at, seal)
       VALUES ($1, $2, now(), now(), now() + interval '1 hour', $3)`,
      [createHash('sha256').update(token).digest(), keyId, randomBytes(32)],
    );
    const forged = withCookie(service.admin, `custos_session=${token}`);
    expect((await forged.get('/v1/agents')).status).to.equal(401);
  });

  for (const change of [
    "expires_at = now() + interval '10 hours'",
    "last_seen_at = now() + interval '1 hour'",
    "created_at = now() - interval '1 second'",
    "environment = 'test'",
    'seal = NULL',
  ])
    it(`ends a session: ${change}`, async () => {
      const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
      const signed = await signIn(service.admin, key);
      expect((await signed.get('/v1/agents')).status).to.equal(200);
      await tamper(`UPDATE dashboard_session SET ${change} WHERE key_id = $1`, [keyId]);
      expect((await signed.get('/v1/agents')).status).to.equal(401);
    });

  it('denies an agent after any change, also when the row was deleted or put back', async () => {
    const client = await service.client({ scopes: ['intents:write', 'agents:write', 'agents:read'] });
    const changes = [
      "UPDATE agent SET status = 'ACTIVE' WHERE agent_id = $1",
      "UPDATE agent SET capabilities = '{root}' WHERE agent_id = $1",
      "UPDATE agent SET tags = '{trusted}' WHERE agent_id = $1",
      'DELETE FROM agent WHERE agent_id = $1',
      "UPDATE agent SET status = 'ACTIVE', version = 1, seal = (SELECT seal FROM kept WHERE kept.agent_id = agent.agent_id) WHERE agent_id = $1",
    ];
    await tamper('CREATE TABLE kept AS SELECT * FROM agent WHERE false');
    for (const [n, change] of changes.entries()) {
      const agentId = `paused-${n}`;
      await client.post('/v1/agents', { agentId, name: 'one' });
      await tamper('INSERT INTO kept OVERRIDING SYSTEM VALUE SELECT * FROM agent WHERE agent_id = $1', [agentId]);
      await client.request('PATCH', `/v1/agents/${agentId}`, { body: { status: 'PAUSED' } });
      expect(await verdictOf(client, agentId)).to.equal('DENY,AGENT_NOT_ACTIVE');
      await tamper(change, [agentId]);
      await stays(() => verdictOf(client, agentId), 'DENY,AGENT_NOT_ACTIVE');
      expect((await client.get(`/v1/agents/${agentId}`)).status, 'and is not shown as one').to.equal(404);
      // Ids are never reused.
      expect((await client.post('/v1/agents', { agentId, name: 'two' })).json.code).to.equal('E5003');
    }
  });

  it('halts an environment when changed, deleted or put back to a lifted state; an administrator can lift the halt', async () => {
    const organisationId = await service.addOrganisation('halting');
    const admin = service.admin.withKey((await service.addKey({ organisationId, scopes: ['admin:*'] })).key);
    const halted = async (): Promise<string> =>
      (await ask(admin, { agent_id: 'a', intent: 'read:data/x' })).reasons[0]?.code;
    const at = 'WHERE organisation_id = $1';
    const lift = async (): Promise<void> => {
      expect((await admin.request('DELETE', '/v1/halt')).status).to.equal(200);
      expect(await halted()).not.to.equal('HALTED');
    };
    await admin.post('/v1/halt', { reason: 'first' });
    await lift();
    const [lifted] = await service.rows<{ seal: Buffer; lifted_at: Date }>(`SELECT seal, lifted_at FROM halt ${at}`, [
      organisationId,
    ]);
    const changes: [string, unknown[]][] = [
      [`UPDATE halt SET lifted_at = now() ${at}`, []],
      [
        `UPDATE halt SET version = 2, lifted_at = $2, seal = $3, reason = 'first' ${at}`,
        [lifted?.lifted_at, lifted?.seal],
      ],
      [`UPDATE halt SET reason = 'nothing to see' ${at}`, []],
      [`DELETE FROM halt ${at}`, []],
    ];
    for (const [text, values] of changes) {
      await admin.post('/v1/halt', { reason: 'in force' });
      expect(await halted()).to.equal('HALTED');
      await tamper(text, [organisationId, ...values]);
      await stays(halted, 'HALTED');
      expect((await admin.get('/v1/halt')).json.halted).to.equal(true);
      await lift();
    }
    await tamper(
      `INSERT INTO halt (organisation_id, environment, reason, key_id, created_at) VALUES ($1, 'test', 'x', 'k', now())`,
      [organisationId],
    );
    expect((await admin.post('/v1/halt', { reason: 'again' })).json.reason).to.equal('again');
    await lift();
  });

  it('approves nothing', async () => {
    const client = await service.client();
    const intent = 'delete:db/asked/1';
    const id = await escalate(client, { agent_id: 'bot', intent });
    await tamper(
      "UPDATE approval SET state = 'approved', decided_by = 'BBBBBBBB', decided_at = now(), reason = 'ok' WHERE approval_id = $1",
      [id],
    );
    const use = async (approvalId: string, agentId = 'bot', asked = intent): Promise<string> =>
      gist(await ask(client, { agent_id: agentId, intent: asked, approval_id: approvalId })).join();
    expect(await use(id)).to.equal('DENY,APPROVAL_MISMATCH');
    expect((await service.admin.get(`/v1/approvals/${id}`)).status).to.equal(404);
    expect((await approve(service.admin, id)).status).to.equal(404);
    expect((await service.admin.get('/v1/approvals?agentId=bot')).json.items).to.deep.equal([]);
    // The next such request opens no approval: the refused row occupies its place.
    const again = await ask(client, { agent_id: 'bot', intent });
    expect([again.verdict, again.approval]).to.deep.equal(['ESCALATE', undefined]);
  });

  it('is not used twice when it is put back to its approved state', async () => {
    const client = await service.client();
    const intent = 'delete:db/asked/2';
    const id = await escalate(client, { agent_id: 'twice', intent });
    await approve(service.admin, id);
    const [approved] = await service.rows<{ seal: Buffer }>('SELECT seal FROM approval WHERE approval_id = $1', [id]);
    const use = async (): Promise<string> =>
      (await ask(client, { agent_id: 'twice', intent, approval_id: id })).verdict;
    expect(await use()).to.equal('ALLOW');
    await tamper(
      "UPDATE approval SET state = 'approved', used_at = NULL, used_by = NULL, used_decision_id = NULL, version = 2, seal = $2 WHERE approval_id = $1",
      [id, approved?.seal],
    );
    expect(await use()).to.equal('DENY');
  });

  it('prevents decisions on an approval whose line of keys was changed', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const asker = service.admin.withKey(key);
    const id = await escalate(asker, { agent_id: 'line', intent: 'delete:db/asked/3' });
    const rotated = await service.admin.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '1h' });
    const successor = service.admin.withKey(rotated.json.key);
    expect((await approve(successor, id)).json.code).to.equal('E1004');
    await tamper('UPDATE api_key SET replaced_by = NULL WHERE key_id = $1', [keyId]);
    expect((await approve(successor, id)).json.code).to.equal('E1004');
  });

  it('puts no policy set into force, not even one that was in force before', async () => {
    const client = await service.client();
    const verdict = async (): Promise<string> =>
      (await ask(client, { agent_id: 'p', intent: 'delete:db/asked/4' })).verdict;
    await service.apply(PERMITTING);
    const [before] = await service.rows<{ active_digest: string; activated_at: Date; seal: Buffer; version: number }>(
      'SELECT active_digest, activated_at, seal, version FROM policy_state',
    );
    expect(await verdict()).to.equal('ALLOW');
    await service.apply(ESCALATING);
    expect(await verdict()).to.equal('ESCALATE');
    await tamper('UPDATE policy_state SET active_digest = $1', [before?.active_digest]);
    await stays(verdict, 'ESCALATE');
    await tamper('UPDATE policy_state SET active_digest = $1, activated_at = $2, seal = $3, version = $4', [
      before?.active_digest,
      before?.activated_at,
      before?.seal,
      before?.version,
    ]);
    await stays(verdict, 'ESCALATE');
    for (const change of ['UPDATE policy_state SET active_digest = NULL, seal = NULL', 'DELETE FROM policy_state']) {
      await tamper(change);
      await stays(verdict, 'ESCALATE');
      // As a worker does at its next read of the folder.
      await service.apply(ESCALATING);
      await stays(verdict, 'ESCALATE');
    }
  });
});
