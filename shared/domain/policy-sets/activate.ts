// Puts a policy set into force: the state row, a sealed row of the activation, and a record in every log, in one transaction.
import type { EntitySql } from '../../platform/db/database.ts';
import { HIGHEST_SEQ } from '../../platform/db/plans.ts';
import {
  firstGenuine,
  insertSealed,
  sealedColumns,
  type SealedRow,
  updateSealed,
  type WholeRow,
} from '../../platform/db/seals/rows.ts';
import { writeToAllLogs } from '../ledger/service-record.ts';
import { nextActivation, recomposeOrganisations, type Signature } from './organisation-change.ts';
import { endShare } from './stages.ts';

/** Where a set in force comes from. */
export const ACTIVATION_SOURCES = ['folder', 'push', 'rollback', 'stage'] as const;
export type ActivationSource = (typeof ACTIVATION_SOURCES)[number];

/** The author of what was edited in the policy folder. */
export const FOLDER_AUTHOR = 'folder';

export interface Activation {
  readonly digest: string;
  /** The canonical text of the set; absent when it is stored already. */
  readonly canonical?: Uint8Array;
  /** `folder`, a key id, or `cli:` and the name of the shell's user. */
  readonly author: string;
  /** Null: the folder gives no reason. */
  readonly reason: string | null;
  readonly source: ActivationSource;
  /** Who approved it, if a second person had to. */
  readonly approver?: string | null;
  /** The signature that was checked. */
  readonly signature?: Signature;
  readonly atMs: number;
}

/** The set in force, as its activation described it. */
export interface InForce {
  readonly digest: string;
  readonly activatedAt: Date | null;
  readonly author: string;
  readonly reason: string | null;
  readonly source: ActivationSource;
}

/** The row of the set in force, locked until the transaction ends. */
export interface HeldState {
  readonly row: WholeRow<'policy_state'>;
  /** Whether the row was changed past the service. */
  readonly isForged: boolean;
  /** The set in force; undefined before the first one, and when the row is forged. */
  readonly inForce: InForce | undefined;
}

const STORE =
  'INSERT INTO policy_set (digest, canonical, created_at) VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING';
const ENSURE_STATE = 'INSERT INTO policy_state DEFAULT VALUES ON CONFLICT DO NOTHING';

/** The set that a genuine row names; undefined before the first one. */
export function inForceOf(row: WholeRow<'policy_state'>): InForce | undefined {
  const { active_digest: digest, activated_at: activatedAt, author, reason, source } = row;
  if (digest === null) return undefined;
  // Rows from before authors were stored are of the folder. Written by activatePolicySet alone; the seal covers the source.
  const from = (source ?? 'folder') as ActivationSource;
  return { digest, activatedAt, author: author ?? FOLDER_AUTHOR, reason, source: from };
}

/** Whether the row has a wrong seal. A row that has never named a set is unsealed, as the migration created it. */
export function isForgedState(sql: Pick<EntitySql, 'seals'>, row: WholeRow<'policy_state'>): boolean {
  const isUnused = row.active_digest === null && row.version === 1 && row.seal_floor === null;
  return !isUnused && !sql.seals.isGenuine('policy_state', row);
}

/** Locks the row of the set in force, so that activations come one after another. */
export async function holdPolicyState(sql: EntitySql): Promise<HeldState> {
  // The row exists unless it was deleted by hand.
  await sql.query(ENSURE_STATE, []);
  await sql.select('policy_state', { where: {}, lock: true });
  const [row] = await sql.select('policy_state', { where: {} });
  if (row === undefined) throw new Error('the row that names the policy set in force is missing');
  const isForged = isForgedState(sql, row);
  return { row, isForged, inForce: isForged ? undefined : inForceOf(row) };
}

const NEWEST = `SELECT ${sealedColumns('policy_activation', 'a')} FROM policy_activation a
    WHERE organisation_id IS NULL AND seq < $1 ORDER BY seq DESC LIMIT $2`;

/**
 * Puts the set of the newest genuine activation into force again when the state row is forged.
 * @returns the row as it is then; still forged when there is no such activation
 */
export async function restoreIfForged(sql: EntitySql, held: HeldState, atMs: number): Promise<HeldState> {
  if (!held.isForged) return held;
  const newest = await firstGenuine<SealedRow<'policy_activation'>>(sql, 'policy_activation', (last, limit) =>
    sql.query(NEWEST, [last?.seq ?? HIGHEST_SEQ, limit]),
  );
  if (newest === undefined) return held;
  const { digest, author, reason, source, approver } = newest;
  const from = (source ?? 'folder') as ActivationSource;
  await activatePolicySet(sql, held, { digest, author: author ?? FOLDER_AUTHOR, reason, source: from, approver, atMs });
  return holdPolicyState(sql);
}

/** Stores the text of a set. Sets are kept for ever. */
export async function storePolicySet(
  sql: EntitySql,
  { digest, canonical, atMs }: Required<Pick<Activation, 'digest' | 'canonical' | 'atMs'>>,
): Promise<void> {
  const bytes = Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength);
  await sql.query(STORE, [digest, bytes, new Date(atMs)]);
}

/**
 * Stores the set and puts it into force in the transaction of `sql`. Every process evaluates it as soon as it learns of the commit.
 * @param held from holdPolicyState in the same transaction
 * @param read unsealed columns: the result of a read of the folder that belongs to this activation
 */
export async function activatePolicySet(
  sql: EntitySql,
  held: HeldState,
  activation: Activation,
  read: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { digest, canonical, author, reason, source, approver = null, signature, atMs } = activation;
  if (canonical !== undefined) await storePolicySet(sql, { digest, canonical, atMs });
  const at = new Date(atMs);
  const previousDigest = held.inForce?.digest ?? null;
  const authored = { author, reason, source };
  const inForce = { active_digest: digest, activated_at: at, ...authored };
  // The seal covers the whole new state, whatever a forged row contained.
  await updateSealed(sql, 'policy_state', held.row, inForce, read);
  await endShare(sql, digest);
  const ofOrganisations = await recomposeOrganisations(sql, digest, atMs);
  const signer = signature?.signer ?? null;
  await insertSealed(sql, 'policy_activation', {
    seq: await nextActivation(sql),
    digest,
    previous_digest: previousDigest,
    activated_at: at,
    ...authored,
    approver,
    signer,
    signed_sequence: signature === undefined ? null : String(signature.sequence),
    organisation_id: null,
  });
  const change = { change: 'activated', ...authored, approver, signer };
  // A record names the set that is in force for the organisation of its log.
  const recordFor = (organisationId: string): object => {
    const own = ofOrganisations.get(organisationId);
    return own === undefined
      ? { ...change, digest, previousDigest }
      : { ...change, ...own, installationDigest: digest };
  };
  await writeToAllLogs(sql, 'custos.policy_set', recordFor, atMs);
}
