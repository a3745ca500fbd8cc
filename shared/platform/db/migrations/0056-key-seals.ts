// Seals of the keys that sign logs and promises, which nobody may add past the service.
import { sealExisting } from '../seals/seal-existing.ts';
import { requirePepper } from './require-pepper.ts';
import { type Migration, sqlMigration } from './sql-migration.ts';

const UP = `
ALTER TABLE log_key ADD COLUMN version integer NOT NULL DEFAULT 1, ADD COLUMN seal bytea CHECK (length(seal) = 32);
ALTER TABLE promise_key ADD COLUMN seal bytea CHECK (length(seal) = 32)`;
// The service ends a log key, so it updates that table.
const INSERT_ONLY = `
CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON log_key FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON promise_key FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()`;
const DOWN = `
DROP TRIGGER insert_only ON log_key;
DROP TRIGGER insert_only ON promise_key;
ALTER TABLE log_key DROP COLUMN version, DROP COLUMN seal;
ALTER TABLE promise_key DROP COLUMN seal`;

/** @param pepper CUSTOS_PEPPER. Keys of earlier versions are sealed here, and never later */
export function keySealsMigration(pepper: string): new () => Migration {
  return sqlMigration({
    name: 'KeySeals1763700000056',
    up: UP,
    down: DOWN,
    async afterUp(runner) {
      await requirePepper(runner, pepper);
      await sealExisting((text, values) => runner.query(text, values) as never, ['log_key', 'promise_key'], pepper);
      await runner.query(INSERT_ONLY);
    },
  });
}
