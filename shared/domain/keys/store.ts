// Keys: create, list, revoke, rotate. Shared by the routes and the command line.
import type { Owner } from '../../kernel/owner.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import { find, findPage, hold, insertSealed, updateSealed, type WholeRow } from '../../platform/db/seals/rows.ts';
import type { Environment, Scope } from '../../kernel/vocabulary.ts';
import { generateKey, isKeyId, type NewKey } from './format.ts';
import type { SecretHasher } from './secrets.ts';

/** A key without its secret and the secret's hash. */
export interface KeyRow extends Owner {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly agentIds: string[] | null;
  /** Types of obligations that its holder keeps. */
  readonly keepsObligations: string[];
  readonly tags: string[];
  readonly tier: number;
  readonly createdAt: Date;
  /** The key that created it; null: the command line. */
  readonly createdBy: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Its successor by rotation. */
  readonly replacedBy: string | null;
  readonly lastUsedAt: Date | null;
  readonly seq: string;
}

type Row = WholeRow<'api_key'>;

function shown(row: Row): KeyRow {
  return {
    keyId: row.key_id,
    organisationId: row.organisation_id,
    // A CHECK of the table allows no other.
    environment: row.environment as Environment,
    name: row.name,
    // Sealed: this service has validated them.
    scopes: [...row.scopes] as Scope[],
    agentIds: row.agent_ids === null ? null : [...row.agent_ids],
    keepsObligations: [...(row.keeps_obligations ?? [])],
    tags: [...(row.tags ?? [])],
    tier: row.tier,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by,
    lastUsedAt: row.last_used_at,
    seq: row.seq,
  };
}

export interface KeySpec extends Owner {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** null: all agents of the organisation. */
  readonly agentIds: readonly string[] | null;
  /** Absent: none. */
  readonly keepsObligations?: readonly string[];
  /** Absent: none. */
  readonly tags?: readonly string[];
  readonly tier: number;
  readonly createdAtMs: number;
  readonly createdBy: string | null;
  /** null: never. */
  readonly expiresAtMs: number | null;
}

/** A new key, with its text, which is known only now. */
export interface MadeKey {
  readonly key: string;
  readonly row: KeyRow;
}

/** Stores this key. @returns undefined when its id is taken */
export async function insertKey(
  sql: EntitySql,
  hasher: SecretHasher,
  made: NewKey,
  spec: KeySpec,
): Promise<KeyRow | undefined> {
  const values = {
    key_id: made.keyId,
    organisation_id: spec.organisationId,
    environment: spec.environment,
    name: spec.name,
    secret_hmac: hasher.hash(made.secret),
    scopes: [...spec.scopes],
    agent_ids: spec.agentIds === null ? null : [...spec.agentIds],
    tier: spec.tier,
    created_at: new Date(spec.createdAtMs),
    created_by: spec.createdBy,
    expires_at: spec.expiresAtMs === null ? null : new Date(spec.expiresAtMs),
    revoked_at: null,
    replaced_by: null,
    secret_pepper: null,
    keeps_obligations: spec.keepsObligations?.length ? [...spec.keepsObligations] : null,
    tags: spec.tags?.length ? [...spec.tags] : null,
  };
  if (!(await insertSealed(sql, 'api_key', values, { unlessExists: true }))) return undefined;
  const [row] = await find(sql, 'api_key', selectionOf(spec, made.keyId));
  if (row === undefined) throw new Error('a key that was just inserted was not found');
  await logChange(sql, shown(row), 'created', spec.createdBy, spec.createdAtMs);
  return shown(row);
}

/** Writes the change to the log: the rights of the key, never its secret. */
async function logChange(
  sql: Sql,
  row: KeyRow,
  change: 'created' | 'revoked' | 'replaced',
  by: string | null,
  nowMs: number,
): Promise<void> {
  const { organisationId, environment, keyId, name, scopes, agentIds, keepsObligations, tags } = row;
  const { tier, expiresAt, replacedBy } = row;
  const body = {
    change,
    keyId,
    name,
    scopes,
    agentIds,
    // Absent when empty, as in records from before there were such members.
    ...(keepsObligations.length === 0 ? {} : { keepsObligations }),
    ...(tags.length === 0 ? {} : { tags }),
    tier,
    expiresAt: expiresAt?.toISOString() ?? null,
    replacedBy,
    by,
  };
  await writeServiceRecord(sql, { organisationId, environment, event: 'custos.key', body }, nowMs);
}

