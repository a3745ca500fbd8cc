// Makes the class of a migration, which TypeORM instantiates, from its SQL.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export interface SqlMigration {
  /** A word and the migration's number, as 13 digits that continue those of the one before. */
  readonly name: string;
  readonly up: string;
  readonly down: string;
  /** Runs after `up` in the same transaction. */
  readonly afterUp?: (runner: QueryRunner) => Promise<void>;
}

export function sqlMigration({ name, up, down, afterUp }: SqlMigration): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(up);
      await afterUp?.(runner);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(down);
    }
  };
}

/** How long a statement that changes a table may wait for its lock, during which all others on that table wait behind it. */
const LOCK_TIMEOUT = '5s';

/**
 * A migration for large tables that are in use: its indexes are built and dropped CONCURRENTLY, which no transaction can do. Each
 * statement commits on its own, so each must do nothing when it is repeated after a failure.
 */
export function concurrentMigration({
  name,
  up,
  down,
}: {
  readonly name: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
}): new () => MigrationInterface {
  const run = async (runner: QueryRunner, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) {
      // CONCURRENTLY blocks nobody, and waits for every transaction that is older.
      await runner.query(`SET lock_timeout = '${statement.includes(' CONCURRENTLY ') ? '0' : LOCK_TIMEOUT}'`);
      await runner.query(statement);
    }
    await runner.query('RESET lock_timeout');
  };
  return class implements MigrationInterface {
    readonly name = name;
    readonly transaction = false;

    up = (runner: QueryRunner): Promise<void> => run(runner, up);
    down = (runner: QueryRunner): Promise<void> => run(runner, down);
  };
}
