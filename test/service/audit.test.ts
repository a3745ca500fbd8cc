// The auditor: it resumes where it stopped, audits old leaves again, runs concurrently, and reports its findings.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createAuditor } from '../../shared/domain/ledger/audit.ts';
import { findLog } from '../../shared/domain/ledger/export.ts';
import { resumeLog } from '../../shared/domain/ledger/resume.ts';
import { readAuditLag } from '../../shared/domain/ledger/audit-lag.ts';
import { logProblems } from '../../shared/domain/ledger/log-states.ts';
import { rootFromLeafHashes } from '../../shared/core/proof/merkle.ts';
import { bootstrap } from '../support/service.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { watchInstallation } from '../../shared/domain/installation/gauges.ts';
import { logUnderTest, type LogUnderTest, saveRows } from './audit-setup.ts';

/** Of a level that only earlier versions stored. */
const NODE_OF_EARLIER_VERSION =
  'INSERT INTO node SELECT log_id, 12, 0, sha256(hash) FROM node WHERE level = 10 LIMIT 1';

describe('the audit of a log of several subtrees', () => {
  let database: TestDatabase;
  let db: Database;
  let log: LogUnderTest;
  let restore: () => Promise<void>;
  const owner = () => ({ organisationId: log.organisationId, environment: 'live' as const });

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { queryTimeoutMs: 30_000 });
    const { operatorId } = await bootstrap(db);
    const [row] = await db.query<{ slug: string }>('SELECT slug FROM organisation', []);
    log = logUnderTest({ db, organisationId: operatorId, slug: row?.slug ?? '' });
    await log.tamper('DELETE FROM record; DELETE FROM log_inbox');
    for (const count of [700, 324, 1, 1_375]) {
      await log.fill(count, `part-${count}`);
      await log.append();
      await log.publish();
    }
    // The first audit stops in the middle of a subtree; the next one resumes there.
    expect(await log.findings()).to.deep.equal([]);
    await log.fill(1_900, 'later');
    await log.append();
    await log.publish();
    expect(await log.findings()).to.deep.equal([]);
    restore = await saveRows(log);
  });
  afterEach(() => restore?.());
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  it('has audited all of it, and gets the same result when it starts again', async () => {
    const [audit] = await log.auditor.run();
    expect(audit).to.include({ size: 4_300, auditedSize: 4_300 });
    expect(await log.findings({ full: true })).to.deep.equal([]);
    await log.tamper('DELETE FROM audit');
    log.restart();
    expect(await log.findings()).to.deep.equal([]);
  });

  it('resumes in the next run when its time is up, and skips nothing', async () => {
    await log.tamper('DELETE FROM audit');
    const hurry = () =>
      createAuditor({
        db,
        key: log.key,
        keeper: log.keeper,
        nowMs: Date.now,
        monotonicMs: () => performance.now(),
        budgetMs: 0,
        runMs: 0,
      });
    let hurried = hurry();
    const sizes: (number | undefined)[] = [];
    for (let i = 0; i < 6; i += 1) {
      const [audit] = await hurried.run();
      expect(audit?.findings).to.deep.equal([]);
      sizes.push(audit?.auditedSize);
    }
    expect(sizes).to.deep.equal([1_024, 2_048, 3_072, 4_096, 4_300, 4_300]);
    await log.tamper('DELETE FROM audit; UPDATE leaf SET leaf_hash = sha256(leaf_hash) WHERE leaf_index = 1500');
    hurried = hurry();
    expect((await hurried.run())[0]?.findings).to.deep.equal([]);
    expect((await hurried.run())[0]?.findings.map(({ kind }) => kind)).to.deep.equal(['leaf-hash-altered']);
  });

  it('has a lag that grows while no auditor runs, and is 0 after the next runs', async () => {
    const lag = async () => (await readAuditLag(db)).find(({ environment }) => environment === 'live');
    const appendedBefore = (seconds: number) =>
      log.tamper(
        `UPDATE leaf SET appended_at = now() - interval '${seconds} seconds' WHERE leaf_index >= 4300 AND leaf_index < 4302`,
      );
    expect(await lag()).to.deep.include({ leaves: 0, oldestSeconds: 0 });
    for (const [round, leaves] of [30, 50].entries()) {
      await log.fill(leaves, `late-${round}`);
      await log.append();
      await appendedBefore(600 * (round + 1));
      const { leaves: behind, oldestSeconds } = (await lag()) ?? { leaves: 0, oldestSeconds: 0 };
      expect(behind).to.equal([30, 80][round]);
      expect(oldestSeconds).to.be.within(600 * (round + 1), 600 * (round + 1) + 60);
    }
    await log.findings();
    expect(await lag()).to.deep.include({ leaves: 0, oldestSeconds: 0 });
    await log.tamper('DELETE FROM audit');
    expect((await lag())?.leaves, 'before the first audit').to.equal(4_380);
  });

  it('catches up with new leaves alone, finds a difference in them, and leaves the turns of old ones to the runs', async () => {
    const turn = () => log.sql('SELECT audited_at, substr(state, 1, 8) AS next FROM audit');
    await log.findings();
    const before = await turn();
    await log.fill(30, 'new');
    await log.append();
    await log.tamper("UPDATE record SET record = record || ' ' WHERE proof_id = 'new-7'");
    const [audit, ...others] = await log.auditor.catchUp();
    expect(others).to.deep.equal([]);
    expect(audit).to.include({ size: 4_330, auditedSize: 4_330, newLeaves: 30 });
    expect(audit?.findings.map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.include(['record-altered', 4_307]);
    expect(await turn()).to.deep.equal(before);
    expect(await log.auditor.catchUp(), 'no log is behind').to.deep.equal([]);
  });

  it('finds an edit of an old leaf within as many runs as there are subtrees', async () => {
    await log.tamper(
      `UPDATE record SET event = 'other' WHERE proof_id = (SELECT proof_id FROM leaf WHERE leaf_index = 1500)`,
    );
    const findings = await log.findings({ runs: 5 });
    expect(findings.map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.equal([['column-altered', 1_500]]);
    expect(await log.findings({ runs: 7 }), 'stays reported while other subtrees are audited').to.have.lengthOf(1);
  });

  it('finds old leaves that were replaced together with all stored data about them', async () => {
    // Nodes, hashes and rows are consistent; the checkpoints and the auditor's saved state are not.
    await log.tamper(`UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":3}', '"i":8}'), 'UTF8') WHERE proof_id = 'part-700-3';
      UPDATE leaf SET leaf_hash = sha256('\\x00'::bytea || r.record || convert_to(',"previousHash":"' || encode(previous_hash, 'hex') || '"}', 'UTF8')),
        event_hash = sha256(r.record || convert_to(',"previousHash":"' || encode(previous_hash, 'hex') || '"}', 'UTF8'))
      FROM record r WHERE r.proof_id = leaf.proof_id AND leaf_index = 3`);
    const leaves = await log.sql('SELECT leaf_hash FROM leaf ORDER BY leaf_index LIMIT 1024');
    for (const level of [5, 10]) {
      const root = rootFromLeafHashes(leaves.slice(0, 2 ** level).map((row) => row['leaf_hash'] as Buffer));
      await log.tamper(
        `UPDATE node SET hash = '\\x${Buffer.from(root).toString('hex')}' WHERE level = ${level} AND node_index = 0`,
      );
    }
    for (const full of [false, true]) {
      const kinds = (await log.findings({ full, runs: full ? 1 : 6 })).map(({ kind }) => kind);
      expect(kinds).to.include('root-mismatch');
      expect(kinds).to.include(full ? 'root-mismatch' : 'subtree-altered');
    }
  });

  it('finds what is altered after an operator accepted as many findings as are listed', async () => {
    const isHalted = async (): Promise<boolean> =>
      (await findLog(db, log.organisationId, 'live'))?.haltedReason !== null;
    const accept = () =>
      resumeLog({ db, keeper: log.keeper, nowMs: Date.now }, owner(), { by: 'cli:test', reason: 'known' });
    const alter = (from: number, past: number): Promise<void> =>
      log.tamper(
        `UPDATE leaf SET occurred_at = occurred_at + interval '1 hour' WHERE leaf_index >= ${from} AND leaf_index < ${past}`,
      );
    const runs = 6;
    await alter(0, 120);
    await log.findings({ full: true });
    expect((await accept()).accepted.length).to.equal(100);
    await log.findings({ full: true });
    expect(await isHalted(), 'the other twenty').to.equal(true);
    expect((await accept()).accepted.length).to.equal(20);
    await log.findings({ runs });
    expect(await isHalted(), 'all are accepted').to.equal(false);
    await alter(4_000, 4_001);
    await log.findings({ runs });
    expect(await isHalted(), 'one more').to.equal(true);
    await log.tamper("DELETE FROM log_inbox WHERE source = 'record'");
  });

  it('finds an edited node above the subtrees in the next run', async () => {
    await log.tamper(NODE_OF_EARLIER_VERSION);
    expect((await log.findings()).map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.equal([['node-altered', 0]]);
  });

  it('finds an old checkpoint that was edited', async () => {
    await log.tamper('UPDATE checkpoint SET root = sha256(root) WHERE size = 1024');
    expect((await log.findings({ runs: 5 })).map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.equal([
      ['checkpoint-altered', 1_023],
    ]);
  });

  it('skips what another worker is auditing, and does not wait for it', async () => {
    await db.transaction(async (sql) => {
      await sql.query('SELECT FROM audit FOR UPDATE', []);
      expect(await log.auditor.run()).to.deep.equal([]);
    });
    expect(await log.auditor.run()).to.have.lengthOf(1);
  });

  it('is shown in the metrics and in the readiness of workers', async () => {
    const registry = new Registry();
    let atMs = 0;
    const queues = { counts: () => Promise.reject(new Error('away')) };
    watchInstallation(registry, { sql: db, queues, monotonicMs: () => atMs });
    const metric = async (name: string) => {
      // A scrape of another second.
      atMs += 1_000;
      return new RegExp(`^${name}\\{[^}]*environment="live"[^}]*\\} (\\S+)$`, 'm').exec(await registry.metrics())?.[1];
    };
    await log.findings();
    const size = String((await log.sql('SELECT size FROM log'))[0]?.['size']);
    expect([
      await metric('custos_audit_ok'),
      await metric('custos_log_size'),
      await metric('custos_log_audited_size'),
      await metric('custos_log_halted'),
    ]).to.deep.equal(['1', size, size, '0']);
    expect(await logProblems(db)).to.deep.equal([]);
    await log.tamper(NODE_OF_EARLIER_VERSION);
    await log.findings();
    expect(await metric('custos_audit_ok')).to.equal('0');
    const problems = await logProblems(db);
    expect(problems).to.have.lengthOf(1);
    expect(problems[0]).to.match(/found a difference: Node 0 of level 12/);
  });

  it('finds nothing wrong while the log grows during the audit', async () => {
    const growing = (async () => {
      for (let i = 0; i < 15; i += 1) {
        await log.fill(40, `growing-${i}`);
        await log.append();
        await log.publish();
      }
    })();
    let isGrowing = true;
    void growing.finally(() => (isGrowing = false));
    do expect(await log.findings()).to.deep.equal([]);
    while (isGrowing);
    await growing;
    expect(await log.findings()).to.deep.equal([]);
  });
});
