// The migration to partitions, over rows of an earlier version and beside a process that goes on writing.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type bootstrapAt, createReadyDatabase } from '../support/service.ts';
import { openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { runMigration } from '../support/one-migration.ts';

const DAY_MS = 86_400_000;

describe('the migration to partitions', () => {
  let database: TestDatabase & Awaited<ReturnType<typeof bootstrapAt>>;
  let db: Database;
  before(async () => {
    database = await createReadyDatabase();
    db = await openTestDatabase(database.url);
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const migrate = async (verb: 'up' | 'down'): Promise<void> => {
    await runMigration(database.ownerUrl, 'Partitions', verb);
    // It has newer versions of the functions.
    if (verb === 'up') await runMigration(database.ownerUrl, 'PartitionRepairs', 'up');
  };
  const insert = (atMs: number): Promise<object[]> => {
    const id = newId('dec', atMs);
    return db.query(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record)
       VALUES ($1, $2, 'live', 'a', 'k', 'ALLOW', now(), 'prf' || substr($1, 4), 'p', 'x') RETURNING tableoid::regclass::text AS part`,
      [id, database.operatorId],
    );
  };
  const rows = async (): Promise<unknown[]> =>
    db.query('SELECT decision_id FROM decision WHERE organisation_id = $1 ORDER BY decision_id', [database.operatorId]);
  const indexes = (): Promise<object[]> =>
    db.query("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'decision' ORDER BY 1", []);

  it('keeps every row, and refuses no write of a process that goes on', async () => {
    await migrate('down');
    for (let i = 0; i < 50; i += 1) await insert(Date.now() - i * DAY_MS);
    const [before, indexed] = [await rows(), await indexes()];
    let isDone = false;
    let written = 0;
    const writing = (async () => {
      for (; !isDone; written += 1) await insert(Date.now());
    })();
    await migrate('up');
    isDone = true;
    await writing;
    expect(written).to.be.above(0);
    expect(await rows()).to.have.lengthOf(before.length + written);
    const after = JSON.stringify(await indexes()).replaceAll(' ON ONLY ', ' ON ');
    expect(after).to.equal(JSON.stringify(indexed));
  });

  it('can be repeated after a failure between any two of its statements', async () => {
    const before = await rows();
    await migrate('up');
    expect(await rows()).to.deep.equal(before);
  });

  it('leaves decisions insert-only, in every partition', async () => {
    for (const table of ['decision', 'decision_first', 'decision_default']) {
      const owner = await openTestDatabase(database.ownerUrl);
      try {
        for (const statement of [`DELETE FROM ${table}`, `TRUNCATE ${table}`])
          expect(String(await owner.query(statement, []).catch((e: unknown) => e)), statement).to.contain(
            'insert-only',
          );
        if (table === 'decision_default') continue;
        const update = `UPDATE ${table} SET verdict = 'DENY'`;
        expect(String(await owner.query(update, []).catch((e: unknown) => e)), update).to.contain('insert-only');
      } finally {
        await owner.close();
      }
    }
  });

  it('refuses no id of a clock that is years ahead, and of no time without a worker', async () => {
    for (const days of [10, 4_000])
      expect(await insert(Date.now() + days * DAY_MS)).to.deep.equal([{ part: 'decision_default' }]);
    const add = "SELECT custos_add_partitions('decision', '1 day', now() + interval '20 days') AS made";
    const made = async () => ((await queryOnce(database.ownerUrl, add))[0] as { made: number }).made;
    // One for each day from the end of the first partition on: 19, or 18 at a full hour.
    expect(await made()).to.be.within(18, 19);
    expect(await made()).to.equal(0);
    const far = "SELECT custos_id_time(decision_id) > now() + interval '11 days' AS far FROM decision_default";
    const left = await queryOnce(database.ownerUrl, far);
    expect(left).to.deep.equal([{ far: true }]);
    expect(await insert(Date.now() + 15 * DAY_MS)).not.to.deep.equal([{ part: 'decision_default' }]);
  });
});
