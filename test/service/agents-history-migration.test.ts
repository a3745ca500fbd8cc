// The migration to counted histories, over the decisions of an earlier version.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { runMigration } from '../support/one-migration.ts';

describe('the migration to counted histories', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  it('counts the decisions of the last day, each once, also when it is repeated', async () => {
    await runMigration(database.ownerUrl, 'AgentHistory', 'down');
    for (let i = 0; i < 20; i += 1)
      await db.query(
        `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, process_id, record)
           VALUES ($1, $2, 'live', 'counted', 'k', 'DENY', to_timestamp($3::float8 / 1000), 'p', 'x')`,
        [newId('dec', Date.now() - i * 3_600_000), 'org', Date.now() - i * 3_600_000],
      );
    for (let i = 0; i < 2; i += 1) {
      await runMigration(database.ownerUrl, 'AgentHistory', 'up');
      const counted = "SELECT sum(deny)::int AS n FROM agent_history WHERE agent_id = 'counted'";
      expect(await queryOnce(database.ownerUrl, counted), 'all but the one of now').to.deep.equal([{ n: 19 }]);
    }
  });
});
