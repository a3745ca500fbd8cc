// Changes of the set of one organisation: its own policies, a set that is staged for it, and a change of the installation's set below.
import { ApiError } from '../../kernel/errors.ts';
import type { OwnPolicies } from '../../core/policy/own/compose.ts';
import type { Misfit } from '../../core/policy/own/fit.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { insertSealed } from '../../platform/db/seals/rows.ts';
import { writeToLogsOf } from '../ledger/service-record.ts';
import {
  type BaseSet,
  type OrganisationSet,
  readBaseSet,
  readOrganisationSets,
  readOwnPolicies,
  storeComposed,
  storeOwnPolicies,
  writeOrganisationSet,
} from './organisation-sets.ts';

const NEXT_ACTIVATION = "SELECT nextval(pg_get_serial_sequence('policy_activation', 'seq'))::text AS seq";
const RECENT =
  "SELECT count(*)::int AS n FROM policy_activation WHERE organisation_id = $1 AND source IN ('push', 'rollback') AND activated_at > $2";
/** Every process reads the rows of all organisations again after each change. */
export const MAX_PUSHES_PER_HOUR = 60;
const HOUR_MS = 3_600_000;

/** A signature of a set that was checked. */
export interface Signature {
  readonly signer: string;
  readonly sequence: bigint;
}

/** The set of an organisation before and after a change of the installation's. */
export interface SetOfOrganisation {
  readonly digest: string;
  readonly previousDigest: string | null;
}

/** The numbers of the sequence of policy_activation order all activations. */
export async function nextActivation(sql: Sql): Promise<string> {
  const [next] = await sql.query<{ seq: string }>(NEXT_ACTIVATION, []);
  if (next === undefined) throw new Error('a sequence returned no number');
  return next.seq;
}

/** The set that is in force for an organisation with these own policies on this base. */
async function composedOf(
  sql: EntitySql,
  organisationId: string,
  base: BaseSet,
  { own, isStaged, at }: { readonly own: OwnPolicies | undefined; readonly isStaged: boolean; readonly at: Date },
): Promise<{ readonly digest: string | null; readonly misfits: readonly Misfit[] }> {
  if (own !== undefined) return storeComposed(sql, base, { organisationId, own, at });
  return { digest: isStaged ? base.digest : null, misfits: [] };
}

/**
 * Composes the sets of all organisations with own policies anew, in the transaction that puts a set of the installation into force. An
 * organisation for which that set was staged gets it like all others. A forged row stays: its organisation is refused until it, or the
 * operator, changes its set.
 * @returns the sets of the organisations that do not have the installation's set
 */
export async function recomposeOrganisations(
  sql: EntitySql,
  digest: string,
  atMs: number,
): Promise<ReadonlyMap<string, SetOfOrganisation>> {
  const changed = new Map<string, SetOfOrganisation>();
  const at = new Date(atMs);
  let base: BaseSet | undefined;
  for (const before of await readOrganisationSets(sql)) {
    const { organisationId, row } = before;
    if (row === undefined || (row.own_digest === null && row.staged_digest === null)) continue;
    const isStaged = row.staged_digest !== null && row.staged_digest !== digest;
    if (isStaged) {
      if (row.active_digest !== null)
        changed.set(organisationId, { digest: row.active_digest, previousDigest: row.active_digest });
      continue;
    }
    base ??= await readBaseSet(sql, digest);
    if (base === undefined) throw new Error(`the policy set ${digest} is not stored`);
    const own = row.own_digest === null ? undefined : await readOwnPolicies(sql, row.own_digest);
    const composed = await composedOf(sql, organisationId, base, { own, isStaged, at });
    const { own_digest, author, reason } = row;
    const values = {
      own_digest,
      staged_digest: null,
      active_digest: composed.digest,
      activated_at: at,
      author,
      reason,
    };
    await writeOrganisationSet(sql, organisationId, before, values, composed.misfits);
    if (composed.digest !== null)
      changed.set(organisationId, { digest: composed.digest, previousDigest: row.active_digest });
  }
  return changed;
}

export interface OrganisationChange {
  readonly organisationId: string;
  /** New own policies; null: none any more. Absent: as before. */
  readonly own?: OwnPolicies | null;
  /** How the own policies changed; default: push. */
  readonly source?: 'push' | 'rollback' | undefined;
  /** A stored set of the installation to be in force for this organisation; null: the installation's. Absent: as before. */
  readonly staged?: string | null;
  /** The set that the author believes to be in force; absent: any. */
  readonly expectedDigest?: string | undefined;
  /** A key id, or `cli:` and the name of the shell's user. */
  readonly author: string;
  readonly reason: string;
  readonly approver?: string | null;
  /** The signature that was checked. */
  readonly signature?: Signature | undefined;
  readonly atMs: number;
}

