// Upkeep jobs run one at a time, copies of partitions without facts lose no row that is changed while they are made, and rows of the
// default partition go as those of others (docs/adr/0017).
import { ADD as ADD_BEFORE, TABLES } from './0044-partitions.ts';
import {
  COPY as COPY_BEFORE,
  FOUND,
  MIRROR as MIRROR_BEFORE,
  SUFFIX,
  SWAP as SWAP_BEFORE,
} from './0045-retention-kinds.ts';
import { INSERT_ONLY as INSERT_ONLY_BEFORE } from './0049-retention-times.ts';
import { guardDefiners, sqlMigration } from './sql-migration.ts';

// As in migration 0049. A function marks its statement with the name of the table, which may be a copy or the default partition, too.
export const INSERT_ONLY = `CREATE OR REPLACE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = current_setting('custos.forgets', true) AND TG_TABLE_NAME ~ '^decision(_default|_.*${SUFFIX})?$'
    AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$`;

// Leases (workers/jobs/one-run.ts); processes of an earlier version take none.
const UPKEEP_RUN = `CREATE TABLE IF NOT EXISTS upkeep_run (
  name text PRIMARY KEY,
  holder text NOT NULL,
  until timestamptz NOT NULL
-- Rows are updated every second: free space on their page makes these HOT updates.
) WITH (fillfactor = 50)`;

const KEY = 'organisation_id, environment, decision_id';
const LAST_OF_NEXT = `(SELECT jsonb_build_array(${KEY}) FROM next ORDER BY ${KEY.replaceAll(',', ' DESC,')} DESC LIMIT 1)`;

const MIRROR = `CREATE OR REPLACE FUNCTION custos_mirror_blank() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  forgets text := coalesce(current_setting('custos.forgets', true), '');
BEGIN
  IF TG_OP <> 'INSERT' THEN
    OLD.facts := NULL;
    OLD.facts_salt := NULL;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    NEW.facts := NULL;
    NEW.facts_salt := NULL;
  END IF;
  -- Only facts were erased, which the copy never has.
  IF TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM set_config('custos.forgets', TG_ARGV[0], true);
    EXECUTE format('DELETE FROM %I WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3', TG_ARGV[0])
      USING OLD.organisation_id, OLD.environment, OLD.decision_id;
    PERFORM set_config('custos.forgets', forgets, true);
  END IF;
  IF TG_OP <> 'DELETE' THEN EXECUTE format('INSERT INTO %I SELECT ($1).* ON CONFLICT DO NOTHING', TG_ARGV[0]) USING NEW; END IF;
  RETURN NULL;
END $$`;
/**
 * Copies the next rows in the order of the primary key: an update moves a row to another page, and not to another key. Its progress, the
 * last key, is the comment of the copy. Returns whether all are copied. What the lock excludes is another step, and a deletion
 * that is not committed yet, which the copy would not see.
 */
const COPY = `CREATE OR REPLACE FUNCTION custos_copy_blank(part_name text, pages integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  -- CREATE OR REPLACE can't change its name, and replaces the function beside a running process.
  most ALIAS FOR $2;
  columns text;
  kept text;
  done jsonb;
  last jsonb;
  copied integer;
${FOUND}
  PERFORM pg_advisory_xact_lock(4237005);
  -- A number is the progress of an earlier version, whose copies may lack rows: it is made anew.
  IF obj_description(to_regclass(quote_ident(bare)), 'pg_class') ~ '^[0-9]+$' THEN
    EXECUTE format('DROP TABLE %I', bare);
  END IF;
  IF to_regclass(quote_ident(bare)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING INDEXES) WITH (toast_tuple_target = 8160)', bare, part_name);
    EXECUTE format('CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()', bare);
    -- So that attaching it reads nothing.
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT bare_bound CHECK (decision_id >= %L AND decision_id < %L)', bare, coalesce(part.first_id, ''), part.past_id);
    -- For what a process with a wrong clock writes meanwhile, and for what is deleted.
    EXECUTE format('CREATE OR REPLACE TRIGGER mirror_blank AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION custos_mirror_blank(%L)', part_name, bare);
    EXECUTE format('COMMENT ON TABLE %I IS %L', bare, '["", "", ""]');
  END IF;
  done := obj_description(quote_ident(bare)::regclass, 'pg_class')::jsonb;
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(CASE WHEN attname IN ('facts', 'facts_salt') THEN 'NULL::bytea' ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
    INTO columns, kept FROM pg_attribute WHERE attrelid = quote_ident(part_name)::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('WITH next (%1$s) AS (SELECT %2$s FROM %3$I WHERE (${KEY}) > ($1, $2, $3) ORDER BY ${KEY} LIMIT $4),
      added AS (INSERT INTO %4$I (%1$s) SELECT * FROM next ON CONFLICT DO NOTHING)
    SELECT count(*), ${LAST_OF_NEXT} FROM next', columns, kept, part_name, bare)
    INTO copied, last USING done ->> 0, done ->> 1, done ->> 2, most;
  EXECUTE format('COMMENT ON TABLE %I IS %L', bare, coalesce(last, done));
  RETURN copied < most;
END $$`;
const KEYS_OF_STEP = `SELECT ${KEY} FROM %I WHERE (${KEY}) > ($1, $2, $3) AND ($4 IS NULL OR (${KEY}) <= ($4, $5, $6))`;
/**
 * Raises an error when the copy lacks one of the partition's next keys, of which nobody can write one before the end of the transaction.
 * Its progress is a setting of the transaction. Returns whether all were compared; rows null: compares all that are left.
 */
