// How long data of single organisations and environments is kept, and the deletion of their decisions (docs/adr/0017).
import { concurrentMigration, guardDefiners } from './sql-migration.ts';

// Decisions are deleted only by the function below, whose statement is marked. It runs as the owner of the table.
export const INSERT_ONLY = `CREATE OR REPLACE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'decision' AND current_setting('custos.forgets', true) = 'decision'
    AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$`;
const INSERT_ONLY_BEFORE = `CREATE OR REPLACE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$`;
// A range of ids, so that partitions outside it are not looked at.
const FORGET = `CREATE OR REPLACE FUNCTION custos_forget_decisions(owner_id text, owner_environment text, from_id text, before_id text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  gone integer;
BEGIN
  IF before_id > custos_id_at('dec', now() - interval '1 day') THEN
    RAISE EXCEPTION 'decisions before % are too young to be deleted', before_id USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM set_config('custos.forgets', 'decision', true);
  DELETE FROM decision WHERE organisation_id = owner_id AND environment = owner_environment AND decision_id >= from_id AND decision_id < before_id;
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM set_config('custos.forgets', '', true);
  RETURN gone;
END $$`;

export const RetentionTimes1763700000049 = concurrentMigration({
  name: 'RetentionTimes1763700000049',
  up: [
    // Sealed (shared/platform/db/seals/tables.ts): an edit must not make retention delete.
    `CREATE TABLE IF NOT EXISTS retention_time (
      organisation_id text NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
      environment text NOT NULL CHECK (environment IN ('live', 'test', 'dev')),
      kind text NOT NULL,
      -- A duration such as 90d; forever; installation: what the setting of the installation says.
      keep text NOT NULL,
      author text NOT NULL,
      changed_at timestamptz(3) NOT NULL,
      -- Ids below it were deleted, of decisions, facts or texts; null: none. Beside what was dropped for all (retention_drop).
      dropped_before text,
      version integer NOT NULL DEFAULT 1,
      seal bytea CHECK (length(seal) = 32),
      PRIMARY KEY (organisation_id, environment, kind)
    )`,
    INSERT_ONLY,
    FORGET,
    guardDefiners('custos_forget_decisions'),
    // By owner, because each has its own time.
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence_of',
    'CREATE INDEX CONCURRENTLY trust_signal_evidence_of ON trust_signal (organisation_id, environment, received_at) WHERE evidence IS NOT NULL OR source IS NOT NULL',
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence',
  ],
  down: [
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence',
    'CREATE INDEX CONCURRENTLY trust_signal_evidence ON trust_signal (received_at) WHERE evidence IS NOT NULL OR source IS NOT NULL',
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence_of',
    INSERT_ONLY_BEFORE,
    'DROP FUNCTION IF EXISTS custos_forget_decisions',
    'DROP TABLE IF EXISTS retention_time',
  ],
});
