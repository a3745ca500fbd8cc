// The sets of organisations that differ from the installation's: composed of the installation's (or a staged) set and own policies.
import { parseJson } from '../../kernel/json.ts';
import { storedDeclarations } from '../../core/policy/stored-set.ts';
import type { Declarations } from '../../core/policy/declarations.ts';
import { composedDigests, digestOfText, type OwnPolicies } from '../../core/policy/own/compose.ts';
import { fitOwnPolicies, type Misfit } from '../../core/policy/own/fit.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { insertSealed, sealedColumns, type SealedRow, updateSealed } from '../../platform/db/seals/rows.ts';

const READ_TEXT = 'SELECT canonical FROM policy_set WHERE digest = $1 AND canonical IS NOT NULL';
const READ_OWN = 'SELECT canonical FROM own_policies WHERE digest = $1';
const STORE_OWN =
  'INSERT INTO own_policies (digest, organisation_id, canonical, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING';
const STORE_COMPOSED =
  'INSERT INTO policy_set (digest, installation, own, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING';
// A deleted row is known by its versions. Rows of deleted organisations are gone with them.
const READ_ALL = `SELECT organisation.id, organisation.slug, own.findings,
      (SELECT max(version) FROM row_version WHERE table_name = 'organisation_policy' AND row_id = ARRAY[known.id]) AS newest, ${sealedColumns('organisation_policy', 'own')}
    FROM (
      SELECT DISTINCT row_id[1] AS id FROM row_version WHERE table_name = 'organisation_policy' UNION SELECT organisation_id FROM organisation_policy
    ) AS known JOIN organisation ON organisation.id = known.id
    LEFT JOIN organisation_policy AS own ON own.organisation_id = known.id
    WHERE $1::text IS NULL OR known.id = $1 ORDER BY organisation.slug`;

export type OrganisationRow = SealedRow<'organisation_policy'> & { readonly findings: string };

/** An organisation that has, or had, a set that is not the installation's. */
export interface OrganisationSet {
  readonly organisationId: string;
  readonly slug: string;
  /** Undefined: the row was changed or deleted past the service, so it is not known which set is in force. */
  readonly row: OrganisationRow | undefined;
  /** As it was read, genuine or not. */
  readonly stored: ReadRow;
}

type ReadRow = Partial<OrganisationRow> & {
  readonly id: string;
  readonly slug: string;
  readonly newest: number | null;
};
const isThere = (row: Partial<OrganisationRow>): row is OrganisationRow => typeof row.organisation_id === 'string';

/**
 * Every organisation with a row, or with a deleted one.
 * @param only this organisation @throws {ApiError} E6002
 */
export async function readOrganisationSets(sql: Sql, only?: string): Promise<OrganisationSet[]> {
  return (await sql.query<ReadRow>(READ_ALL, [only ?? null])).map((stored) => {
    const { id: organisationId, slug } = stored;
    if (!isThere(stored)) sql.seals.refuse('organisation_policy', `${organisationId} (its row was deleted)`);
    else if (sql.seals.isGenuine('organisation_policy', stored)) return { organisationId, slug, row: stored, stored };
    return { organisationId, slug, row: undefined, stored };
  });
}

export type OrganisationValues = Pick<
  OrganisationRow,
  'own_digest' | 'staged_digest' | 'active_digest' | 'activated_at' | 'author' | 'reason'
>;

/** Writes the row of an organisation, whatever it contained. The caller holds the row of the installation's set. */
export async function writeOrganisationSet(
  sql: Sql,
  organisationId: string,
  before: OrganisationSet | undefined,
  values: OrganisationValues,
  misfits: readonly Misfit[],
): Promise<void> {
  const unsealed = { findings: JSON.stringify(misfits) };
  const stored = before?.stored;
  if (stored !== undefined && isThere(stored))
    return void (await updateSealed(sql, 'organisation_policy', stored, values, unsealed));
  const version = (stored?.newest ?? 0) + 1;
  await insertSealed(sql, 'organisation_policy', { organisation_id: organisationId, ...values, version }, { unsealed });
}

/** An installation's set as a base of composed sets. */
export interface BaseSet {
  readonly digest: string;
  readonly declarations: Declarations;
  readonly composedDigest: (own: string) => string;
}

/** @param canonical the text of an admitted set of the installation */
export function baseSetOf(digest: string, canonical: Uint8Array): BaseSet {
  const { declarations } = storedDeclarations(parseJson(Buffer.from(canonical).toString('utf8')));
  return { digest, declarations, composedDigest: composedDigests(canonical) };
}

/** Undefined: no set of the installation has this digest. */
export async function readBaseSet(sql: Sql, digest: string): Promise<BaseSet | undefined> {
  const [row] = await sql.query<{ canonical: Buffer }>(READ_TEXT, [digest]);
  return row && baseSetOf(digest, row.canonical);
}

/** Stored own policies, as they were pushed. They were admitted then, and may not fit another set of the installation. */
export async function readOwnPolicies(sql: Sql, digest: string): Promise<OwnPolicies> {
  const [row] = await sql.query<{ canonical: Buffer }>(READ_OWN, [digest]);
  if (row === undefined) throw new Error(`the own policies ${digest} are not stored`);
  return ownPoliciesOfText(row.canonical.toString('utf8'));
}

/** @param text of a row of own_policies */
export function ownPoliciesOfText(text: string): OwnPolicies {
  // Written by storeOwnPolicies.
  const { slug, policies, placeholders } = JSON.parse(text) as Pick<OwnPolicies, 'slug' | 'policies'> & {
    readonly placeholders?: true;
  };
  return { slug, policies, hasPlaceholders: placeholders === true, text };
}

/** @returns their digest */
export async function storeOwnPolicies(
  sql: Sql,
  organisationId: string,
  { text }: OwnPolicies,
  at: Date,
): Promise<string> {
  const digest = digestOfText(text);
  await sql.query(STORE_OWN, [digest, organisationId, Buffer.from(text, 'utf8'), at]);
  return digest;
}

export interface Composed {
  /** The digest of the set that is in force for the organisation. */
  readonly digest: string;
  readonly misfits: readonly Misfit[];
}

/** Composes and stores the set of an organisation; the stored policies that do not fit the base deny their targets. */
export async function storeComposed(
  sql: EntitySql,
  base: BaseSet,
  { organisationId, own, at }: { readonly organisationId: string; readonly own: OwnPolicies; readonly at: Date },
): Promise<Composed> {
  const fitted = fitOwnPolicies(own, base.declarations);
  const ownDigest = await storeOwnPolicies(sql, organisationId, fitted.own, at);
  const digest = base.composedDigest(fitted.own.text);
  await sql.query(STORE_COMPOSED, [digest, base.digest, ownDigest, at]);
  return { digest, misfits: fitted.misfits };
}
