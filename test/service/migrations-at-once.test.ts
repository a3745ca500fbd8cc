// An empty database is migrated in one transaction; one of an earlier version migration by migration.
import { expect } from 'chai';
import { LATEST_SCHEMA_VERSION } from 'bullmq';
import pg from 'pg';
import { createDataSource } from '../../shared/platform/db/data-source.ts';
import { migrate, QUEUE_SCHEMA_VERSION } from '../../shared/platform/db/migrate.ts';
import { NEWEST_MIGRATION, requireSchema } from '../../shared/platform/db/schema-state.ts';
import { migrationNames, migrationsWith } from '../../shared/platform/db/migrations/index.ts';
import { createEmptyDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { TEST_PEPPER } from '../support/process.ts';

/**
 * Everything that the catalogues say about a schema, without ids and without the values of columns for rows that are older, of which there
 * are none. A condition is added to each.
 */
const CATALOGUES = {
  relations: `SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, c.relreplident, c.relispartition, c.relacl::text, pg_get_userbyid(c.relowner) AS owner,
      pg_get_expr(c.relpartbound, c.oid) AS bound, pg_get_partkeydef(c.oid) AS key, obj_description(c.oid) AS comment,
      (SELECT string_agg(i.inhparent::regclass::text, ',') FROM pg_inherits i WHERE i.inhrelid = c.oid) AS parents,
      CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END AS view
    FROM pg_class c WHERE true`,
  columns: `SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, a.attidentity, a.attgenerated, a.attisdropped,
      a.attstorage, a.attcompression, a.attstattarget, a.attoptions, a.attacl::text, pg_get_expr(d.adbin, d.adrelid) AS value, k.collname
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (c.oid, a.attnum)
    LEFT JOIN pg_collation k ON k.oid = a.attcollation
    WHERE a.attnum > 0`,
  constraints: `SELECT c.relname, o.conname, o.contype, o.convalidated, o.condeferrable, o.coninhcount, o.conislocal, pg_get_constraintdef(o.oid) AS definition
    FROM pg_class c JOIN pg_constraint o ON o.conrelid = c.oid WHERE true`,
  indexes: `SELECT i.indexrelid::regclass::text AS name, i.indisvalid, i.indisready, i.indisprimary, i.indisclustered, pg_get_indexdef(i.indexrelid) AS definition
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE true`,
  triggers: `SELECT c.relname, t.tgname, t.tgenabled, t.tgisinternal, pg_get_triggerdef(t.oid) AS definition
    FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal`,
  policies: 'SELECT c.relname, p.polname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE true',
  sequences: `SELECT c.relname, s.seqstart, s.seqincrement, s.seqmax, s.seqcache, s.seqcycle, pg_sequence_last_value(c.oid) AS last
    FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid WHERE true`,
  statistics:
    'SELECT c.relname, pg_get_statisticsobjdef(x.oid) AS definition FROM pg_class c JOIN pg_statistic_ext x ON x.stxrelid = c.oid WHERE true',
};
const OF_SCHEMA = {
  functions:
    'SELECT pg_get_functiondef(c.oid) AS definition, c.proacl::text, pg_get_userbyid(c.proowner) AS owner FROM pg_proc c WHERE c.pronamespace',
  types:
    "SELECT c.typname, c.typtype, format_type(c.typbasetype, c.typtypmod) AS base FROM pg_type c WHERE c.typtype IN ('d', 'e') AND c.typnamespace",
};

const IN_PUBLIC = "c.relnamespace = 'public'::regnamespace";

/** The bound of the first partition, which depends on the hour. */
const withoutTimes = (text: string): string => text.replaceAll(/\b(dec|int)_[0-9a-z]{10}\b/g, '$1_');

async function schemaOf({ adminUrl }: TestDatabase): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const read = async (name: string, sql: string): Promise<void> => {
    const rows = (await queryOnce(adminUrl, sql)).map((row) => withoutTimes(JSON.stringify(row)));
    found[name] = rows.sort();
  };
  for (const [name, sql] of Object.entries(CATALOGUES)) await read(name, `${sql} AND ${IN_PUBLIC}`);
  for (const [name, sql] of Object.entries(OF_SCHEMA)) await read(name, `${sql} = 'public'::regnamespace`);
  const tables = await queryOnce(
    adminUrl,
    "SELECT relname AS name FROM pg_class c WHERE relkind IN ('r', 'p') AND " + IN_PUBLIC,
  );
  for (const { name } of tables as { name: string }[])
    await read(`rows of ${name}`, `SELECT * FROM ${pg.escapeIdentifier(name)}`);
  return found;
}