const COMPARE = `CREATE OR REPLACE FUNCTION custos_compare_blank(part_name text, rows integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  done jsonb;
  last jsonb;
  lacking integer;
${FOUND}
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', part_name);
  done := coalesce(nullif(current_setting('custos.compared', true), '')::jsonb -> part_name, '["", "", ""]');
  IF rows IS NOT NULL THEN
    EXECUTE format('SELECT jsonb_build_array(${KEY}) FROM %I WHERE (${KEY}) > ($1, $2, $3) ORDER BY ${KEY} OFFSET $4 LIMIT 1', part_name)
      INTO last USING done ->> 0, done ->> 1, done ->> 2, rows - 1;
  END IF;
  EXECUTE format('SELECT count(*) FROM (${KEYS_OF_STEP} EXCEPT ${KEYS_OF_STEP}) AS lacking', part_name, bare)
    INTO lacking USING done ->> 0, done ->> 1, done ->> 2, last ->> 0, last ->> 1, last ->> 2;
  IF lacking > 0 THEN
    RAISE EXCEPTION '% lacks % decisions of %', bare, lacking, part_name
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = format('Drop the table %I: it is made anew.', bare);
  END IF;
  PERFORM set_config('custos.compared', jsonb_build_object(part_name, coalesce(last, done))::text, true);
  RETURN last IS NULL;
END $$`;
const SWAP = `CREATE OR REPLACE FUNCTION custos_swap_blank(part_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
${FOUND}
  -- Nobody writes to it from here on. What was written until now is in the copy, or in the rows that are left.
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', part_name);
  IF NOT custos_copy_blank(part_name, 1000) THEN
    RAISE EXCEPTION '% is not copied yet', part_name USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  PERFORM custos_compare_blank(part_name, NULL);
  EXECUTE format('ALTER TABLE decision DETACH PARTITION %I', part_name);
  EXECUTE format('DROP TABLE %I', part_name);
  EXECUTE format('ALTER TABLE decision ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', bare, coalesce(quote_literal(part.first_id), 'MINVALUE'), part.past_id);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT bare_bound', bare);
  EXECUTE format('COMMENT ON TABLE %I IS NULL', bare);
END $$`;

/** Rows that are moved out of the default partition in one transaction: those who write to it wait a fraction of a second meanwhile. */
const MOVED_AT_ONCE = 2_000;
/**
 * Makes the partitions that are lacking from this hour on. Rows of their span that are in the default partition are moved. Where they are too
 * many, the span is halved, down to an hour, whose rows stay: the next hour has a partition again.
 */
