// The keys of a line: what one of them asked for belongs to all of them.
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import type { AuthenticatedKey } from './types.ts';

/** A key and all its successors. */
const LINE = `WITH RECURSIVE line AS (
      SELECT $1::text AS key_id
      UNION SELECT earlier.replaced_by FROM line JOIN api_key AS earlier ON earlier.key_id = line.key_id WHERE earlier.replaced_by IS NOT NULL
    )
    SELECT ${sealedColumns('api_key', 'k')} FROM line JOIN api_key k ON k.key_id = line.key_id`;

/** The ids of all keys of the key's line, its own included. A row that is not genuine ends the line. @throws {ApiError} E6002 */
export async function keysOfLine(
  sql: Sql,
  { keyId, lineage }: Pick<AuthenticatedKey, 'keyId' | 'lineage'>,
): Promise<ReadonlySet<string>> {
  const rows = genuine(sql, 'api_key', await sql.query<SealedRow<'api_key'>>(LINE, [lineage]));
  const known = new Map(rows.map((row) => [row.key_id, row]));
  const line = new Set<string>();
  for (let row = known.get(lineage); row !== undefined && !line.has(row.key_id); row = known.get(row.replaced_by ?? ''))
    line.add(row.key_id);
  return line.add(keyId);
}

/** Whether a key of the key's line asked. @throws {ApiError} E6002 */
export async function hasAsked(
  sql: Sql,
  key: Pick<AuthenticatedKey, 'keyId' | 'lineage'>,
  askingKeyId: string,
): Promise<boolean> {
  return askingKeyId === key.keyId || (await keysOfLine(sql, key)).has(askingKeyId);
}
