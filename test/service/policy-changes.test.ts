// Changes of the policy set over HTTP: push, rollback, the folder afterwards, the second approver, and hostile sets.
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import { type Signers, signSet } from '../../shared/core/policy/signature.ts';
import { changePolicySet, decideChange } from '../../shared/domain/policy-sets/change.ts';
import { applyFolder } from '../../workers/policies.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { smallLexicon } from '../support/lexicon.ts';
import { folderOf, type PolicyFiles, type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { recordOf } from './receipt-setup.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const logger = createLogger({ name: 'test', level: 'silent', pretty: false });

/** One policy that answers all reads. */
function setOf(effect: 'ALLOW' | 'DENY' | 'ESCALATE', name: string): PolicyFiles {
  const conditions = { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] };
  const rules = [{ name: 'all-reads', conditions, event: { type: effect, params: { code: name, message: name } } }];
  const target = { actions: ['read'], resources: ['*'] };
  return { 'reads.json': { id: 'reads', description: name, stage: 'enforce', target, rules } };
}

const filesOf = (set: PolicyFiles): { path: string; text: string }[] =>
  Object.entries(set).map(([file, policy]) => ({ path: file, text: JSON.stringify(policy) }));

interface Admin {
  readonly key: string;
  readonly keyId: string;
  readonly client: Client;
}

