// A database whose operator gave its sessions other defaults than PostgreSQL's, or an address with options: everything works as elsewhere.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import { createQueues } from '../../shared/platform/queues/queues.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  openTestDatabase,
  queryOnce,
  type TestDatabase,
} from '../support/database.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { startService } from '../support/service.ts';

const DEFAULTS = {
  datestyle: "'SQL, DMY'",
  intervalstyle: 'sql_standard',
  timezone: "'America/New_York'",
  extra_float_digits: '0',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
};

async function setDefaults({ adminUrl, name }: TestDatabase): Promise<void> {
  for (const [parameter, value] of Object.entries(DEFAULTS))
    await queryOnce(adminUrl, `ALTER DATABASE ${name} SET ${parameter} = ${value}`);
}

describe('a database with other defaults for its sessions', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await setDefaults(database);
  });
  after(() => database?.drop());

  it('reads times and numbers as they were stored, in transactions of the usual isolation', async () => {
    const db: Database = await openTestDatabase(database.url);
    try {
      const [row] = await db.query<{ at: Date; number: number; isolation: string; day: string }>(
        `SELECT timestamptz '2026-02-01T03:00:00.123Z' AS at, 0.1::float8 + 0.2 AS number,
           current_setting('transaction_isolation') AS isolation,
           date_trunc('day', timestamptz '2026-02-01T03:00:00Z')::text AS day`,
        [],
      );
      expect(row).to.deep.equal({
        at: new Date('2026-02-01T03:00:00.123Z'),
        number: 0.30000000000000004,
        isolation: 'read committed',
        day: '2026-02-01 00:00:00+00',
      });
    } finally {
      await db.close();
    }
  });

  it('has keys and decisions that are as Custos wrote them', async () => {
    const service = await startService({ databaseUrl: database.url, words: 'few' });
    try {
      const answer = await service.admin.post('/v1/enforce', { agent_id: 'agent-7', intent: 'db.read.orders' });
      expect(answer.status).to.equal(200);
      const again = await service.admin.get(`/v1/decisions/${String(answer.json.decision_id)}`);
      expect(again.json.evaluated_at).to.equal(answer.json.evaluated_at);
    } finally {
      await service.close();
    }
  });
});

it('an address with options keeps the queues, whose statements need a search path of their own', async () => {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c jit=off');
  const errors: unknown[] = [];
  const queues = createQueues({ databaseUrl: url.href, connections: 1, onError: (error) => errors.push(error) });
  try {
    expect(await queues.counts('proofs')).to.include({ waiting: 0, isPaused: false });
    expect(errors).to.deep.equal([]);
  } finally {
    await queues.close();
    await database.drop();
  }
});

describe('a new database in which the schema can not be made', () => {
  const refused: readonly (readonly [string, (database: TestDatabase) => string, RegExp])[] = [
    [
      'because the role may not create tables',
      ({ name }) => `ALTER DATABASE ${name} OWNER TO CURRENT_USER`,
      /may not create tables in the schema "public".*ALTER DATABASE/,
    ],
    [
      'because its search path has no schema',
      ({ name }) => `ALTER DATABASE ${name} SET search_path = nothing`,
      /No schema of the search path/,
    ],
    [
      'because it accepts no writes',
      ({ name }) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      /accepts no writes/,
    ],
  ];
  for (const [cause, statement, sentence] of refused)
    it(`is refused with a sentence that says what to do, ${cause}`, async () => {
      const database = await createEmptyDatabase();
      try {
        await queryOnce(database.adminUrl, statement(database));
        // The address of the embedded server names a search path.
        const owner = new URL(database.ownerUrl);
        owner.searchParams.delete('options');
        const access = { databaseUrl: database.url, migrationDatabaseUrl: owner.href };
        const error: unknown = await migrate(access, TEST_PEPPER).catch((reason: unknown) => reason);
        expect(String(error)).to.match(sentence);
      } finally {
        await database.drop();
      }
    });

  it('is refused with a sentence that says what to do, because it has another encoding than UTF8', async () => {
    const { adminUrl, drop } = await createEmptyDatabase();
    const name = `custos_test_ascii_${process.pid}`;
    const at = new URL(adminUrl);
    at.pathname = `/${name}`;
    try {
      await queryOnce(
        adminUrl,
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING SQL_ASCII LOCALE_PROVIDER libc LOCALE 'C'`,
      );
      const error: unknown = await migrate({ databaseUrl: at.href }, TEST_PEPPER).catch((reason: unknown) => reason);
      expect(String(error)).to.match(/has the encoding SQL_ASCII.*ENCODING 'UTF8' LOCALE 'C' OWNER/);
    } finally {
      await queryOnce(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await drop();
    }
  });
});
