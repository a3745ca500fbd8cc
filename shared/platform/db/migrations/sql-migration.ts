// Makes the class of a migration, which TypeORM instantiates, from its SQL.
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What migrations use of TypeORM's query runner. */
export type MigrationRunner = Pick<QueryRunner, 'isTransactionActive'> & {
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
};

/** A migration of this service. */
export interface Migration extends MigrationInterface {
  readonly name: string;
  up(runner: MigrationRunner): Promise<void>;
  down(runner: MigrationRunner): Promise<void>;
}

export interface SqlMigration {
  /** A word and the migration's number, as 13 digits that continue those of the one before. */
  readonly name: string;
  readonly up: string;
  readonly down: string;
  /** Runs after `up` in the same transaction. */
  readonly afterUp?: (runner: MigrationRunner) => Promise<void>;
}

export function sqlMigration({ name, up, down, afterUp }: SqlMigration): new () => Migration {
  return class implements Migration {
    readonly name = name;

    async up(runner: MigrationRunner): Promise<void> {
      await runner.query(up);
      await afterUp?.(runner);
    }

    async down(runner: MigrationRunner): Promise<void> {
      await runner.query(down);
    }
  };
}

/**
 * SQL that makes SECURITY DEFINER functions safe: only who is granted them may call them, and they find no objects of the caller's.
 * pg_temp is last, because otherwise a temporary table of the caller would be found first.
 */
export const guardDefiners = (...functions: readonly string[]): string => `DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['${functions.join("', '")}'] LOOP
    EXECUTE format('ALTER FUNCTION %I SET search_path = %I, pg_temp', name, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %I FROM PUBLIC', name);
  END LOOP;
END $$`;

/** How long a statement that changes a table may wait for its lock, during which all others on that table wait behind it. */
const LOCK_TIMEOUT = '5s';
const CONCURRENTLY = ' CONCURRENTLY ';

/**
 * A migration for large tables that are in use: its indexes are built and dropped CONCURRENTLY, which no transaction can do. Each
 * statement commits on its own, so each must do nothing when it is repeated after a failure. In a transaction, which only an empty database
 * is migrated in, they are built without it.
 */
export function concurrentMigration({
  name,
  up,
  down,
}: {
  readonly name: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
}): new () => Migration {
  const run = async (runner: MigrationRunner, statements: readonly string[]): Promise<void> => {
    for (const concurrent of statements) {
      const statement = runner.isTransactionActive ? concurrent.replace(CONCURRENTLY, ' ') : concurrent;
      // CONCURRENTLY blocks nobody, and waits for every transaction that is older.
      await runner.query(`SET lock_timeout = '${statement.includes(CONCURRENTLY) ? '0' : LOCK_TIMEOUT}'`);
      await runner.query(statement);
    }
    await runner.query('RESET lock_timeout');
  };
  return class implements Migration {
    readonly name = name;
    readonly transaction = false;

    up = (runner: MigrationRunner): Promise<void> => run(runner, up);
    down = (runner: MigrationRunner): Promise<void> => run(runner, down);
  };
}
