// The test databases that every other test file uses.
import { expect } from 'chai';
import { createEmptyDatabase, createTestDatabase, queryOnce } from '../support/database.ts';

describe('test databases', () => {
  it('are migrated, and isolated from each other', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    expect(await queryOnce(one.url, 'SELECT name FROM migration')).not.to.have.lengthOf(0);
    await queryOnce(one.ownerUrl, 'CREATE TABLE only_here ()');
    expect(await queryOnce(two.url, "SELECT to_regclass('only_here') AS found")).to.deep.equal([{ found: null }]);
    await Promise.all([one.drop(), two.drop()]);
  });

  it('can be created without any table', async () => {
    const empty = await createEmptyDatabase();
    expect(await queryOnce(empty.url, "SELECT FROM pg_tables WHERE schemaname = 'public'")).to.have.lengthOf(0);
    await empty.drop();
  });

  it("keep the durable commits that are PostgreSQL's default", async () => {
    const database = await createTestDatabase();
    expect(
      await queryOnce(
        database.url,
        "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name",
      ),
    ).to.deep.equal(['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => ({ name, setting: 'on' })));
    await database.drop();
  });
});
