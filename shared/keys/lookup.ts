// The one statement that authentication runs: a key by its id, with its organisation.
import type { Sql, Statement } from '../db/database.ts';
import type { Environment, Scope } from '../vocabulary.ts';
import { lineageSql } from './lineage.ts';

export interface StoredKey {
  readonly keyId: string;
  /** The first key of its line. */
  readonly lineage: string;
  readonly name: string;
  readonly environment: Environment;
  readonly secretHmac: Buffer;
  readonly scopes: Scope[];
  readonly agentIds: string[] | null;
  readonly tier: number;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly organisationId: string;
  readonly organisationSlug: string;
  readonly organisationTier: number;
  readonly isOperator: boolean;
}

const LOOK_UP: Statement = {
  name: 'keys-look-up',
  text: `SELECT k.key_id AS "keyId", ${lineageSql('k.key_id')} AS lineage, k.name, k.environment, k.secret_hmac AS "secretHmac", k.scopes, k.agent_ids AS "agentIds", k.tier,
      k.expires_at AS "expiresAt", k.revoked_at IS NOT NULL AS revoked, o.id AS "organisationId", o.slug AS "organisationSlug",
      o.tier AS "organisationTier", o.is_operator AS "isOperator"
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.key_id = $1`,
};

/** The stored key with this id, revoked and expired ones included. @throws {ApiError} E6002 */
export async function loadKey(sql: Sql, keyId: string): Promise<StoredKey | undefined> {
  const rows = await sql.query<StoredKey>(LOOK_UP, [keyId]);
  return rows[0];
}