describe('migrations of an empty database', () => {
  const databases: TestDatabase[] = [];
  after(() => Promise.all(databases.map((database) => database.drop())));
  const empty = async (): Promise<TestDatabase> => {
    const database = await createEmptyDatabase();
    databases.push(database);
    return database;
  };
  const accessTo = ({ url, ownerUrl }: TestDatabase) => ({ databaseUrl: url, migrationDatabaseUrl: ownerUrl });

  it('make at once the schema and the rows that they make one by one', async () => {
    const [atOnce, oneByOne] = [await empty(), await empty()];
    expect(await migrate(accessTo(atOnce), TEST_PEPPER)).to.deep.equal(migrationNames());
    const source = createDataSource({
      url: oneByOne.ownerUrl,
      applicationName: 'custos-test',
      poolSize: 1,
      queryTimeoutMs: 600_000,
      migrations: migrationsWith(TEST_PEPPER),
      onError: () => undefined,
    });
    await source.initialize();
    try {
      await source.runMigrations({ transaction: 'each' });
    } finally {
      await source.destroy();
    }
    // It migrates the queues and gives the service its rights.
    expect(await migrate(accessTo(oneByOne), TEST_PEPPER)).to.deep.equal([]);
    const [made, expected] = [await schemaOf(atOnce), await schemaOf(oneByOne)];
    expect((made['columns'] as unknown[]).length).to.be.above(300);
    expect((made['functions'] as unknown[]).length).to.be.above(5);
    for (const [name, rows] of Object.entries(expected)) expect(made[name], name).to.deep.equal(rows);
    expect(made).to.have.all.keys(expected);
  });

  it('leave nothing behind when they fail', async () => {
    const database = await empty();
    // The name of a function that a late migration makes, with another result.
    await queryOnce(
      database.ownerUrl,
      "CREATE FUNCTION custos_id_at(text, timestamptz) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    );
    const failure = await migrate(accessTo(database), TEST_PEPPER).catch((error: unknown) => error);
    expect(String(failure)).to.contain('cannot change return type');
    expect(
      await queryOnce(database.ownerUrl, "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).to.deep.equal([]);
  });

  it('are one by one where the schema has other tables', async () => {
    const database = await empty();
    await queryOnce(database.ownerUrl, 'CREATE TABLE of_somebody_else ()');
    expect(await migrate(accessTo(database), TEST_PEPPER)).to.deep.equal(migrationNames());
  });

  it('are demanded by every process: without the newest it does not start, and it knows those of a newer version', async () => {
    expect(NEWEST_MIGRATION).to.equal(migrationNames().at(-1));
    const schemaOf = (applied?: readonly string[]): Promise<unknown> =>
      requireSchema({
        query: async <Row>(statement: string) =>
          (/to_regclass/.test(statement)
            ? [{ there: applied !== undefined }]
            : (applied ?? []).map((name) => ({ name }))) as Row[],
      }).catch(String);
    expect(await schemaOf()).to.match(/no schema of Custos\. Run "custos migrate"/);
    expect(await schemaOf(migrationNames().slice(0, -1))).to.match(/schema of an older version.*Run "custos migrate"/);
    expect(await schemaOf(migrationNames())).to.deep.equal([]);
    expect(await schemaOf([...migrationNames(), 'Later1999999999999'])).to.deep.equal(['Later1999999999999']);
  });

  it('include those of the queues, whose newest version the service knows without loading BullMQ', () => {
    expect(QUEUE_SCHEMA_VERSION).to.equal(LATEST_SCHEMA_VERSION);
  });
});
