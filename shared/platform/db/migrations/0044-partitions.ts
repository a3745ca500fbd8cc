// Decisions and parses in partitions by the time in their ids, so that old ones are dropped and not deleted (docs/adr/0017).
import { concurrentMigration, guardDefiners } from './sql-migration.ts';

/** The tables, with the column and the prefix of their ids, which begin with their time. */
export const TABLES = [
  ['decision', 'decision_id', 'dec'],
  ['intent_parse', 'intent_id', 'int'],
] as const;

// As `lowestId` in shared/kernel/ids.ts, without the digits of randomness: it sorts before every id of its millisecond.
const ID_AT = `CREATE OR REPLACE FUNCTION custos_id_at(prefix text, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch FROM at) * 1000)::bigint >> (5 * digit)) & 31)::integer + 1, 1), '' ORDER BY digit DESC)
  FROM generate_series(0, 9) AS digit $$`;
const ID_TIME = `CREATE OR REPLACE FUNCTION custos_id_time(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, 5 + digit, 1)) - 1)::bigint << (5 * (9 - digit))) / 1000.0)
  FROM generate_series(0, 9) AS digit $$`;

/** Gives a new table the rights of another one. Variables: grantee, rights. */
const granted = (from: string, to: string): string => `FOR grantee, rights IN
    SELECT quote_ident(r.rolname), string_agg(a.privilege_type, ', ') FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = '${from}'::regclass AND a.grantee <> c.relowner GROUP BY 1
  LOOP
    EXECUTE format('GRANT %s ON ${to} TO %s', rights, grantee);
  END LOOP;`;

/** The first partition has every row until this bound. Two days: time enough to repeat a migration that failed half-way. */
const bounded = (table: string, id: string, prefix: string): string => `DO $$
DECLARE
  bound text := custos_id_at('${prefix}', date_trunc('hour', now()) + interval '2 days');
  newest text;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass) = 'p' THEN RETURN; END IF;
  ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_first_part;
  SELECT max(${id}) INTO newest FROM ${
    table === 'decision'
      ? `(SELECT (SELECT ${id} FROM decision WHERE organisation_id = o.id AND environment = e ORDER BY ${id} DESC LIMIT 1) AS ${id} FROM organisation o, unnest(ARRAY['live', 'test', 'dev']) AS e) AS newest_of`
      : table
  };
  -- A clock may have been wrong.
  IF newest >= bound THEN bound := custos_id_at('${prefix}', custos_id_time(newest) + interval '1 hour'); END IF;
  EXECUTE format('ALTER TABLE ${table} ADD CONSTRAINT ${table}_first_part CHECK (${id} < %L) NOT VALID', bound);
END $$`;

/** Reads the whole table, and blocks neither reads nor writes. */
const validated = (table: string): string => `DO $$
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass) = 'p' THEN RETURN; END IF;
  ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_first_part;
END $$`;

/** The table becomes the first partition of a new one with its name. Nothing is read: the valid constraint implies the bound. */
const swapped = (table: string, id: string): string => `DO $$
DECLARE
  bound text;
  def text;
  def_name text;
  grantee text;
  rights text;
  triggers text[];
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass) = 'p' THEN RETURN; END IF;
  LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
  SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') INTO bound FROM pg_constraint WHERE conrelid = '${table}'::regclass AND conname = '${table}_first_part';
  SELECT coalesce(array_agg(pg_get_triggerdef(oid)), '{}') INTO triggers FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal;
  FOR def_name IN SELECT tgname FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal AND tgtype & 1 = 1 LOOP
    EXECUTE format('DROP TRIGGER %I ON ${table}', def_name);
  END LOOP;
  ALTER TABLE ${table} RENAME TO ${table}_first;
  FOR def_name IN SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = '${table}_first'::regclass LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', def_name, replace(def_name, '${table}', '${table}_first'));
  END LOOP;
  CREATE TABLE ${table} (LIKE ${table}_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (${id});
  ALTER TABLE ${table} DROP CONSTRAINT ${table}_first_part;
  FOR def IN SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '${table}_first'::regclass AND contype = 'p' LOOP
    EXECUTE 'ALTER TABLE ${table} ADD ' || def;
  END LOOP;
  FOR def IN SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '${table}_first'::regclass AND NOT indisprimary LOOP
    EXECUTE replace(def, '${table}_first', '${table}');
  END LOOP;
  FOREACH def IN ARRAY triggers LOOP
    EXECUTE def;
  END LOOP;
  ${granted(`${table}_first`, table)}
  EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION ${table}_first FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  ALTER TABLE ${table}_first DROP CONSTRAINT ${table}_first_part;
  -- For ids of a wrong clock, and while no worker has made the next partitions: a write must not be refused.
  CREATE TABLE ${table}_default PARTITION OF ${table} DEFAULT WITH (toast_tuple_target = 8160);
  IF '${table}' = 'decision' THEN
    CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON decision_default FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
  END IF;
END $$`;