export interface ChangedOrganisation {
  /** The set in force for the organisation. */
  readonly digest: string;
  readonly previousDigest: string;
  readonly misfits: readonly Misfit[];
}

async function assertNotTooOften(sql: Sql, organisationId: string, atMs: number): Promise<void> {
  const [row] = await sql.query<{ n: number }>(RECENT, [organisationId, new Date(atMs - HOUR_MS)]);
  if ((row?.n ?? 0) < MAX_PUSHES_PER_HOUR) return;
  throw pushesTooOften();
}

export const pushesTooOften = (): ApiError =>
  new ApiError(
    'E3001',
    `An organisation may push its policies ${MAX_PUSHES_PER_HOUR} times in an hour; dry runs and refused pushes count.`,
    { headers: { 'retry-after': '60' } },
  );

/** A forged row says nothing: neither its own policies nor its stage can be trusted. */
const trusted = (before: OrganisationSet | undefined) => ({
  own: before?.row?.own_digest ?? null,
  staged: before?.row?.staged_digest ?? null,
  active: before?.row?.active_digest ?? null,
});

/**
 * Changes the set of one organisation, with a sealed row of the activation and a record in its own logs alone.
 * @param installation the digest in force for the installation, from holdPolicyState in the same transaction
 * @throws {ApiError} E5002 (`expectedDigest` is not in force), E4001 (no such staged set), E3001 (too often)
 */
export async function changeOrganisation(
  sql: EntitySql,
  installation: string,
  change: OrganisationChange,
): Promise<ChangedOrganisation> {
  const { organisationId, expectedDigest, author, reason, approver = null, signature, atMs } = change;
  const signer = signature?.signer ?? null;
  const at = new Date(atMs);
  const [before] = await readOrganisationSets(sql, organisationId);
  const was = trusted(before);
  const previousDigest = was.active ?? installation;
  if (expectedDigest !== undefined && expectedDigest !== previousDigest)
    throw new ApiError('E5002', `The set ${expectedDigest} is not in force; ${previousDigest} is.`);
  // The way back to the installation's set is always open: before each withdrawal there was a push.
  const isWithdrawal = change.own === null && was.own !== null;
  if (change.own !== undefined && !isWithdrawal) await assertNotTooOften(sql, organisationId, atMs);
  const wanted = change.staged === undefined ? was.staged : change.staged;
  const staged = wanted === installation ? null : wanted;
  const base = await readBaseSet(sql, staged ?? installation);
  if (base === undefined) throw new ApiError('E4001', 'There is no policy set of the installation with this digest.');
  const own =
    change.own === undefined
      ? was.own === null
        ? undefined
        : await readOwnPolicies(sql, was.own)
      : (change.own ?? undefined);
  const ownDigest = own === undefined ? null : await storeOwnPolicies(sql, organisationId, own, at);
  const composed = await composedOf(sql, organisationId, base, { own, isStaged: staged !== null, at });
  const digest = composed.digest ?? installation;
  const values = {
    own_digest: ownDigest,
    staged_digest: staged,
    active_digest: composed.digest,
    activated_at: at,
    author,
    reason,
  };
  await writeOrganisationSet(sql, organisationId, before, values, composed.misfits);
  const source = change.own === undefined ? 'stage' : (change.source ?? 'push');
  await insertSealed(sql, 'policy_activation', {
    seq: await nextActivation(sql),
    digest,
    previous_digest: previousDigest,
    activated_at: at,
    author,
    reason,
    source,
    approver,
    signer,
    signed_sequence: signature === undefined ? null : String(signature.sequence),
    organisation_id: organisationId,
  });
  const body = {
    change: 'activated',
    digest,
    previousDigest,
    author,
    reason,
    source,
    approver,
    signer,
    installationDigest: base.digest,
    ownDigest,
    ...(composed.misfits.length === 0 ? {} : { misfits: composed.misfits.map(({ policy }) => policy) }),
  };
  await writeToLogsOf(sql, organisationId, { event: 'custos.policy_set', body }, atMs);
  return { digest, previousDigest, misfits: composed.misfits };
}
