// The service's role in the database: it reads and writes rows, only as each table permits, and can do nothing else.
import { expect } from 'chai';
import pg from 'pg';
import type { Database } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import { excessRights } from '../../shared/platform/db/rights.ts';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  openTestDatabase,
  queryOnce,
  type TestDatabase,
} from '../support/database.ts';
import { temporaryDataDir } from '../support/folders.ts';
import { TEST_PEPPER } from '../support/process.ts';

const SERVICE = 'custos_service';
const TABLES = `SELECT c.oid::regclass::text AS name, bool_or(t.tgtype & 16 = 16) AS kept, bool_or(t.tgtype & 8 = 8) AS grows
  FROM pg_class c LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgfoid = to_regproc('custos_insert_only') AND t.tgtype & 1 = 0
  WHERE relnamespace::regnamespace::text IN ('public', 'bullmq') AND relkind = 'r' GROUP BY c.oid ORDER BY 1`;

interface Table {
  readonly name: string;
  readonly kept: boolean | null;
  readonly grows: boolean | null;
}

/** One session for each address: with one for each of hundreds of statements, the server does little else. */
const sessions = new Map<string, pg.Client>();

/** The SQLSTATE with which a statement is refused, or undefined when it is not. */
async function refusal(url: string, text: string): Promise<string | undefined> {
  let session = sessions.get(url);
  if (session === undefined) {
    session = new pg.Client({ connectionString: url });
    session.on('error', () => undefined);
    sessions.set(url, session);
    await session.connect();
  }
  return session.query(text).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
}

async function excessOf(url: string): Promise<readonly string[]> {
  const db: Database = await openTestDatabase(url);
  try {
    return (await excessRights(db)).excess;
  } finally {
    await db.close();
  }
}

after(() => Promise.all([...sessions.values()].map((session) => session.end())));

