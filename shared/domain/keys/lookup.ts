// The look-up of authentication: a key by its id with its organisation, both with valid seals.
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow, withoutPrefix } from '../../platform/db/seals/rows.ts';
import type { SealedValues } from '../../platform/db/seals/tables.ts';
import type { Environment, Scope } from '../../kernel/vocabulary.ts';
import { earlierSql, lineageSql } from './lineage.ts';
import { ofOrganisation } from './operator.ts';
import type { AuthenticatedKey } from './types.ts';

/** A stored key, also one that is revoked or has expired. */
export interface StoredKey {
  readonly key: AuthenticatedKey;
  readonly secretHmac: Buffer;
  /** Fingerprint of the earlier pepper that its secret is stored under; null: the pepper in force. */
  readonly secretPepper: string | null;
  readonly revoked: boolean;
}

const LOOK_UP = `SELECT ${lineageSql('k.key_id')} AS lineage, ${sealedColumns('api_key', 'k')}, ${sealedColumns('organisation', 'o', 'o_')}
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.key_id = $1`;

const EARLIER = `SELECT ${sealedColumns('api_key', 'k')} FROM api_key k WHERE k.key_id IN (${earlierSql('$1')})`;

/** Whether every row of the key's line is genuine: the line decides who may approve whose requests. */
async function isLineGenuine(sql: Sql, keyId: string): Promise<boolean> {
  const rows = await sql.query<SealedRow<'api_key'>>(EARLIER, [keyId]);
  return genuine(sql, 'api_key', rows).length === rows.length;
}

/**
 * The stored key with this id, also if it is revoked or expired. It counts as absent when the row of the key, of its
 * organisation or of a key of its line is not genuine.
 * @throws {ApiError} E6002
 */
export async function loadKey(sql: Sql, keyId: string): Promise<StoredKey | undefined> {
  const [row] = await sql.query<SealedRow<'api_key'> & { readonly lineage: string }>(LOOK_UP, [keyId]);
  if (row === undefined) return undefined;
  const organisation = withoutPrefix(row, 'o_');
  if (!sql.seals.isGenuine('api_key', row) || !sql.seals.isGenuine('organisation', organisation)) return undefined;
  if (row.lineage !== row.key_id && !(await isLineGenuine(sql, row.key_id))) return undefined;
  const { slug, tier, is_operator: isOperator } = organisation as SealedValues<'organisation'>;
  return {
    secretHmac: row.secret_hmac,
    secretPepper: row.secret_pepper,
    revoked: row.revoked_at !== null,
    key: {
      keyId: row.key_id,
      lineage: row.lineage,
      name: row.name,
      organisationId: row.organisation_id,
      organisationSlug: slug,
      organisationTier: tier,
      ...ofOrganisation({ isOperator }),
      // A CHECK of the table allows no other.
      environment: row.environment as Environment,
      // Sealed: this service has validated them.
      scopes: new Set(row.scopes as readonly Scope[]),
      agentIds: row.agent_ids === null ? null : new Set(row.agent_ids),
      keepsObligations: new Set(row.keeps_obligations),
      tags: row.tags ?? [],
      // The organisation's tier may have been lowered after the key was made.
      tier: Math.min(row.tier, tier),
      expiresAtMs: row.expires_at?.getTime() ?? null,
    },
  };
}
