// Changes of the set of single organisations: their own policies, sets that are staged for them, and changes of the installation's set below.
import { ApiError, invalidField } from '../../kernel/errors.ts';
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
  "SELECT count(*)::int AS n FROM policy_activation WHERE organisation_id = $1 AND source = 'push' AND activated_at > $2";
/** Every process reads the rows of all organisations again after each change. */
const MAX_PUSHES_PER_HOUR = 60;
const HOUR_MS = 3_600_000;

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
  /** A stored set of the installation to be in force for this organisation; null: the installation's. Absent: as before. */
  readonly staged?: string | null;
  /** The set that the author believes to be in force; absent: any. */
  readonly expectedDigest?: string | undefined;
  /** A key id, or `cli:` and the name of the shell's user. */
  readonly author: string;
  readonly reason: string;
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
  throw new ApiError('E3001', `An organisation may push its policies ${MAX_PUSHES_PER_HOUR} times in an hour.`, {
    headers: { 'retry-after': '60' },
  });
}

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
  const { organisationId, expectedDigest, author, reason, atMs } = change;
  const at = new Date(atMs);
  const [before] = await readOrganisationSets(sql, organisationId);
  const was = trusted(before);
  const previousDigest = was.active ?? installation;
  if (expectedDigest !== undefined && expectedDigest !== previousDigest)
    throw new ApiError('E5002', `The set ${expectedDigest} is not in force; ${previousDigest} is.`);
  if (change.own !== undefined) await assertNotTooOften(sql, organisationId, atMs);
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
  const source = change.own === undefined ? 'stage' : 'push';
  await insertSealed(sql, 'policy_activation', {
    seq: await nextActivation(sql),
    digest,
    previous_digest: previousDigest,
    activated_at: at,
    author,
    reason,
    source,
    approver: null,
    signer: null,
    signed_sequence: null,
    organisation_id: organisationId,
  });
  const body = {
    change: 'activated',
    digest,
    previousDigest,
    author,
    reason,
    source,
    approver: null,
    signer: null,
    installationDigest: base.digest,
    ownDigest,
    ...(composed.misfits.length === 0 ? {} : { misfits: composed.misfits.map(({ policy }) => policy) }),
  };
  await writeToLogsOf(sql, organisationId, { event: 'custos.policy_set', body }, atMs);
  return { digest, previousDigest, misfits: composed.misfits };
}

const ORGANISATIONS = 'SELECT id, slug FROM organisation WHERE slug = ANY ($1::text[]) ORDER BY slug';
const OPERATOR = 'SELECT id FROM organisation WHERE is_operator';
/** Each staged set is in the memory of every process. */
const MAX_STAGES = 3;

interface StageChange {
  readonly digest: string;
  readonly author: string;
  readonly reason: string;
  readonly atMs: number;
}

/** The operator's log has a record of each stage, too. Other logs have the activations. */
async function recordStage(
  sql: EntitySql,
  change: 'staged' | 'stage_dropped',
  { digest, author, reason, atMs }: StageChange,
  organisations: readonly string[],
): Promise<void> {
  const [operator] = await sql.query<{ id: string }>(OPERATOR, []);
  const body = { change, digest, organisations, author, reason };
  if (operator !== undefined) await writeToLogsOf(sql, operator.id, { event: 'custos.policy_set', body }, atMs);
}

/**
 * Puts a stored set into force for some organisations, on which their own policies stay. The caller holds the row of the installation's set.
 * @returns their slugs @throws {ApiError} E2001 (unknown organisations), E5002 (in force for all, or too many stages)
 */
export async function stageSet(
  sql: EntitySql,
  installation: string,
  { organisations, ...change }: StageChange & { readonly organisations: readonly string[] },
): Promise<string[]> {
  const { digest, author, reason, atMs } = change;
  if (digest === installation) throw new ApiError('E5002', 'The set is in force for all organisations already.');
  const found = await sql.query<{ id: string; slug: string }>(ORGANISATIONS, [organisations]);
  const at = organisations.findIndex((slug) => !found.some((one) => one.slug === slug));
  if (at !== -1) throw invalidField(`/stage/organisations/${at}`, 'is not an organisation');
  const staged = new Set((await readOrganisationSets(sql)).flatMap(({ row }) => row?.staged_digest ?? []));
  if (!staged.has(digest) && staged.size >= MAX_STAGES)
    throw new ApiError('E5002', `${MAX_STAGES} sets are staged already; promote or drop one of them.`);
  for (const { id: organisationId } of found)
    await changeOrganisation(sql, installation, { organisationId, staged: digest, author, reason, atMs });
  const slugs = found.map(({ slug }) => slug);
  await recordStage(sql, 'staged', change, slugs);
  return slugs;
}

/** Gives the organisations of a stage the installation's set again. @returns their slugs; empty: the set is not staged */
export async function dropStage(sql: EntitySql, installation: string, change: StageChange): Promise<string[]> {
  const { digest, author, reason, atMs } = change;
  const staged = (await readOrganisationSets(sql)).filter(({ row }) => row?.staged_digest === digest);
  for (const { organisationId } of staged)
    await changeOrganisation(sql, installation, { organisationId, staged: null, author, reason, atMs });
  const slugs = staged.map(({ slug }) => slug);
  if (slugs.length > 0) await recordStage(sql, 'stage_dropped', change, slugs);
  return slugs;
}
