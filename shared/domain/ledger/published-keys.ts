// The published keys of logs: the columns of log_key as a PublishedKey.
import type { PublishedKey } from '../../core/proof/shapes.ts';
import type { Sql } from '../../platform/db/database.ts';

/** Sizes are below 2 ** 53, so they fit a float8. */
export const PUBLISHED_KEY = `key_id AS "keyId", vkey, use, first_size::float8 AS "firstSize", last_size::float8 AS "lastSize"`;

const OF_LOG = `SELECT ${PUBLISHED_KEY} FROM log_key WHERE log_id = $1 AND use = ANY ($2::text[]) ORDER BY log_key.first_size, key_id`;

/** The keys of one log for these uses, in the order of their first sizes. */
export function readPublishedKeys(
  sql: Sql,
  logId: number,
  uses: readonly PublishedKey['use'][],
): Promise<PublishedKey[]> {
  return sql.query<PublishedKey>(OF_LOG, [logId, uses]);
}
