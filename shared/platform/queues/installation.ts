// Where the keys of an installation stand in Redis, so that several installations may share one.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Sql } from '../db/database.ts';

export interface RedisStore {
  readonly url: string;
  /** Begins every key of this installation. */
  readonly prefix: string;
}

/**
 * The database's server and its number there: the same for all processes of an installation and after a failover, and another one for a
 * copy of the database, such as a staging system that was made from a dump. Every role may call
 * pg_control_system(), unless somebody has revoked that.
 */
const PREFIX = `SELECT 'custos-' || left(encode(sha256(convert_to(system_identifier || '/' || oid, 'UTF8')), 'hex'), 16) AS prefix
    FROM pg_control_system(), pg_database WHERE datname = current_database()`;

/** insufficient_privilege */
const NOT_ALLOWED = '42501';

/** Undefined: there is no Redis. @throws {ApiError} E6002 @throws {OperatorError} when the role may not call pg_control_system() */
export async function redisOfInstallation(
  sql: Pick<Sql, 'query'>,
  url: string | undefined,
): Promise<RedisStore | undefined> {
  if (url === undefined) return undefined;
  const [row] = await sql.query<{ prefix: string }>(PREFIX, []).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== NOT_ALLOWED) throw error;
    throw new OperatorError(
      'The role of DATABASE_URL may not call pg_control_system(), from which the names of the keys in Redis follow. GRANT EXECUTE ON FUNCTION pg_control_system() to it, or remove REDIS_URL.',
      { cause: error },
    );
  });
  if (row === undefined) throw new Error('the database does not list itself in pg_database');
  return { url, prefix: row.prefix };
}
