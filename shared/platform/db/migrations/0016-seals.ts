// Seals of the rows that give authority, and row versions against rollback (see shared/platform/db/seals).
import { sealExisting } from '../seals/seal-existing.ts';
import type { SealedTableName } from '../seals/tables.ts';
import { requirePepper } from './require-pepper.ts';
import type { Migration, MigrationRunner } from './sql-migration.ts';

const TABLES: readonly SealedTableName[] = [
  'organisation',
  'api_key',
  'dashboard_session',
  'agent',
  'halt',
  'approval',
  'policy_state',
  'policy_activation',
];
const VERSIONED: readonly SealedTableName[] = ['api_key', 'agent', 'halt', 'approval', 'policy_state'];
/** Their triggers would announce every row, or refuse the seal. */
const WITH_TRIGGERS: readonly SealedTableName[] = ['agent', 'organisation', 'policy_activation'];

const each = (tables: readonly string[], sql: (table: string) => string): string => tables.map(sql).join(';\n');

const UP = `
${each(TABLES, (table) => `ALTER TABLE ${table} ADD COLUMN seal bytea CHECK (length(seal) = 32)`)};
${each(VERSIONED, (table) => `ALTER TABLE ${table} ADD COLUMN version integer NOT NULL DEFAULT 1`)};
-- The row of a lifted halt stays, so that a deleted row is noticed.
ALTER TABLE halt ADD COLUMN lifted_at timestamptz(3);

-- Every version of a row from the second on; of agents and halts, whose absence would allow more, also the first. A row
-- that is put back to an older version, with its old seal, is older than its newest version here.
CREATE TABLE row_version (
  table_name text NOT NULL,
  -- The primary key's columns as texts.
  row_id text[] NOT NULL,
  version integer NOT NULL,
  PRIMARY KEY (table_name, row_id, version)
);
INSERT INTO row_version SELECT 'agent', ARRAY[organisation_id, environment, agent_id], 1 FROM agent;
INSERT INTO row_version SELECT 'halt', ARRAY[organisation_id, environment], 1 FROM halt;
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON row_version FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();

-- A change of the id of a row is announced under both ids.
CREATE OR REPLACE FUNCTION custos_announce() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rows jsonb[] := CASE TG_OP WHEN 'INSERT' THEN ARRAY[to_jsonb(NEW)] WHEN 'DELETE' THEN ARRAY[to_jsonb(OLD)] ELSE ARRAY[to_jsonb(NEW), to_jsonb(OLD)] END;
  r jsonb;
  subjects text[] := '{}';
BEGIN
  FOREACH r IN ARRAY rows LOOP
    subjects := subjects || CASE WHEN TG_NARGS > 1
      THEN (SELECT jsonb_agg(r ->> TG_ARGV[i] ORDER BY i) FROM generate_series(1, TG_NARGS - 1) AS i)::text ELSE '' END;
  END LOOP;
  INSERT INTO change (kind, subject) SELECT DISTINCT TG_ARGV[0], one FROM unnest(subjects) AS one;
  PERFORM pg_notify('custos_change', '');
  RETURN NULL;
END $$;

-- A change of any sealed column is announced, so that no process keeps using a cached row.
DROP TRIGGER announce ON api_key;
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF key_id, organisation_id, environment, name, secret_hmac, scopes, agent_ids, tier,
    created_at, created_by, expires_at, revoked_at, replaced_by, version, seal
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
DROP TRIGGER announce ON policy_state;
CREATE TRIGGER announce AFTER UPDATE ON policy_state FOR EACH ROW
  WHEN (OLD.active_digest IS DISTINCT FROM NEW.active_digest OR OLD.findings IS DISTINCT FROM NEW.findings OR OLD.seal IS DISTINCT FROM NEW.seal)
  EXECUTE FUNCTION custos_announce('policy');
`;

const DOWN = `
CREATE OR REPLACE FUNCTION custos_announce() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
  subject text := '';
BEGIN
  IF TG_NARGS > 1 THEN
    subject := (SELECT jsonb_agg(r ->> TG_ARGV[i] ORDER BY i) FROM generate_series(1, TG_NARGS - 1) AS i)::text;
  END IF;
  INSERT INTO change (kind, subject) VALUES (TG_ARGV[0], subject);
  PERFORM pg_notify('custos_change', '');
  RETURN NULL;
END $$;
DROP TRIGGER announce ON policy_state;
CREATE TRIGGER announce AFTER UPDATE ON policy_state FOR EACH ROW
  WHEN (OLD.active_digest IS DISTINCT FROM NEW.active_digest OR OLD.findings IS DISTINCT FROM NEW.findings)
  EXECUTE FUNCTION custos_announce('policy');
DROP TRIGGER announce ON api_key;
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF scopes, agent_ids, tier, expires_at, revoked_at, secret_hmac, name, replaced_by
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
DROP TABLE row_version;
DELETE FROM halt WHERE lifted_at IS NOT NULL;
ALTER TABLE halt DROP COLUMN lifted_at;
${each(VERSIONED, (table) => `ALTER TABLE ${table} DROP COLUMN version`)};
${each(TABLES, (table) => `ALTER TABLE ${table} DROP COLUMN seal`)};
`;

/** @param pepper CUSTOS_PEPPER. Existing rows are sealed in the migration that adds the seals, and never later */
export function sealsMigration(pepper: string): new () => Migration {
  return class Seals1763700000016 implements Migration {
    readonly name = 'Seals1763700000016';

    async up(runner: MigrationRunner): Promise<void> {
      await requirePepper(runner, pepper);
      await runner.query(UP);
      const triggers = (verb: string): Promise<unknown> =>
        runner.query(each(WITH_TRIGGERS, (table) => `ALTER TABLE ${table} ${verb} TRIGGER USER`));
      await triggers('DISABLE');
      await sealExisting((text, values) => runner.query(text, values) as never, TABLES, pepper);
      await triggers('ENABLE');
    }

    async down(runner: MigrationRunner): Promise<void> {
      await runner.query(DOWN);
    }
  };
}
