// Keys in Postgres: make, list, revoke, rotate. The routes and the command line say the same things through these.
import type { Sql, Statement } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { writeServiceRecord } from '../log/service-record.ts';
import type { Environment, Scope } from '../vocabulary.ts';
import { generateKey, isKeyId, type NewKey } from './format.ts';
import type { SecretHasher } from './secrets.ts';

/** A key as administrators see it: never the secret, nor what is stored of it. */
export interface KeyRow {
  readonly keyId: string;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: Scope[];
  readonly agentIds: string[] | null;
  readonly tier: number;
  readonly createdAt: Date;
  /** The key that made it; null when it was made from the shell. */
  readonly createdBy: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The key that a rotation made in its place. */
  readonly replacedBy: string | null;
  readonly lastUsedAt: Date | null;
  readonly seq: string;
}

/** Whose keys are meant; nothing here ever crosses it. */
export interface KeyOwner {
  readonly organisationId: string;
  readonly environment: Environment;
}

const COLUMNS = `key_id AS "keyId", organisation_id AS "organisationId", environment, name, scopes, agent_ids AS "agentIds", tier,
  created_at AS "createdAt", created_by AS "createdBy", expires_at AS "expiresAt", revoked_at AS "revokedAt", replaced_by AS "replacedBy",
  last_used_at AS "lastUsedAt", seq::text AS seq`;

