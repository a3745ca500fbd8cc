// The copy of a partition without its facts, beside everything that changes the partition meanwhile: no decision is lost.
import { expect } from 'chai';
import { newId } from '../../shared/kernel/ids.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { runMigration } from '../support/one-migration.ts';
import { dailyPartitions } from '../support/retention.ts';
import { type bootstrapAt, createReadyDatabase } from '../support/service.ts';

const DAY_MS = 86_400_000;
const ROWS = 200;
const STEP = 20;

describe('the copy of a partition without its facts', () => {
  let database: TestDatabase & Awaited<ReturnType<typeof bootstrapAt>>;
  /** The service's role, and the owner of the tables. */
  let db: Database;
  let owner: Database;

  before(async () => {
    database = await createReadyDatabase();
    db = await openTestDatabase(database.url);
    owner = await openTestDatabase(database.ownerUrl);
    await owner.query(dailyPartitions(6), []);
  });
  after(async () => {
    await Promise.all([db?.close(), owner?.close()]);
    await database?.drop();
  });

  const insert = async (days: number): Promise<string> => {
    const id = newId('dec', Date.now() - days * DAY_MS);
    await db.query(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, process_id, record, facts, facts_salt)
       VALUES ($1, $2, 'live', 'a', 'k', 'ALLOW', now(), 'p', 'record', 'facts', 'salt')`,
      [id, database.operatorId],
    );
    return id;
  };
  /** The partition of a day with decisions in it. */
  const filled = async (days: number): Promise<{ part: string; ids: string[] }> => {
    const ids: string[] = [];
    for (let i = 0; i < ROWS; i += 1) ids.push(await insert(days));
    const [row] = await db.query<{ part: string }>(
      'SELECT tableoid::regclass::text AS part FROM decision WHERE decision_id = $1',
      [ids[0]],
    );
    return { part: row?.part ?? '', ids: ids.sort() };
  };
  const idsIn = async (table: string, condition = 'true'): Promise<string[]> =>
    (await owner.query<{ id: string }>(`SELECT decision_id AS id FROM ${table} WHERE ${condition} ORDER BY 1`, [])).map(
      ({ id }) => id,
    );
  const copy = async (part: string, rows = STEP): Promise<boolean | undefined> =>
    (await db.query<{ done: boolean }>('SELECT custos_copy_blank($1, $2) AS done', [part, rows]))[0]?.done;
  const copyAll = async (part: string): Promise<void> => {
    while ((await copy(part)) !== true);
  };
  const swap = (part: string): Promise<object[]> => db.query('SELECT custos_swap_blank($1)', [part]);

  it('has what was updated, deleted and written while it was made', async () => {
    const { part, ids } = await filled(3);
    // Room on the first page, where new versions of rows that are not copied yet will land.
    const erase = (which: readonly string[]): Promise<object[]> =>
      db.query('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = ANY ($1)', [which]);
    await erase(ids.slice(0, ROWS / 2));
    await owner.query(`VACUUM ${part}`, []);
    await copy(part);
    await erase(ids.slice(ROWS / 2));
    // As a migration may, which changes a column of every row.
    const retrace = async (id: string | undefined): Promise<void> => {
      await owner.query(`ALTER TABLE ${part} DISABLE TRIGGER insert_only_row`, []);
      await owner.query(`UPDATE ${part} SET traceparent = 'later' WHERE decision_id = $1`, [id]);
      await owner.query(`ALTER TABLE ${part} ENABLE TRIGGER insert_only_row`, []);
    };
    await retrace(ids[0]);
    await retrace(ids.at(-1));
    const written = await insert(3);
    const forget = (from: string | undefined, to: string | undefined): Promise<object[]> =>
      db.query('SELECT custos_forget_decisions($1, $2, $3, $4)', [database.operatorId, 'live', from, to]);
    await forget(ids[5], ids[10]);
    await forget(ids[100], ids[110]);
    await copyAll(part);
    await forget(ids[40], ids[45]);
    const kept = ids.filter((_, i) => !(i >= 5 && i < 10) && !(i >= 100 && i < 110) && !(i >= 40 && i < 45));
    await swap(part);
    expect(await idsIn(`${part}_bare`)).to.deep.equal([...kept, written].sort());
    expect(await idsIn(`${part}_bare`, 'facts IS NOT NULL OR facts_salt IS NOT NULL')).to.deep.equal([]);
    expect(await idsIn(`${part}_bare`, "traceparent = 'later'")).to.deep.equal([ids[0], ids.at(-1)]);
  });

  it('takes the place of the partition only when it has every decision of it', async () => {
    const { part, ids } = await filled(4);
    await copyAll(part);
    await owner.query(`ALTER TABLE ${part}_bare DISABLE TRIGGER insert_only`, []);
    await owner.query(`DELETE FROM ${part}_bare WHERE decision_id = $1`, [ids[70]]);
    const compare = (rows: number): Promise<object[]> =>
      db.transaction(async (sql) => {
        for (;;) {
          const [row] = await sql.query<{ done: boolean }>('SELECT custos_compare_blank($1, $2) AS done', [part, rows]);
          if (row?.done === true) return [];
        }
      });
    for (const refused of [() => swap(part), () => compare(1_000), () => compare(7)])
      expect(String(await refused().catch((error: unknown) => error))).to.contain(`${part}_bare lacks 1 decisions`);
    expect(await idsIn(part)).to.deep.equal(ids);
    // As the error advises.
    await owner.query(`DROP TABLE ${part}_bare`, []);
    await copyAll(part);
    await compare(7);
    await swap(part);
    expect(await idsIn(`${part}_bare`)).to.deep.equal(ids);
  });

  it('is made anew when an earlier version began it, which lost what was updated meanwhile', async () => {
    const { part, ids } = await filled(5);
    const migrate = (verb: 'up' | 'down'): Promise<void> => runMigration(database.ownerUrl, 'PartitionRepairs', verb);
    await migrate('down');
    await copy(part, 1);
    await db.query('SELECT custos_forget_decisions($1, $2, $3, $4)', [database.operatorId, 'live', '', ids[3]]);
    await migrate('up');
    const written = await insert(5);
    await copyAll(part);
    await swap(part);
    expect(await idsIn(`${part}_bare`)).to.deep.equal([...ids.slice(3), written].sort());
  });

  it('leaves a copy that was begun to an earlier version, which makes it anew', async () => {
    const { part, ids } = await filled(2);
    await copy(part);
    await runMigration(database.ownerUrl, 'PartitionRepairs', 'down');
    await copyAll(part);
    await swap(part);
    expect(await idsIn(`${part}_bare`)).to.deep.equal(ids);
    await runMigration(database.ownerUrl, 'PartitionRepairs', 'up');
  });
});
