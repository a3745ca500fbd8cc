// The migration that indexes partitions one by one: what it leaves is one whole index, also after a failure and beside new partitions.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { runMigration } from '../support/one-migration.ts';

describe('the migration with indexes for filters of lists', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    await addPartitions();
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const addPartitions = (days = 30): Promise<unknown> =>
    queryOnce(database.ownerUrl, `SELECT custos_add_partitions('decision', '7 days', now() + interval '${days} days')`);
  /** Partitions with and without a valid part of the index, and whether the index itself is valid. */
  const state = async () => {
    const [row] = await db.query<{ parts: number; indexed: number; whole: boolean }>(
      `SELECT (SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'decision'::regclass) AS parts,
         (SELECT count(*)::int FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid AND i.indisvalid WHERE h.inhparent = to_regclass('decision_by_key')) AS indexed,
         (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('decision_by_key')) AS whole`,
      [],
    );
    return row;
  };
  const up = (): Promise<void> => runMigration(database.ownerUrl, 'ListFilters', 'up');
  const down = (): Promise<void> => runMigration(database.ownerUrl, 'ListFilters', 'down');

  it('indexes every partition, and can be taken back', async () => {
    await down();
    expect(await state()).to.deep.include({ indexed: 0, whole: null });
    await up();
    const made = await state();
    expect(made).to.deep.include({ indexed: made?.parts, whole: true });
    expect(made?.parts).to.be.above(4);
  });

  it('goes on where it failed, and includes partitions that were made meanwhile', async () => {
    await down();
    // As after a failure of the first partition's index, which is left invalid in PostgreSQL.
    await queryOnce(database.ownerUrl, 'CREATE INDEX decision_by_key ON ONLY decision (right(key_id, 4), decision_id)');
    await queryOnce(database.ownerUrl, 'CREATE INDEX decision_first_by_key ON decision_first (decision_id)');
    await addPartitions(60);
    await up();
    const made = await state();
    expect(made).to.deep.include({ indexed: made?.parts, whole: true });
    await up();
    expect(await state()).to.deep.equal(made);
    await addPartitions(90);
    const later = await state();
    expect(later).to.deep.include({ indexed: later?.parts, whole: true });
  });
});
