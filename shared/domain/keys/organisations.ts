// Organisations: the tenants that own the keys. Only the command line and the first start create them.
import { OperatorError } from '../../kernel/operator-error.ts';
import { type EntitySql, isUniqueViolation, type Sql } from '../../platform/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { find, insertSealed, type Selection } from '../../platform/db/seals/rows.ts';
import { KEY_NAME, TIER_MAX } from './limits.ts';

export interface Organisation {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly tier: number;
  readonly isOperator: boolean;
  readonly createdAt: Date;
}

async function read(sql: EntitySql, where: Selection<'organisation'>['where']): Promise<Organisation[]> {
  const rows = await find(sql, 'organisation', where);
  return rows.map(({ id, slug, name, tier, is_operator: isOperator, created_at: createdAt }) => ({
    id,
    slug,
    name,
    tier,
    isOperator,
    createdAt,
  }));
}

export interface OrganisationSpec {
  /** 1..40 of `a-z`, `0-9` and `-`. */
  readonly slug: string;
  readonly name: string;
  /** The highest tier of its keys, 0..7. */
  readonly tier: number;
  readonly isOperator?: boolean;
}

/** The slug of the operator's organisation. */
export const FIRST_SLUG = 'default';

/** The organisation cannot be created; the message says why. */
export class OrganisationError extends OperatorError {}

/** @throws {OrganisationError} when a value is invalid or the slug is taken */
export async function createOrganisation(sql: Sql, spec: OrganisationSpec, nowMs: number): Promise<Organisation> {
  if (!/^[a-z0-9-]{1,40}$/.test(spec.slug))
    throw new OrganisationError('The slug must have 1 to 40 of the characters a-z, 0-9 and "-".');
  if (spec.slug === FIRST_SLUG && spec.isOperator !== true)
    throw new OrganisationError(
      `The slug "${FIRST_SLUG}" is the operator's organisation, which the first start makes.`,
    );
  if (!KEY_NAME.test(spec.name))
    throw new OrganisationError('The name must have 1 to 100 characters and no control characters.');
  if (!Number.isInteger(spec.tier) || spec.tier < 0 || spec.tier > TIER_MAX)
    throw new OrganisationError(`The tier must be a whole number from 0 to ${TIER_MAX}.`);
  try {
    const { slug, name, tier, isOperator = false } = spec;
    const organisation = { id: newId('org', nowMs), slug, name, tier, isOperator, createdAt: new Date(nowMs) };
    const { id, createdAt } = organisation;
    await insertSealed(sql, 'organisation', { id, slug, name, tier, is_operator: isOperator, created_at: createdAt });
    return organisation;
  } catch (error) {
    if (isUniqueViolation(error, 'organisation_slug_key'))
      throw new OrganisationError(`There is an organisation with the slug "${spec.slug}" already.`);
    throw error;
  }
}

/** Oldest first. */
export async function listOrganisations(sql: EntitySql): Promise<Organisation[]> {
  const organisations = await read(sql, {});
  // Ids sort by time.
  return organisations.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
}

export async function organisationBySlug(sql: EntitySql, slug: string): Promise<Organisation | undefined> {
  return (await read(sql, { slug }))[0];
}

/** The organisation of the installation's operator, once it exists. */
export async function operatorOrganisation(sql: EntitySql): Promise<Organisation | undefined> {
  return (await read(sql, { is_operator: true }))[0];
}
