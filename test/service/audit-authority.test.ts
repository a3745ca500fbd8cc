// Rows that grant authority and differ from their records: every kind of edit is found in the next run of the audit,
// and the log signs nothing more until an operator has accepted the finding.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Auditor, createAuditor } from '../../shared/domain/ledger/audit.ts';
import { logProblems } from '../../shared/domain/ledger/log-states.ts';
import { createAuthorityAudit } from '../../shared/domain/ledger/audit-authority.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { acceptLostLog, ResumeError, resumeLog } from '../../shared/domain/ledger/resume.ts';
import type { Finding, FindingKind } from '../../shared/core/proof/audit-findings.ts';
import { asSuperuser } from '../support/database.ts';
import { checkpointsOf } from '../support/keys.ts';
import { ESCALATING, escalate } from '../support/escalations.ts';
import { signIn } from '../support/dashboard.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

interface Case {
  readonly name: string;
  /** Acts as a superuser who knows the code: triggers do not run. */
  readonly sql: string;
  readonly finds: FindingKind;
  /** Undoes the edit. */
  readonly undo: string;
}

const KEEP = (table: string): string => `CREATE TABLE IF NOT EXISTS kept_${table} AS TABLE ${table}`;
const PUT_BACK = (table: string): string =>
  `DELETE FROM ${table}; INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table}`;
const TABLES = ['api_key', 'agent', 'halt', 'dashboard_session', 'approval', 'policy_state', 'policy_set'];
const change = (name: string, sql: string, finds: FindingKind): Case => {
  const table = /(?:UPDATE|FROM|INTO) (\w+)/.exec(sql)?.[1] ?? '';
  // The activated policy set is deleted together with the state that names it.
  const undo = table === 'policy_set' ? `${PUT_BACK(table)}; ${PUT_BACK('policy_state')}` : PUT_BACK(table);
  return { name, sql, finds, undo };
};
const copyOf = (table: string, members: string, where: string): string =>
  `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(${table}, '${members}')).* FROM ${table} WHERE ${where}`;

