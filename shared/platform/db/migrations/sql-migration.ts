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