const ADD = `CREATE OR REPLACE FUNCTION custos_add_partitions(parent_name text, span interval, until timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  id text;
  prefix text;
  spare text := parent_name || '_default';
  at timestamptz;
  ends timestamptz;
  next_at timestamptz;
  part text;
  columns text;
  waiting integer;
  made integer := 0;
BEGIN
  SELECT t.id, t.prefix INTO id, prefix FROM (VALUES ${TABLES.map((row) => `('${row.join("', '")}')`).join(', ')}) AS t (name, id, prefix) WHERE t.name = parent_name;
  IF id IS NULL OR span < interval '1 hour' OR until > now() + interval '1 year' THEN
    RAISE EXCEPTION 'no partitions of % with % until %', parent_name, span, until USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Two workers at once would make the same one.
  PERFORM pg_advisory_xact_lock(4237005);
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute WHERE attrelid = quote_ident(parent_name)::regclass AND attnum > 0 AND NOT attisdropped;
  at := date_trunc('hour', now());
  WHILE at < until LOOP
    -- The end of the partition that has this time, and the beginning of the next one: a clock that was ahead leaves a gap.
    SELECT max(custos_id_time(p.past_id)) FILTER (WHERE coalesce(p.first_id, '') <= custos_id_at(prefix, at)), min(custos_id_time(p.first_id)) FILTER (WHERE p.first_id > custos_id_at(prefix, at))
      INTO ends, next_at FROM table_partition p WHERE p.parent = parent_name AND p.past_id > custos_id_at(prefix, at);
    IF ends IS NOT NULL THEN
      at := ends;
      CONTINUE;
    END IF;
    ends := least(at + span, next_at);
    LOOP
      EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE %I >= $1 AND %I < $2 LIMIT ${MOVED_AT_ONCE + 1}) AS found', spare, id, id)
        INTO waiting USING custos_id_at(prefix, at), custos_id_at(prefix, ends);
      EXIT WHEN waiting <= ${MOVED_AT_ONCE} OR ends <= at + interval '1 hour';
      ends := greatest(at + interval '1 hour', date_trunc('hour', at + (ends - at) / 2));
    END LOOP;
    IF waiting <= ${MOVED_AT_ONCE} THEN
      part := parent_name || to_char(at AT TIME ZONE 'UTC', '_YYYYMMDD"t"HH24MI');
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) WITH (toast_tuple_target = 8160)', part, parent_name);
      IF parent_name = 'decision' THEN
        EXECUTE format('CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()', part);
      END IF;
      IF waiting > 0 THEN
        -- As attaching does, and so that no row comes in between.
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', spare);
        PERFORM set_config('custos.forgets', spare, true);
        EXECUTE format('WITH moved AS (DELETE FROM %1$I WHERE %2$I >= $1 AND %2$I < $2 RETURNING %3$s) INSERT INTO %4$I (%3$s) SELECT * FROM moved', spare, id, columns, part)
          USING custos_id_at(prefix, at), custos_id_at(prefix, ends);
        PERFORM set_config('custos.forgets', '', true);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent_name, part, custos_id_at(prefix, at), custos_id_at(prefix, ends));
      made := made + 1;
    END IF;
    at := ends;
  END LOOP;
  RETURN made;
END $$`;
/** As custos_forget_decisions, of the default partition for all: what is below a bound that partitions were dropped to. */
const FORGET_DEFAULT = `CREATE OR REPLACE FUNCTION custos_forget_default(before_id text, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  gone integer;
BEGIN
  IF before_id > custos_id_at('dec', now() - interval '1 day') THEN
    RAISE EXCEPTION 'decisions before % are too young to be deleted', before_id USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM set_config('custos.forgets', 'decision_default', true);
  DELETE FROM decision_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM decision_default WHERE decision_id < before_id LIMIT most));
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM set_config('custos.forgets', '', true);
  RETURN gone;
END $$`;

/** The earlier version can't read the progress of a copy that was begun. */
const DROP_COPIES = `DO $$
DECLARE
  bare text;
BEGIN
  FOR bare IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'decision\\_%\\${SUFFIX}' AND relkind = 'r' AND NOT relispartition LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS mirror_blank ON %I', left(bare, -${SUFFIX.length}));
    EXECUTE format('DROP TABLE %I', bare);
  END LOOP;
END $$`;

export const PartitionRepairs1763700000054 = sqlMigration({
  name: 'PartitionRepairs1763700000054',
  up: [
    UPKEEP_RUN,
    INSERT_ONLY,
    MIRROR,
    COPY,
    COMPARE,
    SWAP,
    ADD,
    FORGET_DEFAULT,
    guardDefiners(
      'custos_mirror_blank',
      'custos_copy_blank',
      'custos_compare_blank',
      'custos_swap_blank',
      'custos_add_partitions',
      'custos_forget_default',
    ),
  ].join(';\n'),
  down: [
    DROP_COPIES,
    INSERT_ONLY_BEFORE,
    MIRROR_BEFORE,
    COPY_BEFORE,
    SWAP_BEFORE,
    ADD_BEFORE,
    guardDefiners('custos_mirror_blank', 'custos_copy_blank', 'custos_swap_blank', 'custos_add_partitions'),
    'DROP FUNCTION IF EXISTS custos_compare_blank, custos_forget_default',
    'DROP TABLE IF EXISTS upkeep_run',
  ].join(';\n'),
});