/** The partitions with their bounds; the bounds of the first one and of the default are null where they are open. */
const PARTS = `CREATE OR REPLACE VIEW table_partition AS
  SELECT parent.relname::text AS parent, part.relname::text AS name, bound.expr = 'DEFAULT' AS is_default,
    substring(bound.expr FROM 'FROM \\(''([^'']+)''') AS first_id, substring(bound.expr FROM 'TO \\(''([^'']+)''') AS past_id
  FROM pg_inherits i JOIN pg_class part ON part.oid = i.inhrelid JOIN pg_class parent ON parent.oid = i.inhparent
    CROSS JOIN LATERAL (SELECT pg_get_expr(part.relpartbound, part.oid) AS expr) AS bound
  WHERE parent.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'organisation'::regclass) AND parent.relkind = 'p' AND part.relispartition AND part.relkind = 'r'`;

// They run with the rights of the owner of the tables, because the role of the service may not change the schema.
export const ADD = `CREATE OR REPLACE FUNCTION custos_add_partitions(parent_name text, span interval, until timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  id text;
  prefix text;
  at timestamptz;
  first_id text;
  past_id text;
  part text;
  taken boolean;
  made integer := 0;
BEGIN
  SELECT t.id, t.prefix INTO id, prefix FROM (VALUES ${TABLES.map((row) => `('${row.join("', '")}')`).join(', ')}) AS t (name, id, prefix) WHERE t.name = parent_name;
  IF id IS NULL OR span < interval '1 hour' OR until > now() + interval '1 year' THEN
    RAISE EXCEPTION 'no partitions of % with % until %', parent_name, span, until USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Two workers at once would make the same one.
  PERFORM pg_advisory_xact_lock(4237005);
  SELECT max(custos_id_time(p.past_id)) INTO at FROM table_partition p WHERE p.parent = parent_name AND p.past_id IS NOT NULL;
  -- After a time without a worker the rows of that time are in the default partition, and stay there.
  at := greatest(at, date_trunc('hour', now()));
  WHILE at < until LOOP
    first_id := custos_id_at(prefix, at);
    past_id := custos_id_at(prefix, at + span);
    part := parent_name || to_char(at AT TIME ZONE 'UTC', '_YYYYMMDD"t"HH24MI');
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I >= $1 AND %I < $2)', parent_name || '_default', id, id) INTO taken USING first_id, past_id;
    IF NOT taken THEN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) WITH (toast_tuple_target = 8160)', part, parent_name);
      IF parent_name = 'decision' THEN
        EXECUTE format('CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()', part);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent_name, part, first_id, past_id);
      made := made + 1;
    END IF;
    at := at + span;
  END LOOP;
  RETURN made;
END $$`;
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
END $$`;

/** Back to one table each. It copies the rows, because a partition can't become its parent. */
const joined = (table: string): string => `DO $$
DECLARE
  def text;
  defs text[];
  triggers text[];
  grantee text;
  rights text;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = '${table}'::regclass) <> 'p' THEN RETURN; END IF;
  LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
  SELECT array_agg(pg_get_indexdef(indexrelid)) INTO defs FROM pg_index WHERE indrelid = '${table}'::regclass AND NOT indisprimary;
  SELECT coalesce(array_agg(pg_get_triggerdef(oid)), '{}') INTO triggers FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal;
  SELECT pg_get_constraintdef(oid) INTO def FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'p';
  CREATE TABLE ${table}_whole (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) WITH (toast_tuple_target = 8160);
  INSERT INTO ${table}_whole SELECT * FROM ${table};
  ${granted(table, `${table}_whole`)}
  DROP TABLE ${table};
  ALTER TABLE ${table}_whole RENAME TO ${table};
  EXECUTE format('ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey %s', def);
  FOREACH def IN ARRAY coalesce(defs, '{}') LOOP EXECUTE replace(def, ' ON ONLY ', ' ON '); END LOOP;
  FOREACH def IN ARRAY triggers LOOP EXECUTE def; END LOOP;
END $$`;

export const Partitions1763700000044 = concurrentMigration({
  name: 'Partitions1763700000044',
  up: [
    ID_AT,
    ID_TIME,
    ...TABLES.flatMap(([table, id, prefix]) => [bounded(table, id, prefix), validated(table), swapped(table, id)]),
    PARTS,
    ADD,
    DROP,
    guardDefiners('custos_add_partitions', 'custos_drop_partition'),
    // Found by an index at any age: who asks for a dropped decision learns by which record it was dropped.
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS record_of_retention ON record (organisation_id, environment, occurred_at, proof_id) WHERE event = 'custos.retention'`,
  ],
  down: [
    'DROP INDEX CONCURRENTLY IF EXISTS record_of_retention',
    'DROP FUNCTION IF EXISTS custos_drop_partition, custos_add_partitions',
    'DROP VIEW IF EXISTS table_partition',
    ...TABLES.map(([table]) => joined(table)),
    'DROP FUNCTION IF EXISTS custos_id_time, custos_id_at',
  ],
});
