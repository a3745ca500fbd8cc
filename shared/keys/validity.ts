// Which keys are good now: a key, or what rotations have made of it.
import type { Sql, Statement } from '../db/database.ts';
import type { KeyOwner } from './store.ts';

/** From each key along the line of its rotations: one of them that is neither revoked nor expired is enough. */
const VALID: Statement = {
  name: 'keys-valid',
  text: `WITH RECURSIVE line AS (
      SELECT key_id AS first_id, key_id, replaced_by, revoked_at, expires_at FROM api_key
      WHERE organisation_id = $1 AND environment = $2 AND key_id = ANY ($3)
      UNION
      SELECT line.first_id, next.key_id, next.replaced_by, next.revoked_at, next.expires_at
      FROM line JOIN api_key AS next ON next.key_id = line.replaced_by
    )
    SELECT DISTINCT first_id AS "keyId" FROM line WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)`,
};

/** Those of these keys that are valid now, themselves or by what a rotation made of them. @throws {ApiError} E6002 */
export async function validKeys(
  sql: Sql,
  owner: KeyOwner,
  keyIds: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (keyIds.length === 0) return new Set();
  const values = [owner.organisationId, owner.environment, [...new Set(keyIds)], new Date(nowMs)];
  const rows = await sql.query<{ keyId: string }>(VALID, values);
  return new Set(rows.map(({ keyId }) => keyId));
}
