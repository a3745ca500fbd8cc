// An update of the service over the data of an earlier version: its policy sets decide, and its decisions are verified.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { checkSetsInForce } from '../../cli/doctor/service.ts';
import { activatePolicySet, holdPolicyState } from '../../shared/domain/policy-sets/activate.ts';
import { packFacts } from '../../shared/core/decision/packed-facts.ts';
import { packRecord } from '../../shared/core/decision/packed-record.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { reasonCodesOf } from '../../shared/core/proof/reason-codes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { auditorOf } from '../support/auditor.ts';
import { EARLIER_VERSIONS, earlierInstallation } from '../support/earlier.ts';
import { createReadyDatabase, type Service, SHIPPED_POLICIES, startService } from '../support/service.ts';
import { openTestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { ALWAYS } from '../unit/policy/support.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DENY_ALL = {
  id: 'all',
  description: 'nothing may be done',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    { name: 'none', conditions: ALWAYS, event: { type: 'DENY', params: { code: 'NOTHING', message: 'nothing' } } },
  ],
};

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Puts a set into force as a push of an earlier version did. */
async function putIntoForce(db: Database, canonical: string): Promise<string> {
  const digest = digestOf(canonical);
  await db.transaction(async (sql) =>
    activatePolicySet(sql, await holdPolicyState(sql), {
      digest,
      canonical: Buffer.from(canonical),
      author: 'key',
      reason: 'before the update',
      source: 'push',
      atMs: Date.now(),
    }),
  );
  return digest;
}

const INSERT = `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, process_id, record, facts, facts_salt, request_id, reasons)
    VALUES ($1, $2, 'live', $3, $4, $5, $6, 'p', $7, $8, $9, $10, $11)`;
const WAIT = `INSERT INTO log_inbox (organisation_id, environment, source, source_id, verdict, evaluated_at) VALUES ($1, 'live', 'decision', $2 || ' ', $3, $4)`;

/** Stores the live decisions of an earlier version, which wait for their log. */
async function storeDecisions({ operatorId, rows }: Service, day: (typeof EARLIER_VERSIONS)[number]): Promise<number> {
  const { records, facts } = earlierInstallation(day).logs.live;
  let stored = 0;
  for (const text of records) {
    const { eventType, payload, agentId } = JSON.parse(text);
    if (eventType !== 'custos.decision') continue;
    const { decision_id: id, key_id: keyId, verdict, evaluated_at: at, request_id: requestId = null } = payload.body;
    const known = facts.find(({ decisionId }) => decisionId === id);
    if (known === undefined) throw new Error(`the facts of ${id} are missing`);
    const unsealed = text.slice(0, text.lastIndexOf(',"previousHash"'));
    await rows(INSERT, [
      id,
      operatorId,
      agentId,
      keyId,
      verdict,
      at,
      Buffer.from(packRecord(unsealed)),
      Buffer.from(packFacts(known.facts)),
      Buffer.from(known.salt, 'base64'),
      requestId,
      reasonCodesOf(verdict, payload.body.reasons),
    ]);
    await rows(WAIT, [operatorId, id, verdict, at]);
    stored += 1;
  }
  return stored;
}

