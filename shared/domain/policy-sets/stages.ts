// Stages: a set that is in force for some organisations, or evaluated in shadow for a share of decisions, before it is in force for all.
import { quoted } from '../../core/proof/encoding.ts';
import { ApiError, invalidField } from '../../kernel/errors.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { writeToLogsOf } from '../ledger/service-record.ts';
import { changeOrganisation, type Signature } from './organisation-change.ts';
import { readOrganisationSets } from './organisation-sets.ts';

const ORGANISATIONS = 'SELECT id, slug FROM organisation WHERE slug = ANY ($1::text[]) ORDER BY slug';
const OPERATOR = 'SELECT id FROM organisation WHERE is_operator';
const READ_SHARES = `SELECT digest, share, organisation_ids AS "organisationIds", author, reason, staged_at AS "stagedAt",
      ARRAY(SELECT slug FROM organisation WHERE id = ANY (organisation_ids) ORDER BY slug) AS slugs
    FROM policy_stage ORDER BY staged_at, digest`;
const STORE_SHARE = `INSERT INTO policy_stage (digest, share, organisation_ids, author, reason, staged_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (digest) DO UPDATE SET share = excluded.share, organisation_ids = excluded.organisation_ids, author = excluded.author,
      reason = excluded.reason, staged_at = excluded.staged_at`;
const FORGET_COUNTS = 'DELETE FROM shadow_set WHERE digest = $1';
const END_SHARE = 'DELETE FROM policy_stage WHERE digest = $1 RETURNING digest';
/** Each staged set is in the memory of every process, or of the worker that evaluates it in shadow. */
const MAX_STAGES = 3;

/** How a set is staged. */
export interface Stage {
  /** Slugs. In force for these; with `share` evaluated in shadow for these. */
  readonly organisations?: readonly string[] | undefined;
  /** 0 (exclusive) to 1: the set is not in force, but evaluated in shadow for this share of live decisions. */
  readonly share?: number | undefined;
}

/** A change of a stage: to begin it, or to end whatever is staged of the set. */
export type StageChange = Stage | 'drop';

export interface StageOrder {
  readonly digest: string;
  readonly author: string;
  readonly reason: string;
  readonly approver?: string | null;
  readonly signature?: Signature | undefined;
  readonly atMs: number;
}

/** A share in progress. */
export interface StagedShare {
  readonly digest: string;
  readonly share: number;
  /** Null: of all organisations. */
  readonly organisationIds: readonly string[] | null;
  readonly slugs: readonly string[];
  readonly author: string;
  readonly reason: string;
  readonly stagedAt: Date;
}

/** Whether a change of a stage changes what is in force, so that it needs the approvals and signatures of other changes. */
export const changesVerdicts = (stage: StageChange): boolean => stage === 'drop' || stage.share === undefined;

export function readShares(sql: Sql): Promise<StagedShare[]> {
  return sql.query<StagedShare>(READ_SHARES, []);
}

/** Ends the share of a set, which is in force for all, or dropped. @returns whether there was one */
export async function endShare(sql: Sql, digest: string): Promise<boolean> {
  return (await sql.query(END_SHARE, [digest])).length > 0;
}

/** The operator's log has a record of each stage, too. Other logs have the activations. */
async function recordStage(
  sql: EntitySql,
  change: 'staged' | 'stage_dropped',
  { digest, author, reason, approver = null, signature, atMs }: StageOrder,
  { organisations, share }: Stage,
): Promise<void> {
  const [operator] = await sql.query<{ id: string }>(OPERATOR, []);
  const signer = signature?.signer ?? null;
  const body = {
    change,
    digest,
    organisations,
    ...(share === undefined ? {} : { share }),
    author,
    reason,
    approver,
    signer,
  };
  if (operator !== undefined) await writeToLogsOf(sql, operator.id, { event: 'custos.policy_set', body }, atMs);
}

/** @throws {ApiError} E2001 for an unknown organisation */
async function organisationsOf(sql: Sql, slugs: readonly string[]): Promise<{ id: string; slug: string }[]> {
  const found = await sql.query<{ id: string; slug: string }>(ORGANISATIONS, [slugs]);
  const at = slugs.findIndex((slug) => !found.some((one) => one.slug === slug));
  if (at !== -1) throw invalidField(`/stage/organisations/${at}`, `is not an organisation: ${quoted(slugs[at] ?? '')}`);
  return found;
}

/** @throws {ApiError} E5002 when too many other sets are staged */
async function assertRoom(sql: Sql, digest: string): Promise<void> {
  const inForce = (await readOrganisationSets(sql)).flatMap(({ row }) => row?.staged_digest ?? []);
  const staged = new Set([...inForce, ...(await readShares(sql)).map((one) => one.digest)]);
  if (staged.has(digest) || staged.size < MAX_STAGES) return;
  throw new ApiError('E5002', `${MAX_STAGES} sets are staged already; promote or drop one of them.`);
}

/**
 * Puts a stored set into force for some organisations, on which their own policies stay, or has a share of decisions evaluated in shadow.
 * The caller holds the row of the installation's set.
 * @returns the slugs of the organisations @throws {ApiError} E2001 (no or unknown organisations), E5002 (in force for all, or too many stages)
 */
export async function beginStage(
  sql: EntitySql,
  installation: string,
  order: StageOrder,
  { organisations, share }: Stage,
): Promise<string[]> {
  const { digest, author, reason, atMs } = order;
  if (digest === installation) throw new ApiError('E5002', 'The set is in force for all organisations already.');
  if (organisations === undefined && share === undefined)
    throw invalidField('/stage', 'must name organisations, a share, or both');
  const found = await organisationsOf(sql, organisations ?? []);
  await assertRoom(sql, digest);
  const slugs = found.map(({ slug }) => slug);
  if (share === undefined) {
    for (const { id: organisationId } of found)
      await changeOrganisation(sql, installation, { ...order, organisationId, staged: digest });
  } else {
    const ids = organisations === undefined ? null : found.map(({ id }) => id);
    await sql.query(FORGET_COUNTS, [digest]);
    await sql.query(STORE_SHARE, [digest, share, ids, author, reason, new Date(atMs)]);
  }
  await recordStage(sql, 'staged', order, { organisations: slugs, share });
  return slugs;
}

/**
 * Ends whatever is staged of a set: its organisations get the installation's set again, and no share is evaluated.
 * @returns their slugs @throws {ApiError} E4001: the set is not staged
 */
export async function dropStage(sql: EntitySql, installation: string, order: StageOrder): Promise<string[]> {
  const staged = (await readOrganisationSets(sql)).filter(({ row }) => row?.staged_digest === order.digest);
  for (const { organisationId } of staged)
    await changeOrganisation(sql, installation, { ...order, organisationId, staged: null });
  const hadShare = await endShare(sql, order.digest);
  if (staged.length === 0 && !hadShare) throw new ApiError('E4001', 'This set is not staged.');
  const organisations = staged.map(({ slug }) => slug);
  await recordStage(sql, 'stage_dropped', order, { organisations });
  return organisations;
}
