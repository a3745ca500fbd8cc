// Organisations in Postgres: the tenants that every key belongs to. They are made from the shell only.
import { isUniqueViolation, type Sql, type Statement } from '../db/database.ts';
import { newId } from '../ids.ts';
import { KEY_NAME, TIER_MAX } from './limits.ts';

export interface Organisation {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly tier: number;
  readonly isOperator: boolean;
  readonly createdAt: Date;
}

const COLUMNS = 'id, slug, name, tier, is_operator AS "isOperator", created_at AS "createdAt"';
const INSERT: Statement = {
  name: 'organisations-insert',
  text: `INSERT INTO organisation (id, slug, name, tier, is_operator, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
};
const LIST: Statement = {
  name: 'organisations-list',
  text: `SELECT ${COLUMNS} FROM organisation ORDER BY created_at, id`,
};
const BY_SLUG: Statement = {
  name: 'organisations-by-slug',
  text: `SELECT ${COLUMNS} FROM organisation WHERE slug = $1`,
};
const OPERATOR: Statement = {
  name: 'organisations-operator',
  text: `SELECT ${COLUMNS} FROM organisation WHERE is_operator`,
};

export interface OrganisationSpec {
  /** 1..40 of `a-z`, `0-9` and `-`. */
  readonly slug: string;
  readonly name: string;
  /** The most that a key of it may have, 0..7. */
  readonly tier: number;
  readonly isOperator?: boolean;
}

/** The operator's organisation. */
export const FIRST_SLUG = 'default';

/** An organisation cannot be made as it was asked for; the message says why. */
export class OrganisationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OrganisationError';
  }
}

/** @throws {OrganisationError} when a part has the wrong form or the slug is taken */
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
    const [row] = await sql.query<Organisation>(INSERT, [
      newId('org', nowMs),
      spec.slug,
      spec.name,
      spec.tier,
      spec.isOperator ?? false,
      new Date(nowMs),
    ]);
    if (row === undefined) throw new Error('an insert returned no row');
    return row;
  } catch (error) {
    if (isUniqueViolation(error, 'organisation_slug_key'))
      throw new OrganisationError(`There is an organisation with the slug "${spec.slug}" already.`);
    throw error;
  }
}

/** Oldest first. */
export function listOrganisations(sql: Sql): Promise<Organisation[]> {
  return sql.query<Organisation>(LIST, []);
}

export async function organisationBySlug(sql: Sql, slug: string): Promise<Organisation | undefined> {
  const [row] = await sql.query<Organisation>(BY_SLUG, [slug]);
  return row;
}

/** The first organisation, once it is there. */
export async function operatorOrganisation(sql: Sql): Promise<Organisation | undefined> {
  const [row] = await sql.query<Organisation>(OPERATOR, []);
  return row;
}