const INSERT: Statement = {
  name: 'keys-insert',
  text: `INSERT INTO api_key (key_id, organisation_id, environment, name, secret_hmac, scopes, agent_ids, tier, created_at, created_by, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (key_id) DO NOTHING RETURNING ${COLUMNS}`,
};
const LIST: Statement = {
  name: 'keys-list',
  text: `SELECT ${COLUMNS} FROM api_key WHERE organisation_id = $1 AND environment = $2 AND ($3::bigint IS NULL OR seq < $3)
    ORDER BY api_key.seq DESC LIMIT $4`,
};
const LOCK: Statement = {
  name: 'keys-lock',
  text: `SELECT ${COLUMNS} FROM api_key WHERE key_id = $1 AND organisation_id = $2 AND environment = $3 FOR NO KEY UPDATE`,
};
/** Says nothing when the key is revoked already: then the trigger announces nothing either. */
const REVOKE: Statement = {
  name: 'keys-revoke',
  text: `UPDATE api_key SET revoked_at = $2 WHERE key_id = $1 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
};
/** Only ever brings the end forward. */
const REPLACE: Statement = {
  name: 'keys-replace',
  text: `UPDATE api_key SET replaced_by = $2, expires_at = LEAST(expires_at, $3::timestamptz), revoked_at = $4
    WHERE key_id = $1 RETURNING ${COLUMNS}`,
};

export interface KeySpec extends KeyOwner {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** null: all agents of the organisation. */
  readonly agentIds: readonly string[] | null;
  readonly tier: number;
  readonly createdAtMs: number;
  readonly createdBy: string | null;
  /** null: never. */
  readonly expiresAtMs: number | null;
}

/** A key that was just made: the only moment at which its text is known. */
export interface MadeKey {
  readonly key: string;
  readonly row: KeyRow;
}

/** Stores this very key, if its id is free. */
export async function insertKey(
  sql: Sql,
  hasher: SecretHasher,
  made: NewKey,
  spec: KeySpec,
): Promise<KeyRow | undefined> {
  const [row] = await sql.query<KeyRow>(INSERT, [
    made.keyId,
    spec.organisationId,
    spec.environment,
    spec.name,
    hasher.hash(made.secret),
    [...spec.scopes],
    spec.agentIds === null ? null : [...spec.agentIds],
    spec.tier,
    new Date(spec.createdAtMs),
    spec.createdBy,
    spec.expiresAtMs === null ? null : new Date(spec.expiresAtMs),
  ]);
  if (row !== undefined) await logChange(sql, row, 'created', spec.createdBy, spec.createdAtMs);
  return row;
}

/** The change on its way to the log: what the key may do, never what it is. */
async function logChange(
  sql: Sql,
  row: KeyRow,
  change: 'created' | 'revoked' | 'replaced',
  by: string | null,
  nowMs: number,
): Promise<void> {
  const { organisationId, environment, keyId, name, scopes, agentIds, tier, expiresAt, replacedBy } = row;
  const body = {
    change,
    keyId,
    name,
    scopes,
    agentIds,
    tier,
    expiresAt: expiresAt?.toISOString() ?? null,
    replacedBy,
    by,
  };
  await writeServiceRecord(sql, { organisationId, environment, event: 'custos.key', body }, nowMs);
}

/** Makes a key. Ids have 47 bits, so a second try is rare and a third never happens. */
export async function createKey(sql: Sql, hasher: SecretHasher, spec: KeySpec): Promise<MadeKey> {
  for (;;) {
    const made = generateKey(spec.environment);
    const row = await insertKey(sql, hasher, made, spec);
    if (row !== undefined) return { key: made.key, row };
  }
}

/** Newest first; `before` is the `seq` of the last row seen. */
export function listKeys(sql: Sql, owner: KeyOwner, before: string | null, limit: number): Promise<KeyRow[]> {
  return sql.query<KeyRow>(LIST, [owner.organisationId, owner.environment, before, limit]);
}

/** Revokes a key; a second time changes nothing. Call it in a transaction. @throws {ApiError} E4001 */
export async function revokeKey(
  sql: Sql,
  owner: KeyOwner,
  keyId: string,
  { by, nowMs }: { readonly by: string | null; readonly nowMs: number },
): Promise<KeyRow> {
  const row = await lockKey(sql, owner, keyId);
  const [revoked] = await sql.query<KeyRow>(REVOKE, [keyId, new Date(nowMs)]);
  if (revoked !== undefined) await logChange(sql, revoked, 'revoked', by, nowMs);
  return revoked ?? row;
}

export interface Rotation {
  readonly owner: KeyOwner;
  readonly keyId: string;
  /** How long the old key stays valid; 0 revokes it at once. */
  readonly overlapMs: number;
  readonly nowMs: number;
  readonly createdBy: string | null;
  /** The most that the organisation allows now. */
  readonly organisationTier: number;
  /** Called with the old key before anything is changed; refuses by throwing. */
  readonly permit?: (old: KeyRow) => void;
}

/**
 * Replaces a key: the new one has its name, scopes, agents, tier and lifetime (counted from now), the old one ends
 * with the overlap, or when it would have ended anyway. Call it in a transaction.
 * @throws {ApiError} E4001; E5002 when the key is revoked, expired or replaced already
 */
export async function rotateKey(
  sql: Sql,
  hasher: SecretHasher,
  rotation: Rotation,
): Promise<MadeKey & { readonly old: KeyRow }> {
  const { owner, keyId, nowMs, overlapMs } = rotation;
  const row = await lockKey(sql, owner, keyId);
  rotation.permit?.(row);
  if (row.revokedAt !== null) throw new ApiError('E5002', 'The key is revoked; make a new one instead.');
  if (row.expiresAt !== null && row.expiresAt.getTime() <= nowMs)
    throw new ApiError('E5002', 'The key has expired; make a new one instead.');
  if (row.replacedBy !== null)
    throw new ApiError('E5002', `The key was rotated already; rotate its successor ${row.replacedBy} instead.`);
  const made = await createKey(sql, hasher, {
    ...owner,
    name: row.name,
    scopes: row.scopes,
    agentIds: row.agentIds,
    tier: Math.min(row.tier, rotation.organisationTier),
    createdAtMs: nowMs,
    createdBy: rotation.createdBy,
    expiresAtMs: row.expiresAt === null ? null : nowMs + (row.expiresAt.getTime() - row.createdAt.getTime()),
  });
  const [old] = await sql.query<KeyRow>(REPLACE, [
    keyId,
    made.row.keyId,
    new Date(nowMs + overlapMs),
    overlapMs === 0 ? new Date(nowMs) : null,
  ]);
  await logChange(sql, old ?? row, 'replaced', rotation.createdBy, nowMs);
  return { ...made, old: old ?? row };
}

/** The same answer for a key that is not there and one that is somebody else's. */
async function lockKey(sql: Sql, owner: KeyOwner, keyId: string): Promise<KeyRow> {
  // Asked first: Postgres refuses some texts (NUL) that a path may hold.
  const rows = isKeyId(keyId) ? await sql.query<KeyRow>(LOCK, [keyId, owner.organisationId, owner.environment]) : [];
  const [row] = rows;
  if (row === undefined) throw new ApiError('E4001', 'There is no such key in this organisation and environment.');
  return row;
}