describe('an update of the service', () => {
  for (const day of EARLIER_VERSIONS)
    describe(`from the version of ${day}`, () => {
      let running: ServiceAndWorker;
      let digest: string;
      before(async () => {
        running = await startServiceAndWorker();
        digest = await putIntoForce(running.service.db, earlierInstallation(day).policySets[0] ?? '');
      });
      after(() => running?.close());

      it('goes on deciding by the set that was pushed before', async () => {
        const { admin, client } = running.service;
        await waitFor(async () => (await admin.get('/v1/policies')).json.digest === digest, {
          what: 'the earlier set',
        });
        const asking = await client();
        const { json } = await asking.post('/v1/enforce', { intent: 'db.delete.production.users', agent_id: 'a' });
        expect(json.verdict).to.equal('DENY');
        const ready = await admin.get('/ready');
        expect(ready.status, JSON.stringify(ready.json)).to.equal(200);
      });

      it('has a doctor who says that its lexicon is of another version, and what to do', async () => {
        const [found] = await checkSetsInForce(running.service.db);
        expect(found?.verdict).to.equal('warning');
        expect(found?.detail).to.match(/is of another version: \d+ of its parts/);
        expect(found?.advice).to.include('custos policy push');
      });

      it('alters no decision: the log takes those that waited, the audit agrees, and each is verified', async () => {
        const { service, worker } = running;
        const auditor = auditorOf(service);
        await auditor.run();
        const stored = await storeDecisions(service, day);
        await worker.append();
        for (let run = 0; run < 3; run += 1)
          for (const { findings } of await auditor.run()) expect(findings).to.deep.equal([]);
        const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
        const statuses: string[] = [];
        for await (const outcome of verifier.all({ environment: 'live' })) statuses.push(outcome.status);
        expect(statuses.filter((status) => status === 'verified').length).to.be.at.least(stored);
        expect(statuses).to.not.include('failed');
      });
    });

  describe('to a version that can not load the set in force', () => {
    let database: Awaited<ReturnType<typeof createReadyDatabase>>;
    let db: Database;
    let service: Service;
    const lines: string[] = [];
    before(async () => {
      database = await createReadyDatabase();
      db = await openTestDatabase(database.url);
      const [row] = await db.query<{ canonical: Buffer }>(
        'SELECT canonical FROM policy_set JOIN policy_state ON active_digest = digest',
        [],
      );
      const set = JSON.parse(row?.canonical.toString('utf8') ?? '') as object;
      await putIntoForce(db, canonicalize({ ...set, engine: 2 }));
      service = await startService({ databaseUrl: database.url, log: (line) => lines.push(line) });
    });
    after(async () => {
      await service?.close();
      await db?.close();
      await database?.drop();
    });

    it('answers, and says why it can not decide', async () => {
      const admin = service.admin.withKey(database.key);
      expect((await admin.get('/health')).status).to.equal(200);
      const ready = await admin.get('/ready');
      expect(ready.status).to.equal(503);
      expect(JSON.stringify(ready.json)).to.match(/can not load the policy set .*custos policy push/);
      const refused = await admin.post('/v1/enforce', { intent: 'db.read.users', agent_id: 'a' });
      expect([refused.status, refused.json.type]).to.deep.equal([503, '/v1/reference/errors#E6002']);
      expect(refused.json.detail).to.include('can not load');
    });

    it('logs the reason, and not again and again', async () => {
      for (let times = 0; times < 20; times += 1) await db.query("SELECT pg_notify('custos_changes', 'policy')", []);
      await service.admin.get('/ready');
      const said = lines.filter((line) => line.includes('custos policy push'));
      expect(said).to.have.lengthOf(1);
    });

    it('has a doctor who reports it', async () => {
      const [found] = await checkSetsInForce(db);
      expect([found?.verdict, found?.detail]).to.deep.equal(['problem', found?.detail]);
      expect(found?.detail).to.match(/can not load .*\/engine must be 1/);
    });

    it('is repaired by a push over HTTP', async () => {
      const admin = service.admin.withKey(database.key);
      const { policies } = await readPolicyFolder(SHIPPED_POLICIES);
      const lexicon = policies.flatMap(({ path, text }) => (path.startsWith('lexicon/') ? [{ path, text }] : []));
      const files = [...lexicon, { path: 'all.json', text: JSON.stringify(DENY_ALL) }];
      const pushed = await admin.post('/v1/policies', { files, reason: 'after the update' });
      expect(pushed.status, JSON.stringify(pushed.json)).to.equal(201);
      const answered = await admin.post('/v1/enforce', { intent: 'db.read.users', agent_id: 'a' });
      expect(answered.json.verdict).to.equal('DENY');
      expect((await admin.get('/ready')).status).to.equal(200);
    });
  });
});
