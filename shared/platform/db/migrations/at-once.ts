// All migrations of an empty database in one transaction and without TypeORM's runner, which takes as long as the statements themselves.
import type pg from 'pg';
import { migrationsWith } from './index.ts';

/** Whether nothing is in the schema yet. */
const IS_EMPTY =
  'SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace) AS empty';

/** As TypeORM creates it, which runs later migrations. */
const CREATE_TABLE = `CREATE TABLE migration (
  id SERIAL NOT NULL, "timestamp" bigint NOT NULL, name character varying NOT NULL,
  CONSTRAINT "PK_3043fc6b8af7c99b8b98830094f" PRIMARY KEY (id)
)`;
const RAN =
  'INSERT INTO migration ("timestamp", name) SELECT * FROM unnest($1::bigint[], $2::text[]) AS ran (at, name) ORDER BY at';
/** TypeORM takes the timestamp of a migration from the end of its name. */
const TIMESTAMP = /\d{13}$/;

/**
 * Makes the same schema as running the migrations one by one. Call it with the lock of migrations.
 * @param pepper CUSTOS_PEPPER
 * @returns the names of the migrations; undefined when the database is not empty, and then nothing was done
 */
export async function migrateAtOnce(client: pg.Client, pepper: string): Promise<string[] | undefined> {
  const { rows } = await client.query<{ empty: boolean }>(IS_EMPTY);
  if (rows[0]?.empty !== true) return undefined;
  const migrations = migrationsWith(pepper).map((Migration) => new Migration());
  await client.query('BEGIN');
  try {
    await client.query(CREATE_TABLE);
    const query = async (text: string, values?: readonly unknown[]): Promise<unknown> =>
      (await client.query<object>(text, values === undefined ? undefined : [...values])).rows;
    for (const migration of migrations) await migration.up({ query, isTransactionActive: true });
    const names = migrations.map(({ name }) => name);
    await client.query(RAN, [names.map((name) => TIMESTAMP.exec(name)?.[0]), names]);
    await client.query('COMMIT');
    return names;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
