// Holds the key of a request in the transaction of its write, when it was authenticated long ago.
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { expiredKey, invalidKey } from './authenticator.ts';

// A revocation waits for this transaction, or is seen by it. A key that the transaction itself has ended was valid until then.
const HOLD = `SELECT ${sealedColumns('api_key', 'k')}, k.xmin = pg_current_xact_id()::xid AS "isOwn" FROM api_key k WHERE k.key_id = $1 FOR SHARE OF k`;

/** Keeps the key as it is until the transaction ends. @throws {ApiError} E1002 it was revoked meanwhile; E1003 it has expired; E6002 */
export async function holdKey(sql: Sql, keyId: string, nowMs: number): Promise<void> {
  const found = await sql.query<SealedRow<'api_key'> & { readonly isOwn: boolean }>(HOLD, [keyId]);
  const [row] = genuine(sql, 'api_key', found);
  if (row === undefined) throw invalidKey();
  if (row.isOwn) return;
  if (row.revoked_at !== null) throw invalidKey();
  if (row.expires_at !== null && row.expires_at.getTime() <= nowMs) throw expiredKey();
}
