// A PostgreSQL server that may lose committed transactions is refused at start-up.
import { expect } from 'chai';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testKeyFiles } from '../support/keys.ts';
import { runProcess, TEST_PEPPER } from '../support/process.ts';

describe('a database with synchronous_commit off', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query(`ALTER DATABASE ${client.escapeIdentifier(database.name)} SET synchronous_commit = off`);
    await client.end();
  });
  after(() => database.drop());

  for (const file of ['ingress/main.js', 'workers/main.js']) {
    it(`is refused by ${file}, with a message that names the setting`, async () => {
      const env = { ...testKeyFiles(), PORT: '0', DATABASE_URL: database.url, CUSTOS_PEPPER: TEST_PEPPER };
      const started = runProcess(file, [], env);
      const { code } = await started.ended;
      expect(code).to.equal(1);
      expect(started.stderr()).to.match(/synchronous_commit off/);
      expect(started.stderr()).to.not.match(/\n\s+at /);
    });
  }
});
