// Keys that are stored under the pepper before the last rotation: accepted while it is known, and stored anew when used.
import type { EntitySql, Sql, Statement } from '../../platform/db/database.ts';
import { pepperFingerprint } from '../../platform/db/fingerprints.ts';
import { hold, updateSealed } from '../../platform/db/seals/rows.ts';
import type { StoredKey } from './lookup.ts';
import { createSecretHasher, type SecretHasher } from './secrets.ts';

/** The hashers of both peppers. */
export interface SecretCheck {
  /**
   * Whether the secret is the one of the key, under the pepper that its row names; with undefined (no such key) it does
   * the same work. `again`: it is, under the previous pepper, and the row should be rewritten with this hash.
   */
  check(secret: string, row: StoredKey | undefined): { readonly matches: boolean; readonly again?: Rehash };
}

/** What a row holds, and what it should hold. */
export interface Rehash {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** @param previous CUSTOS_PEPPER_PREVIOUS; without it keys that are stored under an earlier pepper match nothing */
export function createSecretCheck(hasher: SecretHasher, previous: string | undefined): SecretCheck {
  const earlier =
    previous === undefined
      ? undefined
      : { hasher: createSecretHasher(previous), fingerprint: pepperFingerprint(previous) };
  return {
    check(secret, row) {
      const hash = hasher.hash(secret);
      const earlierHash = earlier?.hasher.hash(secret);
      if (row !== undefined && earlierHash !== undefined && row.secretPepper === earlier?.fingerprint) {
        const matches = hasher.matches(earlierHash, row.secretHmac);
        return matches ? { matches, again: { from: earlierHash, to: hash } } : { matches };
      }
      return { matches: hasher.matches(hash, row?.secretPepper === null ? row.secretHmac : undefined) };
    },
  };
}

/**
 * Stores a key's secret under the pepper in force. Call it in a transaction, after the secret has matched. Another
 * process may have been first, and the key may have been changed or revoked meanwhile: then nothing is written.
 */
export async function rehashKey(sql: EntitySql, keyId: string, { from, to }: Rehash): Promise<void> {
  const [row] = await hold(sql, 'api_key', { key_id: keyId });
  if (row === undefined || row.secret_pepper === null || !row.secret_hmac.equals(from)) return;
  await updateSealed(sql, 'api_key', row, { secret_hmac: to, secret_pepper: null });
}

const WAITING: Statement = {
  name: 'keys-waiting-for-pepper',
  text: `SELECT count(*) FILTER (WHERE secret_pepper = $1)::int AS waiting, count(*) FILTER (WHERE secret_pepper <> $1 OR $1::text IS NULL)::int AS lost
    FROM api_key WHERE secret_pepper IS NOT NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** Keys that are neither revoked nor expired and are not stored under the pepper in force. */
export interface WaitingKeys {
  /** Stored under the previous pepper: they work while it is set. */
  readonly waiting: number;
  /** Stored under a pepper that is not known here: they do not work. */
  readonly lost: number;
}

export async function countWaitingKeys(sql: Pick<Sql, 'query'>, previous: string | undefined): Promise<WaitingKeys> {
  const fingerprint = previous === undefined ? null : pepperFingerprint(previous);
  const [row] = await sql.query<WaitingKeys>(WAITING, [fingerprint]);
  return row ?? { waiting: 0, lost: 0 };
}