describe("the service's role", () => {
  let database: TestDatabase;
  let tables: Table[];
  before(async () => {
    database = await createTestDatabase();
    tables = (await queryOnce(database.adminUrl, TABLES)) as Table[];
  });
  after(() => database.drop());

  it('may not truncate, alter or drop a table, including those of its queues, and may not disable a trigger', async () => {
    expect(tables.map(({ name }) => name)).to.include.members(['leaf', 'dashboard_audit', 'bullmq.job']);
    const allowed: string[] = [];
    for (const { name } of tables)
      for (const text of [
        `TRUNCATE ${name}`,
        `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
        `DROP TABLE ${name}`,
        `CREATE INDEX ON ${name} ((1))`,
      ])
        if ((await refusal(database.url, text)) !== '42501') allowed.push(text);
    expect(allowed).to.deep.equal([]);
  });

  it('may neither change nor delete rows where a table is insert-only', async () => {
    const kept = tables.filter(({ kept }) => kept);
    expect(kept.map(({ name }) => name)).to.include.members([
      'checkpoint',
      'dashboard_audit',
      'leaf',
      'leaf_zone',
      'node',
      'policy_activation',
      'policy_set',
      'record',
      'trust_fold',
    ]);
    for (const { name } of kept) {
      const [column] = (await queryOnce(
        database.adminUrl,
        `SELECT attname FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum > 0 AND NOT attisdropped LIMIT 1`,
      )) as { attname: string }[];
      const update = `UPDATE ${name} SET ${column?.attname} = DEFAULT`;
      expect(await refusal(database.url, update), update).to.equal('42501');
    }
    for (const { name } of tables.filter(({ grows }) => grows))
      expect(await refusal(database.url, `DELETE FROM ${name}`), name).to.equal('42501');
  });

  it('may only read the counts that are made for it', async () => {
    for (const table of ['agent_history', 'agent_history_to']) {
      expect(await queryOnce(database.url, `SELECT FROM ${table}`)).to.be.an('array');
      for (const text of [`INSERT INTO ${table} DEFAULT VALUES`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
        expect(await refusal(database.url, text), text).to.equal('42501');
    }
    for (const text of ['UPDATE agent_history SET deny = 0', 'UPDATE agent_history_to SET counted_to = now()'])
      expect(await refusal(database.url, text), text).to.equal('42501');
  });

  for (const text of [
    'CREATE TABLE mine ()',
    'CREATE TABLE bullmq.mine ()',
    'CREATE SCHEMA mine',
    'CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE OR REPLACE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'SET session_replication_role = replica',
    'SET ROLE custos_owner',
    'SET ROLE custos',
    'CREATE ROLE mine',
    'ALTER ROLE custos_service SUPERUSER',
    "COPY (SELECT 1) TO PROGRAM 'true'",
    'DELETE FROM migration',
  ])
    it(`may not: ${text.slice(0, 50)}`, async () => {
      expect(await refusal(database.url, text)).to.equal('42501');
    });

  it('has no privilege that it does not need, and each excess one is named', async () => {
    expect(await excessOf(database.url)).to.deep.equal([]);
    expect(await excessOf(database.adminUrl)).to.deep.equal(['is a superuser']);
    expect(await excessOf(database.ownerUrl)).to.include.members(['owns tables', 'may empty tables']);
    const cases: [give: string, take: string, words: string][] = [
      [`GRANT TRUNCATE ON agent TO ${SERVICE}`, `REVOKE TRUNCATE ON agent FROM ${SERVICE}`, 'may empty tables'],
      [
        `GRANT UPDATE ON leaf TO ${SERVICE}`,
        `REVOKE UPDATE ON leaf FROM ${SERVICE}`,
        'may change or delete rows of insert-only tables',
      ],
      [
        `GRANT CREATE ON SCHEMA bullmq TO ${SERVICE}`,
        `REVOKE CREATE ON SCHEMA bullmq FROM ${SERVICE}`,
        'may make tables or schemas',
      ],
      [
        `GRANT SET ON PARAMETER session_replication_role TO ${SERVICE}`,
        `REVOKE SET ON PARAMETER session_replication_role FROM ${SERVICE}`,
        'may turn triggers off (session_replication_role)',
      ],
    ];
    for (const [give, take, words] of cases) {
      await queryOnce(database.adminUrl, give);
      try {
        expect(await excessOf(database.url), give).to.deep.equal([words]);
      } finally {
        await queryOnce(database.adminUrl, take);
      }
    }
  });

  it('gets its privileges again from the next migration, which otherwise changes nothing', async () => {
    const rights = (): Promise<unknown[]> =>
      queryOnce(
        database.adminUrl,
        `SELECT oid::regclass::text AS name, relacl::text, xmin::text FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'bullmq') ORDER BY 1`,
      );
    const access = { databaseUrl: database.url, migrationDatabaseUrl: database.ownerUrl };
    const before = await rights();
    expect(await migrate(access, TEST_PEPPER)).to.deep.equal([]);
    expect(await rights()).to.deep.equal(before);
    await queryOnce(database.adminUrl, `GRANT ALL ON leaf TO ${SERVICE}; REVOKE INSERT ON agent FROM ${SERVICE}`);
    await migrate(access, TEST_PEPPER);
    expect(await refusal(database.url, 'TRUNCATE leaf')).to.equal('42501');
    expect(await refusal(database.url, 'INSERT INTO agent DEFAULT VALUES'), 'a row that lacks values').to.equal(
      '23502',
    );
  });

  it('cannot migrate by itself, and does not have to when there is nothing to migrate', async () => {
    expect(await migrate({ databaseUrl: database.url }, TEST_PEPPER)).to.deep.equal([]);
    const older = await createTestDatabase();
    await queryOnce(older.adminUrl, 'DELETE FROM migration WHERE id = (SELECT max(id) FROM migration)');
    let message = '';
    await migrate({ databaseUrl: older.url }, TEST_PEPPER).catch((error: Error) => (message = error.message));
    await older.drop();
    expect(message).to.match(/^The schema is older than this version.*CUSTOS_MIGRATION_DATABASE_URL\.$/);
  });

  it('is created by the migration when it is missing, with the password of DATABASE_URL', async () => {
    const empty = await createEmptyDatabase();
    const url = new URL(empty.url);
    url.username = 'custos_test_"new"';
    url.password = "it's 1%25 secret";
    const drop = `DROP OWNED BY "custos_test_""new"""; DROP ROLE "custos_test_""new"""`;
    try {
      let message = '';
      // The owner may not create roles.
      await migrate({ databaseUrl: url.href, migrationDatabaseUrl: empty.ownerUrl }, TEST_PEPPER).catch(
        (error: Error) => (message = error.message),
      );
      expect(message).to.match(/^The role "custos_test_""new""" of DATABASE_URL does not exist/);
      await migrate({ databaseUrl: url.href, migrationDatabaseUrl: empty.adminUrl }, TEST_PEPPER);
      expect(await queryOnce(url.href, 'SELECT FROM organisation')).to.deep.equal([]);
      expect(await excessOf(url.href)).to.deep.equal([]);
    } finally {
      await queryOnce(empty.adminUrl, drop);
      await empty.drop();
    }
  });

  it("and the owner's role are created when an embedded database of an earlier version starts, with all rows kept", async () => {
    const dataDir = temporaryDataDir();
    const start = () => startEmbedded({ dataDir, say: () => undefined });
    const earlier = await start();
    // The earlier state: one superuser, who owns everything.
    await queryOnce(earlier.adminUrl, 'ALTER DATABASE custos OWNER TO custos');
    await queryOnce(earlier.adminUrl, 'DROP ROLE custos_service; DROP ROLE custos_owner');
    await migrate({ databaseUrl: earlier.adminUrl }, TEST_PEPPER);
    await queryOnce(
      earlier.adminUrl,
      "INSERT INTO organisation (id, slug, name, created_at) VALUES ('org_1', 'kept', 'kept', now())",
    );
    await earlier.stop();
    const now = await start();
    try {
      await migrate({ databaseUrl: now.url, migrationDatabaseUrl: now.ownerUrl }, TEST_PEPPER);
      expect(await queryOnce(now.url, 'SELECT slug FROM organisation')).to.deep.equal([{ slug: 'kept' }]);
      expect(await excessOf(now.url)).to.deep.equal([]);
      const others = `SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'bullmq') AND pg_get_userbyid(relowner) <> 'custos_owner'
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text IN ('public', 'bullmq') AND pg_get_userbyid(proowner) <> 'custos_owner'
        UNION ALL SELECT typname FROM pg_type WHERE typnamespace::regnamespace::text IN ('public', 'bullmq') AND pg_get_userbyid(typowner) <> 'custos_owner'`;
      expect(await queryOnce(now.adminUrl, others)).to.deep.equal([]);
    } finally {
      await now.stop();
    }
  });
});