const CASES: readonly Case[] = [
  change('a key is un-revoked', "UPDATE api_key SET revoked_at = NULL WHERE name = 'revoked'", 'key-altered'),
  change("a key's scopes are widened", "UPDATE api_key SET scopes = '{admin:*}' WHERE name = 'narrow'", 'key-altered'),
  change("a key's agents are widened", "UPDATE api_key SET agent_ids = NULL WHERE name = 'narrow'", 'key-altered'),
  change("a key's life is lengthened", "UPDATE api_key SET expires_at = NULL WHERE name = 'narrow'", 'key-altered'),
  change("a key's tier is raised", "UPDATE api_key SET tier = 7 WHERE name = 'narrow'", 'key-altered'),
  change('a key gets a tag', "UPDATE api_key SET tags = tags || '{admins}' WHERE name = 'narrow'", 'key-altered'),
  change(
    'a key keeps more obligations',
    "UPDATE api_key SET keeps_obligations = '{max_rows}' WHERE name = 'narrow'",
    'key-altered',
  ),
  change('who made a key is edited', "UPDATE api_key SET created_by = NULL WHERE name = 'narrow'", 'key-altered'),
  change('a key is revoked', "UPDATE api_key SET revoked_at = now() WHERE name = 'narrow'", 'key-altered'),
  change(
    'a key is inserted',
    copyOf('api_key', '{"key_id": "FORGED00", "seq": 999}', "name = 'narrow'"),
    'key-unrecorded',
  ),
  change('a key is deleted', "DELETE FROM api_key WHERE name = 'narrow'", 'key-missing'),
  change(
    'a session is inserted',
    copyOf('dashboard_session', `{"token_hash": "\\\\x${'ab'.repeat(32)}"}`, 'true'),
    'session-unrecorded',
  ),
  change(
    'the key of a session is replaced',
    "UPDATE dashboard_session SET key_id = (SELECT key_id FROM api_key WHERE name = 'narrow')",
    'session-altered',
  ),
  change(
    'the expiry of a session is moved',
    "UPDATE dashboard_session SET expires_at = expires_at + interval '1 year'",
    'session-altered',
  ),
  change(
    'a session acts in another environment',
    "UPDATE dashboard_session SET environment = 'dev'",
    'session-altered',
  ),
  change(
    'a terminated agent is reactivated',
    "UPDATE agent SET status = 'ACTIVE' WHERE agent_id = 'ended'",
    'agent-altered',
  ),
  change("an agent's tags are edited", `UPDATE agent SET tags = '{trusted}' WHERE agent_id = 'ended'`, 'agent-altered'),
  change(
    'an agent is inserted',
    copyOf('agent', '{"agent_id": "forged", "seq": 999}', "agent_id = 'ended'"),
    'agent-unrecorded',
  ),
  change('an agent is deleted', "DELETE FROM agent WHERE agent_id = 'ended'", 'agent-missing'),
  change('the halt vanishes', 'DELETE FROM halt', 'halt-missing'),
  change('the halt is edited', "UPDATE halt SET reason = 'another'", 'halt-altered'),
  change(
    'the state of an approval is set',
    "UPDATE approval SET state = 'approved', decided_at = now(), decided_by = 'x', reason = 'x' WHERE state = 'pending'",
    'approval-altered',
  ),
  change(
    'an approval that was rejected is approved',
    "UPDATE approval SET state = 'approved' WHERE state = 'rejected'",
    'approval-altered',
  ),
  change(
    'the expiry of an approval is moved',
    "UPDATE approval SET expires_at = expires_at + interval '1 year' WHERE state = 'pending'",
    'approval-altered',
  ),
  change(
    'the approver of an approval is replaced',
    "UPDATE approval SET decided_by = 'cli:other' WHERE state = 'approved'",
    'approval-altered',
  ),
  change(
    'the approvers of an approval are edited',
    `UPDATE approval SET approvers = '[{"at_least":1,"keys":[],"policy":"p","rule":"r","tags":["x"]}]' WHERE state = 'pending'`,
    'approval-altered',
  ),
  change(
    'an approval gets a vote',
    `UPDATE approval SET votes = '[{"by":"AAAAAAAA"}]' WHERE state = 'pending'`,
    'approval-altered',
  ),
  change(
    'the votes of an approval are no JSON',
    "UPDATE approval SET votes = 'x' WHERE state = 'approved'",
    'approval-altered',
  ),
  change(
    'an approval is inserted',
    copyOf('approval', `{"approval_id": "apr_forged", "digest": "${'0'.repeat(64)}"}`, "state = 'pending'"),
    'approval-unrecorded',
  ),
  change('an approved approval is deleted', "DELETE FROM approval WHERE state = 'approved'", 'approval-missing'),
  change(
    'another policy set is activated',
    `INSERT INTO policy_set SELECT repeat('0', 64), canonical, created_at FROM policy_set LIMIT 1; UPDATE policy_state SET active_digest = repeat('0', 64)`,
    'policy-unrecorded',
  ),
];

