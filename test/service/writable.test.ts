// A server without room on its disk: it is noticed by the statements that are refused, and until a larger write finds room.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { ensureWritable, whyNotWritable } from '../../shared/platform/db/writable.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';

describe('a database whose disk is full', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    await queryOnce(
      database.ownerUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
    );
    await queryOnce(
      database.ownerUrl,
      'CREATE TRIGGER refuse BEFORE INSERT ON idempotency FOR EACH STATEMENT EXECUTE FUNCTION refuse()',
    );
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const STORE = 'INSERT INTO idempotency SELECT * FROM idempotency WHERE false';
  const refused = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail('there was room'),
      (error: unknown) => error,
    );

  it('is noticed by a statement and by a transaction, and is forgotten when there is room', async () => {
    for (const store of [() => db.query(STORE, []), () => db.transaction((sql) => sql.query(STORE, []))]) {
      expect(db.disk?.refusals).to.equal(0);
      expect(await refused(store())).to.have.property('code', 'E6002');
      expect(db.disk?.refusals).to.equal(1);
      await ensureWritable(db);
      expect(db.disk?.refusals).to.equal(0);
    }
  });

  it('is reported while a larger write finds no room, though small ones do', async () => {
    const disk = { refusals: 1 };
    const full = { ...db, disk, transaction: () => db.query(STORE, []) as Promise<never> };
    for (let time = 0; time < 2; time += 1)
      expect(whyNotWritable(await refused(ensureWritable(full)))).to.equal(
        'the disk of PostgreSQL is full: it can store nothing',
      );
    expect(disk.refusals).to.equal(1);
    await ensureWritable({ ...db, disk });
    expect(disk.refusals).to.equal(0);
  });

  it('is looked for in nothing but the server itself while no statement was refused', async () => {
    let looked = 0;
    const watched = { ...db, disk: { refusals: 0 }, transaction: () => Promise.resolve((looked += 1) as never) };
    await ensureWritable(watched);
    expect(looked).to.equal(0);
  });
});