describe('a change of the policy set', () => {
  let service: Service;
  /** A second process on the same database that demands a second person. */
  let strict: Service;
  let worker: TestWorker;
  let first: Admin;
  let second: Admin;
  before(async () => {
    service = await startService({ words: 'few' });
    const { databaseUrl } = service;
    strict = await startService({ databaseUrl, words: 'few', env: { CUSTOS_POLICY_APPROVALS: '1' } });
    worker = await startTestWorker(service);
    const keyOf = async (): Promise<Admin> => {
      const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
      return { key, keyId, client: service.admin.withKey(key) };
    };
    [first, second] = [await keyOf(), await keyOf()];
    // The first record makes the log.
    await verdictOf(service);
    await worker.append();
  });
  after(async () => {
    await worker?.close();
    await strict?.close();
    await service?.close();
  });

  const push = (set: PolicyFiles, more: object = {}, by = first.client): Promise<ClientResponse> =>
    by.post('/v1/policies', { files: filesOf(set), reason: 'a reason', ...more });
  const inForce = async (): Promise<{ digest: string; [member: string]: unknown }> =>
    (await service.admin.get('/v1/policies')).json;
  const verdictOf = async (on: Service): Promise<string> =>
    (await on.admin.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a' })).json.verdict;
  const edit = async (set: PolicyFiles | undefined): Promise<void> => {
    await applyFolder({ db: service.db, nowMs: service.nowMs, logger }, await folderOf(set, 'few'));
    await settled();
  };
  /** Waits until the process has the state of the database. */
  const settled = async (): Promise<void> => {
    await waitFor(
      async () => {
        const [row] = await service.rows<{ digest: string; folder: string; source: string }>(
          "SELECT active_digest AS digest, folder_digest AS folder, coalesce(source, 'folder') AS source FROM policy_state",
        );
        const { digest, folder, source } = await inForce();
        const seen = (folder as { digest: string | null }).digest;
        return row?.digest === digest && row.folder === seen && row.source === source;
      },
      { what: 'the process to see the change' },
    );
  };
  /** Writes past the service, as an administrator of the database. */
  const forge = (statement: string): Promise<unknown> => service.rows(statement);
  /** The bodies of the records of policy sets in the operator's live log, oldest first. */
  const records = async (): Promise<Record<string, unknown>[]> => {
    await worker.append();
    const { items } = (await service.admin.get('/v1/proofs/chain/custos%3Apolicies?limit=200')).json;
    return items.map((item: { record: string }) => recordOf(item).payload.body);
  };

  it('is pushed by one key, approved by another, in force everywhere, rolled back, and in the log with names', async () => {
    const before = (await inForce()).digest;
    expect(await verdictOf(service)).to.equal('ALLOW');
    const asked = await strict.admin
      .withKey(first.key)
      .post('/v1/policies', { files: filesOf(setOf('DENY', 'CLOSED')), reason: 'incident 7', expectedDigest: before });
    expect(asked.status, asked.text).to.equal(202);
    const { approval, digest } = asked.json;
    expect(asked.json).to.deep.include({ status: 'waiting', previousDigest: before, author: first.keyId });
    expect((await inForce()).digest, 'nothing is in force without the second person').to.equal(before);
    const place = `/v1/policies/approvals/${approval.approvalId}`;
    const detail = (await second.client.get(place)).json;
    expect(detail).to.deep.include({ author: first.keyId, reason: 'incident 7', status: 'pending' });
    expect(detail.mayDecide).to.equal(true);
    expect(detail.comparison.parts).to.deep.include({ name: 'reads', change: 'changed' });
    const example = detail.comparison.examples.find(({ rule }: { rule: string }) => rule === 'reads/all-reads');
    expect(example).to.deep.include({ in: 'after', before: 'ALLOW', after: 'DENY' });
    const own = await first.client.post(`${place}/approve`, { reason: 'mine' });
    expect([own.status, own.json.code]).to.deep.equal([403, 'E1004']);

    const approved = await second.client.post(`${place}/approve`, { reason: 'agreed' });
    expect(approved.json, approved.text).to.deep.include({ status: 'used', decidedBy: second.keyId });
    await waitFor(async () => (await verdictOf(service)) === 'DENY', { what: 'the set in the first process' });
    await waitFor(async () => (await verdictOf(strict)) === 'DENY', { what: 'the set in the second process' });
    expect(await inForce()).to.deep.include({ digest, author: first.keyId, reason: 'incident 7', source: 'push' });

    const back = await second.client.post('/v1/policies/rollback', { digest: before, reason: 'incident over' });
    expect(back.status, back.text).to.equal(201);
    await waitFor(async () => (await verdictOf(strict)) === 'ALLOW', { what: 'the old set in the second process' });
    const again = await second.client.post(`${place}/approve`, { reason: 'again' });
    expect(again.json.code, 'an approval is used once').to.equal('E5001');
    const said = (await records()).slice(-3);
    const pushed = { digest, previousDigest: before, author: first.keyId, reason: 'incident 7', source: 'push' };
    expect(said).to.deep.equal([
      { change: 'proposed', approvalId: approval.approvalId, ...pushed },
      { change: 'activated', ...pushed, approver: second.keyId, signer: null },
      {
        change: 'activated',
        digest: before,
        previousDigest: digest,
        author: second.keyId,
        reason: 'incident over',
        source: 'rollback',
        approver: null,
        signer: null,
      },
    ]);
  });

  it('stays in force while the folder is edited, until the folder is followed again', async () => {
    const pushed = await push(setOf('DENY', 'PINNED'));
    expect(pushed.status, pushed.text).to.equal(201);
    await edit(setOf('ESCALATE', 'EDITED'));
    const held = await inForce();
    expect(held).to.deep.include({ digest: pushed.json.digest, source: 'push' });
    const folder = held['folder'] as { digest: string; isFollowed: boolean };
    expect(folder.isFollowed).to.equal(false);
    expect(folder.digest).not.to.equal(pushed.json.digest);
    // A restart reads the folder again.
    await edit(setOf('ESCALATE', 'EDITED'));
    expect((await inForce()).digest).to.equal(pushed.json.digest);
    const followed = await first.client.post('/v1/policies/follow-folder', { reason: 'back to the folder' });
    expect(followed.status, followed.text).to.equal(201);
    await settled();
    expect(await inForce()).to.deep.include({ digest: folder.digest, author: first.keyId, source: 'folder' });
    await edit(undefined);
    expect(await inForce()).to.deep.include({ author: 'folder', reason: null, source: 'folder' });
  });

  it('to the set of the folder is one to what the folder has now, never to that of an earlier read', async () => {
    const { digest } = (await push(setOf('DENY', 'PINNED_AGAIN'))).json;
    const { db, nowMs } = service;
    const rules = { needsApproval: false, approvalTtlMs: 60_000, signers: undefined };
    const readNow = async (): Promise<string> => ((await inForce())['folder'] as { digest: string }).digest;
    const follow = (folder: string) =>
      db
        .transaction((sql) =>
          changePolicySet(sql, { digest: folder, author: 'x', reason: 'r', source: 'folder' }, rules, nowMs()),
        )
        .then(({ kind }) => kind)
        .catch((error: { code: string }) => error.code);
    await edit(setOf('ALLOW', 'EARLIER'));
    const earlier = await readNow();
    await edit(setOf('DENY', 'NEWER'));
    expect(await follow(earlier)).to.equal('E5002');
    expect((await inForce()).digest).to.equal(digest);
    expect(await follow(await readNow())).to.equal('activated');
    await edit(undefined);
  });

  it('is restored, with its author, when the row of the set in force is forged', async () => {
    const old = (await inForce()).digest;
    const { digest } = (await push(setOf('DENY', 'FORGED'))).json;
    await service.rows('UPDATE policy_state SET active_digest = $1, source = NULL', [old]);
    const refused = await push(setOf('ALLOW', 'MEANWHILE'));
    expect(refused.json.code).to.equal('E6002');
    await edit(undefined);
    expect(await inForce()).to.deep.include({ digest, author: first.keyId, source: 'push' });
    expect((await first.client.post('/v1/policies/follow-folder', { reason: 'done' })).status).to.equal(201);
    await settled();
  });

  it('is restored behind any number of forged rows of activations, not replaced by the set of the folder', async () => {
    const { digest } = (await push(setOf('DENY', 'FLOODED'))).json;
    await forge("UPDATE policy_state SET source = 'folder'");
    await forge(`INSERT INTO policy_activation (digest, activated_at, author, source)
      SELECT digest, now(), 'folder', 'folder' FROM policy_set, generate_series(1, 250) LIMIT 250`);
    await edit(setOf('ALLOW', 'OF_FOLDER'));
    expect(await inForce()).to.deep.include({ digest, author: first.keyId, source: 'push' });
    expect((await first.client.post('/v1/policies/follow-folder', { reason: 'done' })).status).to.equal(201);
    await edit(undefined);
  });

  it('has no effect when the set is in force already, is repeated under its Idempotency-Key, and is refused when another set is in force', async () => {
    const { digest: before } = await inForce();
    const headers = { 'idempotency-key': 'push-1' };
    const body = { files: filesOf(setOf('DENY', 'ONCE')), reason: 'once', expectedDigest: before };
    const made = await first.client.post('/v1/policies', body, { headers });
    const repeated = await first.client.post('/v1/policies', body, { headers });
    expect([made.status, repeated.status, repeated.text]).to.deep.equal([201, 201, made.text]);
    const same = await push(setOf('DENY', 'ONCE'));
    expect([same.status, same.json.status]).to.deep.equal([200, 'unchanged']);
    const stale = await push(setOf('DENY', 'LATE'), { expectedDigest: before });
    expect([stale.status, stale.json.code]).to.deep.equal([409, 'E5002']);
    const rivals = await Promise.all(
      ['A', 'B', 'C'].map((name) => push(setOf('DENY', name), { expectedDigest: made.json.digest })),
    );
    expect(rivals.map(({ status }) => status).sort(), 'one of three wins').to.deep.equal([201, 409, 409]);
  });

  it('without a lexicon never undoes the words that another change brought while it was checked', async () => {
    const words = JSON.parse(smallLexicon().text) as { fillers: string[] };
    const lexicon = { path: 'lexicon.json', text: JSON.stringify({ ...words, fillers: [...words.fillers, 'verily'] }) };
    const withWords = { files: [...filesOf(setOf('DENY', 'NEW_WORDS')), lexicon], reason: 'new words' };
    // One set is checked at a time: the second waits, and knows only the lexicon of before.
    const [pushed, late] = await Promise.all([
      first.client.post('/v1/policies', withWords),
      push(setOf('DENY', 'OLD_WORDS'), {}, second.client),
    ]);
    expect([pushed.status, pushed.json.code]).to.deep.equal([201, undefined]);
    // The other order is possible, too.
    if (late.status !== 201) expect([late.status, late.json.code]).to.deep.equal([409, 'E5002']);
    await push(setOf('DENY', 'OLD_WORDS'), {}, second.client);
    await settled();
    const { lexicon: stored } = (await service.admin.get(`/v1/policies/${(await inForce()).digest}`)).json;
    expect(stored.fillers).to.include('verily');
  });

  it('supersedes changes that were proposed for the set before', async () => {
    const propose = (name: string) =>
      strict.admin.post('/v1/policies', { files: filesOf(setOf('DENY', name)), reason: name });
    const waiting = async () => {
      const { status, json } = await propose('WAITING');
      expect(status, JSON.stringify(json)).to.equal(202);
      return json.approval;
    };
    const approval = await waiting();
    expect((await waiting()).approvalId, 'not opened twice').to.equal(approval.approvalId);
    // Rows that somebody inserted do not hide it.
    await forge(`INSERT INTO policy_proposal (approval_id, digest, author, source, state, created_at, expires_at)
      SELECT 'apr_y' || n, (SELECT min(digest) FROM policy_set), 'folder', 'folder', 'pending', now(), now() + interval '1 day'
      FROM generate_series(1, 1001) AS n`);
    await push(setOf('DENY', 'OVERTAKES'));
    const late = await second.client.post(`/v1/policies/approvals/${approval.approvalId}/approve`, { reason: 'late' });
    expect([late.status, late.json.code]).to.deep.equal([409, 'E5001']);
    const { items } = (await second.client.get('/v1/policies/approvals?limit=1')).json;
    expect(items[0]).to.deep.include({ approvalId: approval.approvalId, status: 'superseded' });
  });

  it('of a stage, its promotion and its drop waits for approval, too; a share changes no verdict and does not', async () => {
    const { digest: before } = await inForce();
    const organisationId = await service.addOrganisation('trial');
    const tenant = await service.client({ scopes: ['admin:*'], organisationId });
    const propose = (method: 'POST' | 'DELETE', path: string, body: object) =>
      strict.admin.withKey(first.key).request(method, path, { body });
    const approve = async ({ json }: ClientResponse, word = 'approve'): Promise<ClientResponse> =>
      second.client.post(`/v1/policies/approvals/${json.approval.approvalId}/${word}`, { reason: 'seen' });
    const staging = { files: filesOf(setOf('DENY', 'TRIAL')), reason: 'try', stage: { organisations: ['trial'] } };
    const asked = await propose('POST', '/v1/policies', staging);
    expect(asked.json.approval).to.deep.include({ source: 'stage', stage: { organisations: ['trial'] } });
    const ofTenant = async (): Promise<string> => (await tenant.get('/v1/policies')).json.digest;
    expect([asked.status, await ofTenant()]).to.deep.equal([202, before]);
    expect((await approve(asked)).json.status).to.equal('used');
    const { digest } = asked.json;
    await waitFor(async () => (await ofTenant()) === digest, { what: 'the staged set' });
    expect((await inForce()).digest).to.equal(before);
    const { items } = (await tenant.get('/v1/policies/activations?limit=1')).json;
    expect(items[0]).to.deep.include({ digest, organisation: 'trial', author: first.keyId, approver: second.keyId });

    const dropping = await propose('DELETE', `/v1/policies/stages/${digest}`, { reason: 'over' });
    expect([dropping.status, dropping.json.approval.stage]).to.deep.equal([202, { drop: true }]);
    expect((await approve(dropping, 'reject')).json.status).to.equal('rejected');
    const promoting = await propose('POST', '/v1/policies/promote', { digest, reason: 'for all' });
    expect([promoting.status, (await approve(promoting)).json.status]).to.deep.equal([202, 'used']);
    await waitFor(async () => (await inForce()).digest === digest, { what: 'the promoted set' });
    const share = { files: filesOf(setOf('ESCALATE', 'SHARE')), reason: 'look', stage: { share: 0.1 } };
    expect((await propose('POST', '/v1/policies', share)).json.status).to.equal('staged');
    const last = (await records()).at(-1);
    expect(last).to.deep.include({ change: 'staged', share: 0.1, author: first.keyId });
  });

  it('needs as many different approvers as the rules demand, each with one of the named keys or tags, and each on record', async () => {
    const { db, nowMs } = service;
    const rules = { needsApproval: true, approvalTtlMs: 60_000, signers: undefined, quorum: 2 };
    const named = { ...rules, approvers: { keys: [second.keyId], tags: ['security'] } };
    const guard = await service.addKey({ scopes: ['admin:*'], tags: ['security'] });
    const outsider = await service.addKey({ scopes: ['admin:*'] });
    const { digest } = (await push(setOf('DENY', 'QUORUM'), { stage: { share: 1 } })).json;
    const change = { digest, author: first.keyId, reason: 'r', source: 'push' as const };
    const proposed = await db.transaction((sql) => changePolicySet(sql, change, named, nowMs()));
    if (proposed.kind !== 'proposed') return expect.fail(proposed.kind);
    const { approval_id: id } = proposed.proposal;
    const approve = async (by: string): Promise<string> => {
      const decision = { state: 'approved' as const, by, reason: `by ${by}`, nowMs: nowMs() };
      return db
        .transaction(async (sql) => (await decideChange(sql, id, decision, named)).state as string)
        .catch((error: { code: string }) => error.code);
    };
    expect(await approve(outsider.keyId)).to.equal('E1004');
    expect(await approve('cli:root'), 'the shell has no tags').to.equal('E1004');
    expect(await approve(guard.keyId)).to.equal('pending');
    expect(await approve(guard.keyId), 'a second vote of the same key').to.equal('pending');
    expect((await inForce()).digest).not.to.equal(digest);
    expect(await approve(second.keyId)).to.equal('used');
    await settled();
    expect((await inForce()).digest).to.equal(digest);
    const said = (await records()).slice(-2);
    expect(said[0]).to.deep.equal({
      change: 'vote',
      approvalId: id,
      digest,
      by: guard.keyId,
      reason: `by ${guard.keyId}`,
    });
    expect(said[1]).to.deep.include({ change: 'activated', approver: `${guard.keyId}, ${second.keyId}` });
  });

  it('from the shell is approved with a key: other users of the shell count as the same person, and may only reject', async () => {
    const { db, nowMs } = service;
    const rules = { needsApproval: true, approvalTtlMs: 60_000, signers: undefined };
    const { digest } = (await push(setOf('ALLOW', 'SHELL'))).json;
    await push(setOf('ALLOW', 'AFTER_SHELL'));
    const decide = async (author: string, by: string, state: 'approved' | 'rejected'): Promise<string> => {
      const change = { digest, author, reason: 'r', source: 'rollback' as const };
      const proposed = await db.transaction((sql) => changePolicySet(sql, change, rules, nowMs()));
      if (proposed.kind !== 'proposed') return expect.fail(proposed.kind);
      const id = proposed.proposal.approval_id;
      return db
        .transaction(
          async (sql) => (await decideChange(sql, id, { state, by, reason: 'b', nowMs: nowMs() }, rules)).state,
        )
        .catch((error: { code: string }) => error.code);
    };
    expect(await decide('cli:alice', 'cli:bob', 'approved')).to.equal('E1004');
    expect(await decide('cli:alice', 'cli:bob', 'rejected')).to.equal('rejected');
    expect(await decide(first.keyId, 'cli:bob', 'rejected')).to.equal('rejected');
    expect(await decide('cli:alice', first.keyId, 'approved')).to.equal('used');
    await settled();
  });

  it('waits for approval when the folder is edited, and any other admin may decide', async () => {
    await first.client.post('/v1/policies/follow-folder', { reason: 'for the test' });
    await settled();
    const { digest: before } = await inForce();
    const rules = { needsApproval: true, approvalTtlMs: 3_600_000, signers: undefined };
    const { db, nowMs } = service;
    const folder = await folderOf(setOf('DENY', 'BY_FOLDER'));
    for (let reads = 0; reads < 2; reads += 1) await applyFolder({ db, nowMs, logger, rules }, folder);
    expect((await inForce()).digest).to.equal(before);
    const { items } = (await second.client.get('/v1/policies/approvals')).json;
    const open = items.filter(({ status }: { status: string }) => status === 'pending');
    expect(open).to.have.lengthOf(1);
    expect(open[0]).to.deep.include({ author: 'folder', source: 'folder', reason: null });
    const rejected = await second.client.post(`/v1/policies/approvals/${open[0].approvalId}/reject`, { reason: 'no' });
    expect(rejected.json.status).to.equal('rejected');
    await applyFolder({ db, nowMs, logger, rules }, folder);
    const after = (await second.client.get('/v1/policies/approvals')).json.items;
    expect(after, 'a rejected edit is not proposed again').to.have.lengthOf(items.length);
    await edit(undefined);
  });

  it('needs a signature of a trusted signer with a higher sequence, where signers are named', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const other = generateKeyPairSync('ed25519').privateKey;
    const rules = { needsApproval: false, approvalTtlMs: 0, signers: new Map([['alice', publicKey]]) };
    const { db, nowMs } = service;
    const [digest, older] = [
      (await push(setOf('DENY', 'SIGNED'))).json.digest,
      (await push(setOf('DENY', 'X'))).json.digest,
    ];
    const change = async (of: string, signature: string | undefined): Promise<string> => {
      try {
        const asked = { digest: of, author: 'cli:x', reason: 'r', source: 'rollback' as const, signature };
        const result = await db.transaction((sql) => changePolicySet(sql, asked, rules, nowMs()));
        return result.kind === 'activated' ? `activated, signed by ${result.signer}` : result.kind;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const line = (key = privateKey, of = digest, sequence = 5n, signer = 'alice'): string =>
      signSet(key, { signer, digest: of, sequence });
    expect(await change(digest, undefined)).to.contain('is missing');
    expect(await change(digest, 'custos-set-v1 alice')).to.contain('is not a line');
    expect(await change(digest, line(other))).to.contain('does not match');
    expect(await change(digest, line(privateKey, older))).to.contain('does not match');
    expect(await change(digest, line(privateKey, digest, 5n, 'bob'))).to.contain('not among the signers');
    expect(await change(digest, line())).to.equal('activated, signed by alice');
    expect(await change(older, line(privateKey, older, 6n))).to.equal('activated, signed by alice');
    expect(await change(digest, line()), 'an old signed set can not be replayed').to.contain('is too old');
    await forge(`INSERT INTO policy_activation (digest, activated_at, signed_sequence)
      SELECT digest, now(), 7 FROM policy_set, generate_series(1, 250) LIMIT 250`);
    expect(await change(digest, line()), 'nor behind forged rows').to.contain('is too old');
    const folder = await folderOf(setOf('ALLOW', 'UNSIGNED'));
    await first.client.post('/v1/policies/follow-folder', { reason: 'for the test' });
    await settled();
    expect(await applyFolder({ db, nowMs, logger, rules }, folder)).to.equal(false);
    await settled();
    const { lastRead } = (await service.admin.get('/v1/policies')).json;
    expect(lastRead.findings[0]).to.deep.include({ file: 'set.sig', code: 'SIGNATURE' });
    await edit(undefined);
  });

  it('needs that signature also when no row of an activation is left', async () => {
    const alone = await startService({ words: 'few' });
    try {
      const { digest } = (await alone.admin.get('/v1/policies')).json;
      await alone.rows('ALTER TABLE policy_activation DISABLE TRIGGER insert_only');
      await alone.rows('DELETE FROM policy_activation');
      await alone.rows("UPDATE policy_state SET source = 'push'");
      const rules = {
        needsApproval: false,
        approvalTtlMs: 0,
        signers: new Map([['alice', generateKeyPairSync('ed25519').publicKey]]),
      };
      const { db, nowMs } = alone;
      const folder = await folderOf(setOf('ALLOW', 'UNSIGNED'), 'few');
      expect(await applyFolder({ db, nowMs, logger, rules }, folder)).to.equal(false);
      expect(await alone.rows('SELECT active_digest AS digest FROM policy_state')).to.deep.equal([{ digest }]);
    } finally {
      await alone.close();
    }
  });

  it('that waits shows the key that proposed it, and its signature is checked again with the signers of the time of the approval', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const author = await service.addKey({ scopes: ['admin:*'], name: 'first', tags: ['policies'] });
    const { digest } = (await push(setOf('DENY', 'WAITS_SIGNED'))).json;
    await push(setOf('DENY', 'AFTER_SIGNED'));
    const { db, nowMs } = service;
    const waiting = { needsApproval: true, approvalTtlMs: 60_000, signers: new Map([['alice', publicKey]]) };
    const asked = { digest, author: author.keyId, reason: 'r', source: 'rollback' as const };
    const signed = { ...asked, signature: signSet(privateKey, { signer: 'alice', digest, sequence: 50n }) };
    const proposed = await db.transaction((sql) => changePolicySet(sql, signed, waiting, nowMs()));
    if (proposed.kind !== 'proposed') return expect.fail(proposed.kind);
    const { approval_id: id } = proposed.proposal;
    const decide = async (signers: Signers): Promise<string> => {
      const decision = { state: 'approved' as const, by: second.keyId, reason: 'b', nowMs: nowMs() };
      return db
        .transaction(async (sql) => (await decideChange(sql, id, decision, { ...waiting, signers })).state as string)
        .catch((error: Error) => error.message);
    };
    const renewed = generateKeyPairSync('ed25519').publicKey;
    expect(await decide(new Map([['alice', renewed]])), 'the key of the signer was replaced').to.contain('not match');
    expect(await decide(new Map([['bob', publicKey]])), 'the signer was removed').to.contain('not among the signers');
    const shown = (await second.client.get(`/v1/policies/approvals/${id}`)).json;
    expect(shown).to.deep.include({ author: author.keyId, signer: 'alice', signature: signed.signature });
    expect(shown.authorKey).to.deep.equal({ name: 'first', tags: ['policies'] });
    expect(await decide(waiting.signers)).to.equal('used');
    await settled();
  });

  describe('is refused', () => {
    const good = filesOf(setOf('DENY', 'GOOD'));
    const text = good[0]?.text ?? '';
    const cases: [what: string, files: { path: string; text: string }[], says: string][] = [
      ['a broken lexicon', [...good, { path: 'lexicon.json', text: '{}' }], 'lexicon.json:1'],
      ['a path that leaves the folder', [...good, { path: '../x.json', text }], 'relative to the policy folder'],
      ['an absolute path', [...good, { path: '/etc/x.json', text }], 'relative to the policy folder'],
      ['a path with a backslash', [...good, { path: 'a\\b.json', text }], 'relative to the policy folder'],
      ['a file that the folder ignores', [...good, { path: 'tests/x.json', text }], 'does not belong to the set'],
      ['another suffix', [...good, { path: 'x.JSON', text }], 'the name of a policy file ends'],
      ['two files of one path', [...good, ...good], 'is there twice'],
      ['one id in two files', [...good, { path: '__proto__.json', text: text.replace('GOOD', 'BAD') }], 'also that of'],
      ['a broken policy', [{ path: 'a/b.json', text: '{\n  "id": }' }], 'a/b.json:2:9'],
    ];
    for (const [what, files, says] of cases)
      it(`with file and line: ${what}`, async () => {
        await settled();
        const { digest } = await inForce();
        const answer = await first.client.post('/v1/policies', { files, reason: 'r' });
        expect([answer.status, answer.json.code], answer.text).to.deep.equal([422, 'E2001']);
        expect(answer.text).to.contain(says);
        expect((await inForce()).digest).to.equal(digest);
      });

    it('when it is larger than 8 MB, or 4 MB where it is only validated', async () => {
      for (const [place, limit] of [
        ['/v1/policies', 8 * 1_048_576],
        ['/v1/policies/validate', 4 * 1_048_576],
      ] as const)
        for (const [bytes, expected] of [
          [limit, [400, 'E2001']],
          [limit + 1, [413, 'E2005']],
        ] as const) {
          const { status, json } = await first.client.request('POST', place, { raw: '{"files":[]}'.padEnd(bytes) });
          expect([status, json.code], `${place} ${bytes}`).to.deep.equal(expected);
        }
    });

    it('when it has no reason, an unknown digest, or another key than an admin of the operator', async () => {
      const blank = await push(setOf('DENY', 'GOOD'), { reason: ' ' });
      expect([blank.status, blank.json.errors[0].pointer]).to.deep.equal([400, '/reason']);
      const strange = await push(setOf('DENY', 'GOOD'), { digest: 'x' });
      expect([strange.status, strange.json.code]).to.deep.equal([400, 'E2001']);
      const unknown = await first.client.post('/v1/policies/rollback', { digest: '0'.repeat(64), reason: 'r' });
      expect([unknown.status, unknown.json.code]).to.deep.equal([404, 'E4001']);
      const tenant = await service.client({
        scopes: ['admin:*'],
        organisationId: await service.addOrganisation('pushing'),
      });
      const inTest = await service.client({ scopes: ['admin:*'], environment: 'test' });
      const refused = [
        [inTest, '/v1/policies', { files: good, reason: 'r' }],
        [inTest, '/v1/policies/rollback', { digest: '0'.repeat(64), reason: 'r' }],
        ...[tenant, inTest].map((by) => [by, '/v1/policies/follow-folder', { reason: 'r' }] as const),
      ] as const;
      // For an organisation a rollback is one of its own policies.
      const rolledBack = await tenant.post('/v1/policies/rollback', { digest: '0'.repeat(64), reason: 'r' });
      expect(rolledBack.json.code).to.equal('E4001');
      for (const [by, place, body] of refused) expect((await by.post(place, body)).json.code).to.equal('E1004');
    });

    /** A stored set that this version can't load. */
    let unloadable = '';
    before(async () => {
      const [row] = await service.rows<{ digest: string }>(
        `INSERT INTO policy_set VALUES (encode(sha256(convert_to($1, 'UTF8')), 'hex'), convert_to($1, 'UTF8'), now()) RETURNING digest`,
        ['{"engine":2,"lexicon":{},"policies":[]}'],
      );
      unloadable = row?.digest ?? '';
    });
    const propose = (digest: string): Promise<string> =>
      service.db.transaction(async (sql) => {
        const { nowMs } = service;
        const rules = { needsApproval: true, approvalTtlMs: 60_000, signers: undefined };
        const change = { digest, author: first.keyId, reason: 'before the update', source: 'push' as const };
        const proposed = await changePolicySet(sql, change, rules, nowMs());
        return proposed.kind === 'proposed' ? proposed.proposal.approval_id : proposed.kind;
      });
    const WAYS: Readonly<Record<string, (digest: string) => Promise<ClientResponse>>> = {
      'a rollback': (digest) => first.client.post('/v1/policies/rollback', { digest, reason: 'r' }),
      'a promotion': (digest) => first.client.post('/v1/policies/promote', { digest, reason: 'r' }),
      'an approval': async (digest) =>
        second.client.post(`/v1/policies/approvals/${await propose(digest)}/approve`, { reason: 'r' }),
    };
    for (const [way, put] of Object.entries(WAYS))
      it(`when it is a stored set that this version can no longer load: ${way}`, async () => {
        const { digest: before } = await inForce();
        const answer = await put(unloadable);
        expect([answer.status, answer.json.code]).to.deep.equal([422, 'E2001']);
        expect(answer.json.detail).to.contain('must be 1');
        await settled();
        expect((await inForce()).digest).to.equal(before);
      });
  });

  it('does not lock out its author, whatever the set denies; thousands of files do not block other requests', async () => {
    await push({
      'none.json': {
        ...(Object.values(setOf('DENY', 'ALL'))[0] as object),
        target: { actions: ['*'], resources: ['*'] },
      },
    });
    const many = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => {
        const [policy] = Object.values(setOf('DENY', 'MANY'));
        const target = { actions: ['read'], resources: [`db/t${i}/*`] };
        return [`p${i}.json`, { ...(policy as object), id: `p-${i}`, target }] as const;
      }),
    );
    const raw = Buffer.from(JSON.stringify({ files: filesOf(many), reason: 'many' }));
    let slowestMs = 0;
    let isDone = false;
    const pushedAtMs = performance.now();
    const pushing = first.client.request('POST', '/v1/policies', { raw }).finally(() => (isDone = true));
    while (!isDone) {
      const startedMs = performance.now();
      await service.admin.get('/health', { check: false });
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    }
    const answer = await pushing;
    expect(answer.status, answer.text.slice(0, 300)).to.equal(201);
    expect(slowestMs, 'the longest wait').to.be.lessThan((performance.now() - pushedAtMs) / 2);
  });
});