describe('rows that grant authority, edited in the database', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let auditor: Auditor;
  const keeperOf = () => createCheckpointKeeper(checkpointsOf(service.databaseUrl));
  const reported: Finding[] = [];
  let ms = 0;

  const tamper = async (sql: string): Promise<void> => {
    await asSuperuser(service.db, async (tx) => {
      for (const text of sql.split(';').filter((part) => part.trim() !== '')) await tx.query(text, []);
    });
  };
  const audit = async (): Promise<string[]> => {
    ms += 60_000;
    const audits = await auditor.run();
    return audits.flatMap(({ findings }) => findings.map(({ kind }) => kind));
  };
  const signedSize = async (): Promise<number> =>
    Number((await service.rows<{ n: string }>('SELECT max(size) AS n FROM checkpoint'))[0]?.n);
  const owner = () => ({ organisationId: service.operatorId, environment: 'live' as const });
  const word = { by: 'cli:test', reason: 'an exercise' };

  before(async () => {
    both = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
    ({ service, worker } = both);
    const { db, nowMs } = service;
    auditor = createAuditor({
      db,
      keeper: keeperOf(),
      authority: createAuthorityAudit({ db, nowMs, monotonicMs: () => ms }),
      nowMs,
      monotonicMs: () => performance.now(),
      onFinding: (_, finding) => reported.push(finding),
      runMs: 60_000,
    });
    const admin = service.admin;
    const revoked = (await admin.post('/v1/auth/keys', { name: 'revoked', scopes: ['admin:*'] })).json;
    await admin.delete(`/v1/auth/keys/${revoked.keyId}`);
    await admin.post('/v1/auth/keys', {
      name: 'narrow',
      scopes: ['agents:read'],
      agentIds: ['a'],
      tags: ['finance'],
      tier: 3,
      expiresIn: '1h',
    });
    const rotated = (await admin.post('/v1/auth/keys', { name: 'rotated', scopes: ['agents:read'] })).json;
    await admin.post(`/v1/auth/keys/${rotated.keyId}/rotate`, {});
    const cut = (await admin.post('/v1/auth/keys', { name: 'cut', scopes: ['agents:read'] })).json;
    expect((await admin.post(`/v1/auth/keys/${cut.keyId}/rotate`, { overlap: '0m' })).status).to.equal(201);
    await signIn(admin, service.adminKey);
    await admin.post('/v1/agents', { agentId: 'ended', name: 'x', tags: ['plain'] });
    await admin.delete('/v1/agents/ended');
    const asking = await service.client();
    const approver = await service.client({ scopes: ['admin:*'] });
    for (const [i, words] of [[], ['approve'], ['reject'], ['approve', 'reject']].entries()) {
      const id = await escalate(asking, { agent_id: 'asks', intent: `db.delete.asked.table_${i}` });
      for (const state of words)
        expect((await approver.post(`/v1/approvals/${id}/${state}`, { reason: 'test' })).status).to.equal(200);
    }
    await admin.post('/v1/halt', { reason: 'stop' });
    await worker.append();
    expect(await audit()).to.deep.equal([]);
    // The active set was activated before the log existed: the audit has recorded its id.
    await worker.append();
    expect(await audit()).to.deep.equal([]);
    for (const table of TABLES) await service.rows(KEEP(table));
  });
  after(() => both?.close());

  for (const { name, sql, finds, undo } of CASES) {
    it(`is found when ${name}`, async () => {
      reported.length = 0;
      await tamper(sql);
      expect(await audit()).to.include(finds);
      expect(reported.map(({ kind }) => kind)).to.include(finds);
      await tamper(undo);
      expect(await audit()).to.deep.equal([]);
      await resumeLog({ db: service.db, keeper: keeperOf(), nowMs: service.nowMs }, owner(), word);
    });
  }

  it('is found when its record was edited, too', async () => {
    await tamper(
      `UPDATE api_key SET tier = 7 WHERE name = 'narrow'; UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"tier":3', '"tier":7'), 'UTF8') WHERE event = 'custos.key'`,
    );
    expect(await audit()).to.include('key-altered');
    await tamper(
      `${PUT_BACK('api_key')}; UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"name":"narrow","replacedBy":null,"scopes":["agents:read"],"tags":["finance"],"tier":7', '"name":"narrow","replacedBy":null,"scopes":["agents:read"],"tags":["finance"],"tier":3'), 'UTF8') WHERE event = 'custos.key'`,
    );
    expect(await audit()).to.deep.equal([]);
    await resumeLog({ db: service.db, keeper: keeperOf(), nowMs: service.nowMs }, owner(), word);
  });

  it('is no finding while its record is queued for the log, nor once it has been appended', async () => {
    await service.admin.delete('/v1/halt');
    await service.admin.post('/v1/agents', { agentId: 'new', name: 'x' });
    const { keyId } = (await service.admin.post('/v1/auth/keys', { name: 'new', scopes: ['agents:read'] })).json;
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    expect(await audit()).to.deep.equal([]);
    await worker.append();
    expect(await audit()).to.deep.equal([]);
  });

  it('stops the signing of the log until an operator has accepted it, and the acceptance is a leaf', async () => {
    await tamper("UPDATE agent SET tags = '{trusted}' WHERE agent_id = 'ended'");
    await audit();
    const before = await signedSize();
    await service.admin.post('/v1/agents', { agentId: 'later', name: 'x' });
    await worker.append();
    expect(await signedSize(), 'nothing is signed').to.equal(before);
    const [problem] = await logProblems(service.db);
    expect(problem).to.match(/is halted: the audit found a difference: The agent "ended" has not tags as/);
    const { accepted } = await resumeLog({ db: service.db, keeper: keeperOf(), nowMs: service.nowMs }, owner(), word);
    expect(accepted.map(({ kind }) => kind)).to.deep.equal(['agent-altered']);
    await worker.append();
    expect(await signedSize(), 'signing has resumed').to.be.greaterThan(before);
    const [leaf] = await service.rows<{ body: string }>(
      "SELECT convert_from(record, 'UTF8') AS body FROM record WHERE event = 'custos.log' ORDER BY proof_id DESC LIMIT 1",
    );
    expect(leaf?.body)
      .to.include('"change":"resumed"')
      .and.to.include('"reason":"an exercise"')
      .and.to.include('agent-altered');
    // It is still reported, but no longer stops the signing; another finding does.
    expect(await audit()).to.deep.equal(['agent-altered']);
    expect(await logProblems(service.db)).to.deep.equal([]);
    await tamper(PUT_BACK('agent'));
    await tamper("UPDATE agent SET status = 'ACTIVE' WHERE agent_id = 'ended'");
    await audit();
    expect(await logProblems(service.db)).to.have.lengthOf(1);
    await tamper(PUT_BACK('agent'));
    await audit();
  });

  it('stops the signing even if the database claims an acceptance from before it was found', async () => {
    await tamper("UPDATE agent SET tags = '{another}' WHERE agent_id = 'ended'");
    expect(await audit()).to.include('agent-altered');
    const known = await service.rows<{ findings: string }>('SELECT findings FROM audit');
    const sentences = (JSON.parse(known[0]?.findings ?? '[]') as Finding[]).map(({ sentence }) => sentence);
    await tamper(PUT_BACK('agent'));
    await audit();
    const seal = '00'.repeat(32);
    for (const accepted of [sentences, { sentences }, { sentences, seal }, { sentences, seal: '' }]) {
      await resumeLog({ db: service.db, keeper: keeperOf(), nowMs: service.nowMs }, owner(), word);
      await tamper("UPDATE agent SET tags = '{another}' WHERE agent_id = 'ended'");
      await service.rows('UPDATE audit SET accepted = $1, findings = $2, ok = true', [
        JSON.stringify(accepted),
        known[0]?.findings ?? '',
      ]);
      expect(await audit()).to.include('agent-altered');
      expect(await logProblems(service.db), JSON.stringify(accepted)).to.have.lengthOf(1);
      await tamper(PUT_BACK('agent'));
      await audit();
    }
  });

  it('refuses to resume a log that is not halted, or is not the one that was signed', async () => {
    const deps = { db: service.db, keeper: keeperOf(), nowMs: service.nowMs };
    await resumeLog(deps, owner(), word);
    const failure = async (): Promise<unknown> => resumeLog(deps, owner(), word).catch((error: unknown) => error);
    expect(await failure())
      .to.be.instanceOf(ResumeError)
      .with.property('message')
      .match(/not halted/);
    await tamper(
      "UPDATE log SET halted_reason = 'x'; UPDATE node SET hash = sha256(hash); UPDATE leaf SET leaf_hash = sha256(leaf_hash) WHERE leaf_index = 0",
    );
    expect(await failure())
      .to.be.instanceOf(ResumeError)
      .with.property('message')
      .match(/custos log fork/);
  });

  it('finds a deleted log by its stored checkpoint, until the finding is accepted', async () => {
    const keeper = keeperOf();
    const note = await keeper.read(`custos.local/${'default'}/live`);
    const origin = 'custos.local/gone/live';
    await keeper.keep(origin, note ?? '');
    await audit();
    const named = (await logProblems(service.db)).filter((problem) => problem.includes(origin));
    expect(named).to.have.lengthOf(1);
    expect(named[0]).to.match(/is not in the database, and a checkpoint of \d+ leaves of it is kept outside/);
    await acceptLostLog({ db: service.db, nowMs: service.nowMs }, origin, word);
    await audit();
    expect((await logProblems(service.db)).filter((problem) => problem.includes(origin))).to.deep.equal([]);
    rmSync(path.join(checkpointsOf(service.databaseUrl), 'custos.local/gone'), { recursive: true });
  });
});
