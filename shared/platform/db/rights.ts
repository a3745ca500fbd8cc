// Finds rights of the connected role that the service does not need.
import type { Logger } from '../observe/logger.ts';
import type { Sql } from './database.ts';

const ATTRIBUTES = `SELECT rolname AS name, rolsuper AS superuser, rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS administrates,
      EXISTS (SELECT FROM pg_roles other WHERE other.rolname LIKE 'pg\\_%' AND other.rolname ~ '_(all_data|server_files|server_program|maintain)$'
        AND other.rolname <> 'pg_read_all_data' AND pg_has_role(other.oid, 'MEMBER')) AS predefined,
      has_database_privilege(current_database(), 'CREATE') AS makes_schemas,
      current_setting('server_version_num')::integer AS version
    FROM pg_roles WHERE rolname = current_user`;
const OBJECTS = `SELECT coalesce(bool_or(pg_has_role(relowner, 'MEMBER')), false) AS owns,
      coalesce(bool_or(relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'TRUNCATE')), false) AS truncates,
      coalesce(bool_or(EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = to_regproc('custos_insert_only') AND t.tgtype & 1 = 0
        AND (t.tgtype & 16 = 16 AND has_table_privilege(c.oid, 'UPDATE') OR t.tgtype & 8 = 8 AND has_table_privilege(c.oid, 'DELETE')))), false) AS rewrites,
      has_schema_privilege(current_schema(), 'CREATE') OR coalesce(bool_or(has_schema_privilege(relnamespace, 'CREATE')), false) AS makes_tables
    FROM pg_class c WHERE relnamespace IN (current_schema()::regnamespace, to_regnamespace('bullmq')) AND relkind IN ('r', 'p', 'S')`;
const PARAMETER = `SELECT has_parameter_privilege('session_replication_role', 'SET') AS may_set`;
/** Since version 15 single parameters can be granted. */
const PARAMETER_GRANTS = 150_000;

/**
 * Rights of the connected role that the service does not need, as parts of a sentence that begins with "the role X". With
 * any of them, an attacker in the service can change records without a trace in the database.
 * @throws {ApiError} E6002
 */
export async function excessRights(sql: Sql): Promise<{ readonly role: string; readonly excess: readonly string[] }> {
  const [role] = await sql.query<{
    name: string;
    superuser: boolean;
    administrates: boolean;
    predefined: boolean;
    makes_schemas: boolean;
    version: number;
  }>(ATTRIBUTES, []);
  if (role === undefined) throw new Error('the connected role was not found in pg_roles');
  if (role.superuser) return { role: role.name, excess: ['is a superuser'] };
  const [objects] = await sql.query<{ owns: boolean; truncates: boolean; rewrites: boolean; makes_tables: boolean }>(
    OBJECTS,
    [],
  );
  const [parameter] =
    role.version >= PARAMETER_GRANTS ? await sql.query<{ may_set: boolean }>(PARAMETER, []) : [{ may_set: false }];
  const excess = [
    [role.administrates, 'may make roles or databases, replicate, or pass by row security'],
    [role.predefined, 'is a member of a predefined role that writes everything'],
    [objects?.owns, 'owns tables'],
    [objects?.makes_tables || role.makes_schemas, 'may make tables or schemas'],
    [objects?.truncates, 'may empty tables'],
    [objects?.rewrites, 'may change or delete rows of insert-only tables'],
    [parameter?.may_set, 'may turn triggers off (session_replication_role)'],
  ] as const;
  return { role: role.name, excess: excess.flatMap(([has, words]) => (has ? [words] : [])) };
}

/** How to remove excess rights. */
export const ROLE_ADVICE =
  'name a role that owns nothing in DATABASE_URL and the owner in CUSTOS_MIGRATION_DATABASE_URL, and run "custos migrate", which makes the role and gives it its rights';

/** Logs a warning when the role has more rights than needed; the process still starts. */
export async function warnOfExcessRights(sql: Sql, logger: Logger): Promise<void> {
  const { role, excess } = await excessRights(sql);
  if (excess.length > 0)
    logger.warn({ role, excess, advice: ROLE_ADVICE }, 'the database role has more rights than it needs');
}