/** Creates a key. Ids have 47 bits, so a second attempt is rare. */
export async function createKey(sql: EntitySql, hasher: SecretHasher, spec: KeySpec): Promise<MadeKey> {
  for (;;) {
    const made = generateKey(spec.environment);
    const row = await insertKey(sql, hasher, made, spec);
    if (row !== undefined) return { key: made.key, row };
  }
}

/** Newest first. @param before the `seq` of the last row of the previous page */
export async function listKeys(
  sql: EntitySql,
  { organisationId, environment }: Owner,
  before: string | null,
  limit: number,
): Promise<KeyRow[]> {
  const where = { organisation_id: organisationId, environment };
  return (await findPage(sql, 'api_key', where, before, limit)).map(shown);
}

/** Revokes a key; idempotent. Call it in a transaction. @returns the key before and after @throws {ApiError} E4001 */
export async function revokeKey(
  sql: EntitySql,
  owner: Owner,
  keyId: string,
  { by, nowMs, permit }: Pick<Rotation, 'nowMs' | 'permit'> & { readonly by: string | null },
): Promise<{ readonly before: KeyRow; readonly row: KeyRow }> {
  const row = await lockKey(sql, owner, keyId);
  const before = shown(row);
  permit?.(before);
  if (row.revoked_at !== null) return { before, row: before };
  const revoked = shown(await updateSealed(sql, 'api_key', row, { revoked_at: new Date(nowMs) }));
  await logChange(sql, revoked, 'revoked', by, nowMs);
  return { before, row: revoked };
}

export interface Rotation {
  readonly owner: Owner;
  readonly keyId: string;
  /** How long the old key stays valid; 0 revokes it immediately. */
  readonly overlapMs: number;
  readonly nowMs: number;
  readonly createdBy: string | null;
  /** The organisation's tier now. */
  readonly organisationTier: number;
  /** Called with the key before any change; may refuse by throwing. */
  readonly permit?: (old: KeyRow) => void;
}

/**
 * Replaces a key. The new one has its name, scopes, agents, tags, tier and lifetime (counted from now). The old one ends with
 * the overlap, or at its expiry if that is earlier. Call it in a transaction.
 * @returns the new key, and the old one before and after
 * @throws {ApiError} E4001; E5002 when the key is revoked, expired or already replaced
 */
export async function rotateKey(
  sql: EntitySql,
  hasher: SecretHasher,
  rotation: Rotation,
): Promise<MadeKey & { readonly before: KeyRow; readonly old: KeyRow }> {
  const { owner, keyId, nowMs, overlapMs } = rotation;
  const locked = await lockKey(sql, owner, keyId);
  const row = shown(locked);
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
    keepsObligations: row.keepsObligations,
    tags: row.tags,
    tier: Math.min(row.tier, rotation.organisationTier),
    createdAtMs: nowMs,
    createdBy: rotation.createdBy,
    expiresAtMs: row.expiresAt === null ? null : nowMs + (row.expiresAt.getTime() - row.createdAt.getTime()),
  });
  const overlapEnd = new Date(nowMs + overlapMs);
  const old = shown(
    await updateSealed(sql, 'api_key', locked, {
      replaced_by: made.row.keyId,
      // A rotation never extends the old key.
      expires_at: row.expiresAt !== null && row.expiresAt < overlapEnd ? row.expiresAt : overlapEnd,
      revoked_at: overlapMs === 0 ? new Date(nowMs) : null,
    }),
  );
  await logChange(sql, old, 'replaced', rotation.createdBy, nowMs);
  return { ...made, before: row, old };
}

const selectionOf = ({ organisationId, environment }: Owner, keyId: string) =>
  ({ key_id: keyId, organisation_id: organisationId, environment }) as const;

/** The same error for a missing key and a key of another owner, so that ids can't be probed. */
async function lockKey(sql: EntitySql, owner: Owner, keyId: string): Promise<Row> {
  // Checked first: PostgreSQL refuses some texts (NUL) that a path may hold.
  const [row] = isKeyId(keyId) ? await hold(sql, 'api_key', selectionOf(owner, keyId)) : [];
  if (row === undefined) throw new ApiError('E4001', 'There is no such key in this organisation and environment.');
  return row;
}
