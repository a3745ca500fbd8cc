// Keys stored under the pepper before the last rotation: accepted while it is configured, and stored again on use.
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { pepperFingerprint } from '../../platform/db/fingerprints.ts';
import { hold, updateSealed } from '../../platform/db/seals/rows.ts';
import type { StoredKey } from './lookup.ts';
import { createSecretHasher, type SecretHasher } from './secrets.ts';

/** Compares secrets under both peppers. */
export interface SecretCheck {
  /**
   * Whether the secret matches under the pepper that the row names. With undefined (no such key) it does the same work.
   * `again`: it matches under the previous pepper, and the row should be rewritten with this hash.
   */
  check(secret: string, row: StoredKey | undefined): { readonly matches: boolean; readonly again?: Rehash };
}

/** The stored hash and the one to replace it. */
export interface Rehash {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** @param previous CUSTOS_PEPPER_PREVIOUS; without it keys under an earlier pepper never match */
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
 * Stores a key's secret under the pepper in force. Call it in a transaction, after the secret has matched. Writes nothing
 * if another process was first, or the key was changed or revoked meanwhile.
 */
export async function rehashKey(sql: EntitySql, keyId: string, { from, to }: Rehash): Promise<void> {
  const [row] = await hold(sql, 'api_key', { key_id: keyId });
  if (row === undefined || row.secret_pepper === null || !row.secret_hmac.equals(from)) return;
  await updateSealed(sql, 'api_key', row, { secret_hmac: to, secret_pepper: null });
}

const WAITING = `SELECT count(*) FILTER (WHERE secret_pepper = $1)::int AS waiting, count(*) FILTER (WHERE secret_pepper <> $1 OR $1::text IS NULL)::int AS lost
    FROM api_key WHERE secret_pepper IS NOT NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

/** Valid keys that are not stored under the pepper in force. */
export interface WaitingKeys {
  /** Stored under the previous pepper; they work while it is configured. */
  readonly waiting: number;
  /** Stored under an unknown pepper; they don't work. */
  readonly lost: number;
}

export async function countWaitingKeys(sql: Pick<Sql, 'query'>, previous: string | undefined): Promise<WaitingKeys> {
  const fingerprint = previous === undefined ? null : pepperFingerprint(previous);
  const [row] = await sql.query<WaitingKeys>(WAITING, [fingerprint]);
  return row ?? { waiting: 0, lost: 0 };
}
