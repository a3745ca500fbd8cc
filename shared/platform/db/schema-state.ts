// Whether the schema of a database is one that a process of this version can work with.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Sql } from './database.ts';

/** The last migration of this version. Processes do not load the migrations themselves. */
export const NEWEST_MIGRATION = 'DecisionUpdates1763700000065';

const TABLE = "SELECT to_regclass('migration') IS NOT NULL AS there";
const APPLIED = 'SELECT name FROM migration ORDER BY id';

/** Migrations are named with their time. */
const timeOf = (name: string): number => Number(/\d+$/.exec(name)?.[0]);

/**
 * A process needs all migrations of its version, which are applied in their order. One of an older version may run beside newer ones for
 * a while.
 * @returns the names of migrations that a newer version applied
 * @throws {OperatorError} when the newest one is missing
 */
export async function requireSchema(db: Pick<Sql, 'query'>): Promise<string[]> {
  const [table] = await db.query<{ there: boolean }>(TABLE, []);
  const applied = table?.there === true ? (await db.query<{ name: string }>(APPLIED, [])).map(({ name }) => name) : [];
  if (!applied.includes(NEWEST_MIGRATION))
    throw new OperatorError(
      `The database of DATABASE_URL has ${applied.length === 0 ? 'no schema of Custos' : `the schema of an older version, until ${applied.at(-1)}`}. Run "custos migrate" of this version first; CUSTOS_MIGRATION_DATABASE_URL, if it is set, must name the same database.`,
    );
  return applied.filter((name) => timeOf(name) > timeOf(NEWEST_MIGRATION));
}
