// Closed approvals and operators' actions age out: rows of one owner are deleted in batches, by functions alone (docs/adr/0017).
import { SUFFIX } from './0045-retention-kinds.ts';
import { INSERT_ONLY as INSERT_ONLY_BEFORE } from './0054-partition-repairs.ts';
import { concurrentMigration, guardDefiners } from './sql-migration.ts';

// As in migration 0054, and of the tables of the functions below.
const INSERT_ONLY = `CREATE OR REPLACE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = current_setting('custos.forgets', true)
    AND TG_TABLE_NAME ~ '^(decision(_default|_.*${SUFFIX})?|approval|row_version|dashboard_audit)$'
    AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$`;

const APPROVALS =
  'organisation_id = owner_id AND environment = owner_environment AND approval_id >= from_id AND approval_id < before_id';
/**
 * Closed approvals, and what row_version knows of them. A row that is put back later, as it was before its use, can't be used: after eight
 * days (SHORTEST_KEEP_MS in shared/core/proof/retention-record.ts) the end in its seal is over.
 */
const FORGET_APPROVALS = `CREATE OR REPLACE FUNCTION custos_forget_approvals(owner_id text, owner_environment text, from_id text, before_id text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  gone integer;
BEGIN
  IF before_id > custos_id_at('apr', now() - interval '8 days') THEN
    RAISE EXCEPTION 'approvals before % are too young to be deleted', before_id USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM set_config('custos.forgets', 'approval', true);
  DELETE FROM approval WHERE ${APPROVALS} AND state NOT IN ('pending', 'approved');
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM set_config('custos.forgets', 'row_version', true);
  -- A range, because a join with the ids would read all versions of approvals. Open ones are left.
  DELETE FROM row_version WHERE table_name = 'approval' AND row_id >= ARRAY[owner_id, owner_environment, from_id] AND row_id < ARRAY[owner_id, owner_environment, before_id]
    AND row_id[3] NOT IN (SELECT approval_id FROM approval WHERE ${APPROVALS});
  PERFORM set_config('custos.forgets', '', true);
  RETURN gone;
END $$`;

/** SQL: attempts to sign in with an unknown key have no owner. Their records are in the log of the operator's live environment. */
const isOperators = (id: string, environment: string): string =>
  `${environment} = 'live' AND EXISTS (SELECT FROM organisation WHERE id = ${id} AND is_operator)`;
/** The ids are only times: see RetentionBody. */
const FORGET_ACTIONS = `CREATE OR REPLACE FUNCTION custos_forget_actions(owner_id text, owner_environment text, from_id text, before_id text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  first_at timestamptz := custos_id_time(from_id);
  past_at timestamptz := custos_id_time(before_id);
  gone integer;
  ownerless integer := 0;
BEGIN
  IF past_at > now() - interval '1 day' THEN
    RAISE EXCEPTION 'actions before % are too young to be deleted', past_at USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM set_config('custos.forgets', 'dashboard_audit', true);
  DELETE FROM dashboard_audit WHERE organisation_id = owner_id AND environment = owner_environment AND at >= first_at AND at < past_at;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF ${isOperators('owner_id', 'owner_environment')} THEN
    DELETE FROM dashboard_audit WHERE organisation_id IS NULL AND environment IS NULL AND at >= first_at AND at < past_at;
    GET DIAGNOSTICS ownerless = ROW_COUNT;
  END IF;
  PERFORM set_config('custos.forgets', '', true);
  RETURN gone + ownerless;
END $$`;

/**
 * Of a time of retention, which is written with each deletion, all versions but the newest, which alone counts (floorSql in
 * shared/platform/db/seals/rows.ts): so whoever calls it lowers nothing.
 */
const FORGET_VERSIONS = `CREATE OR REPLACE FUNCTION custos_forget_versions(owner_id text, owner_environment text, of_kind text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  of_row text[] := ARRAY[owner_id, owner_environment, of_kind];
BEGIN
  PERFORM set_config('custos.forgets', 'row_version', true);
  DELETE FROM row_version WHERE table_name = 'retention_time' AND row_id = of_row
    AND version < (SELECT max(version) FROM row_version WHERE table_name = 'retention_time' AND row_id = of_row);
  PERFORM set_config('custos.forgets', '', true);
END $$`;

export const RetainedRows1763700000061 = concurrentMigration({
  name: 'RetainedRows1763700000061',
  up: [
    // At once, so that nobody else may call a function in between.
    [
      INSERT_ONLY,
      FORGET_APPROVALS,
      FORGET_ACTIONS,
      FORGET_VERSIONS,
      guardDefiners('custos_forget_approvals', 'custos_forget_actions', 'custos_forget_versions'),
      // Plans of functions are cached, perhaps while the tables are empty: none may read a whole table.
      'ALTER FUNCTION custos_forget_approvals SET enable_seqscan = off',
      'ALTER FUNCTION custos_forget_actions SET enable_seqscan = off',
    ].join(';\n'),
    // No process deletes approvals otherwise.
    'CREATE OR REPLACE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON approval FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()',
    'DROP INDEX CONCURRENTLY IF EXISTS dashboard_audit_by_time',
    'CREATE INDEX CONCURRENTLY dashboard_audit_by_time ON dashboard_audit (organisation_id, environment, at)',
    'DROP INDEX CONCURRENTLY IF EXISTS dashboard_audit_ownerless',
    'CREATE INDEX CONCURRENTLY dashboard_audit_ownerless ON dashboard_audit (at) WHERE organisation_id IS NULL AND environment IS NULL',
  ],
  down: [
    'DROP INDEX CONCURRENTLY IF EXISTS dashboard_audit_ownerless',
    'DROP INDEX CONCURRENTLY IF EXISTS dashboard_audit_by_time',
    'DROP TRIGGER IF EXISTS insert_only ON approval',
    'DROP FUNCTION IF EXISTS custos_forget_approvals, custos_forget_actions, custos_forget_versions',
    INSERT_ONLY_BEFORE,
  ],
});
