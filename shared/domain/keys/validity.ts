// Which keys are valid now in an environment, themselves or by a successor.
import type { Owner } from '../../kernel/owner.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { environmentsOf } from './environments.ts';

/** Keys and all their successors. */
const LINES = `WITH RECURSIVE line AS (
      SELECT key_id, replaced_by FROM api_key WHERE organisation_id = $1 AND key_id = ANY ($2)
      UNION SELECT next.key_id, next.replaced_by FROM line JOIN api_key AS next ON next.key_id = line.replaced_by
    )
    SELECT ${sealedColumns('api_key', 'k')} FROM line JOIN api_key k ON k.key_id = line.key_id`;

/**
 * Those of these keys that are valid now: the key itself, or one of its successors, is neither revoked nor expired, and has authority
 * in this environment. A row that is not genuine ends its line. @throws {ApiError} E6002
 */
export async function validKeys(
  sql: Sql,
  owner: Owner,
  keyIds: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (keyIds.length === 0) return new Set();
  const asked = [...new Set(keyIds)];
  const rows = await sql.query<SealedRow<'api_key'>>(LINES, [owner.organisationId, asked]);
  const known = new Map(genuine(sql, 'api_key', rows).map((row) => [row.key_id, row]));
  // A CHECK of the table allows no other environment.
  const actsHere = (row: SealedRow<'api_key'>): boolean =>
    environmentsOf({ environment: row.environment as Environment }).includes(owner.environment);
  const isValid = (row: SealedRow<'api_key'>): boolean =>
    actsHere(row) && row.revoked_at === null && (row.expires_at === null || row.expires_at.getTime() > nowMs);
  const hasValid = (first: string): boolean => {
    const seen = new Set<string>();
    for (
      let row = known.get(first);
      row !== undefined && !seen.has(row.key_id);
      row = known.get(row.replaced_by ?? '')
    ) {
      if (isValid(row)) return true;
      seen.add(row.key_id);
    }
    return false;
  };
  return new Set(asked.filter(hasValid));
}
