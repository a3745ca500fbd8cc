// Facts of decisions go alone: a partition is copied without them, in short steps, and takes the place of the original (docs/adr/0017).
import { concurrentMigration, guardDefiners } from './sql-migration.ts';

/** Ends the name of a partition without facts; it is made while the original is still in use. */
export const SUFFIX = '_bare';

/** Declares what the two functions below need, and finds the partition, which must be older than the shortest time that a setting can have. */
export const FOUND = `
  part table_partition%ROWTYPE;
  bare text := part_name || '${SUFFIX}';
BEGIN
  SELECT * INTO part FROM table_partition WHERE name = part_name AND parent = 'decision' AND past_id IS NOT NULL AND name NOT LIKE '%\\${SUFFIX}';
  IF part.name IS NULL OR custos_id_time(part.past_id) > now() - interval '1 day' THEN
    RAISE EXCEPTION '% is no partition with facts, or too young', part_name USING ERRCODE = 'invalid_parameter_value';
  END IF;`;

// The role of the service may not change the schema, so they run with the owner's rights.
export const MIRROR = `CREATE OR REPLACE FUNCTION custos_mirror_blank() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  NEW.facts := NULL;
  NEW.facts_salt := NULL;
  EXECUTE format('INSERT INTO %I SELECT ($1).* ON CONFLICT DO NOTHING', TG_ARGV[0]) USING NEW;
  RETURN NULL;
END $$`;
/** Copies the next pages of 8 kB. Its progress is the comment of the copy. Returns whether all are copied. */
export const COPY = `CREATE OR REPLACE FUNCTION custos_copy_blank(part_name text, pages integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  columns text;
  kept text;
  page bigint;
  ends bigint;
${FOUND}
  IF to_regclass(quote_ident(bare)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING INDEXES) WITH (toast_tuple_target = 8160)', bare, part_name);
    EXECUTE format('CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()', bare);
    -- So that attaching it reads nothing.
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT bare_bound CHECK (decision_id >= %L AND decision_id < %L)', bare, coalesce(part.first_id, ''), part.past_id);
    -- For what a process with a wrong clock writes meanwhile.
    EXECUTE format('CREATE TRIGGER mirror_blank AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION custos_mirror_blank(%L)', part_name, bare);
    EXECUTE format('COMMENT ON TABLE %I IS %L', bare, '0');
  END IF;
  page := obj_description(quote_ident(bare)::regclass, 'pg_class')::bigint;
  ends := pg_relation_size(quote_ident(part_name)::regclass) / current_setting('block_size')::bigint;
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(CASE WHEN attname IN ('facts', 'facts_salt') THEN 'NULL' ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
    INTO columns, kept FROM pg_attribute WHERE attrelid = quote_ident(part_name)::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I WHERE ctid >= %L::tid AND ctid < %L::tid ON CONFLICT DO NOTHING', bare, columns, kept, part_name,
    '(' || page || ',0)', '(' || page + pages || ',0)');
  EXECUTE format('COMMENT ON TABLE %I IS %L', bare, least(page + pages, ends));
  RETURN page + pages >= ends;
END $$`;
export const SWAP = `CREATE OR REPLACE FUNCTION custos_swap_blank(part_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
${FOUND}
  -- Nobody writes to it from here on. What was written until now is in the copy, or in the pages that are left.
  EXECUTE format('LOCK TABLE %I IN SHARE MODE', part_name);
  IF NOT custos_copy_blank(part_name, 1000) THEN
    RAISE EXCEPTION '% is not copied yet', part_name USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  EXECUTE format('ALTER TABLE decision DETACH PARTITION %I', part_name);
  EXECUTE format('DROP TABLE %I', part_name);
  EXECUTE format('ALTER TABLE decision ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', bare, coalesce(quote_literal(part.first_id), 'MINVALUE'), part.past_id);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT bare_bound', bare);
  EXECUTE format('COMMENT ON TABLE %I IS NULL', bare);
END $$`;
/** As in migration 0044, and with the copy that was begun. */
const DROP = `CREATE OR REPLACE FUNCTION custos_drop_partition(part_name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  past timestamptz;
BEGIN
  SELECT custos_id_time(past_id) INTO past FROM table_partition WHERE name = part_name AND past_id IS NOT NULL;
  -- The shortest time that a setting can have.
  IF past IS NULL OR past > now() - interval '1 day' THEN
    RAISE EXCEPTION '% is no partition, or too young to be dropped', part_name USING ERRCODE = 'invalid_parameter_value';
  END IF;
  EXECUTE format('DROP TABLE %I', part_name);
  EXECUTE format('DROP TABLE IF EXISTS %I', part_name || '${SUFFIX}');
END $$`;

export const RetentionKinds1763700000045 = concurrentMigration({
  name: 'RetentionKinds1763700000045',
  up: [
    MIRROR,
    COPY,
    SWAP,
    DROP,
    guardDefiners('custos_mirror_blank', 'custos_copy_blank', 'custos_swap_blank', 'custos_drop_partition'),
    // Signals whose source and evidence were not forgotten, by age. Most signals have neither, and cost nothing.
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence',
    'CREATE INDEX CONCURRENTLY trust_signal_evidence ON trust_signal (received_at) WHERE evidence IS NOT NULL OR source IS NOT NULL',
  ],
  down: [
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_evidence',
    'DROP FUNCTION IF EXISTS custos_swap_blank, custos_copy_blank',
    'DROP FUNCTION IF EXISTS custos_mirror_blank CASCADE',
  ],
});
