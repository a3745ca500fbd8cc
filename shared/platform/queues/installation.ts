// Where the keys of an installation stand in Redis, so that several installations may share one.
import type { Sql } from '../db/database.ts';

export interface RedisStore {
  readonly url: string;
  /** Begins every key of this installation. */
  readonly prefix: string;
}

/**
 * The database's server and its number there: the same for all processes of an installation and after a failover, and another one for a
 * copy of the database, such as a staging system that was made from a dump. pg_control_system() needs no right.
 */
const PREFIX = `SELECT 'custos-' || left(encode(sha256(convert_to(system_identifier || '/' || oid, 'UTF8')), 'hex'), 16) AS prefix
    FROM pg_control_system(), pg_database WHERE datname = current_database()`;

/** Undefined: there is no Redis. @throws {ApiError} E6002 */
export async function redisOfInstallation(
  sql: Pick<Sql, 'query'>,
  url: string | undefined,
): Promise<RedisStore | undefined> {
  if (url === undefined) return undefined;
  const [row] = await sql.query<{ prefix: string }>(PREFIX, []);
  if (row === undefined) throw new Error('the database does not list itself in pg_database');
  return { url, prefix: row.prefix };
}
