// Organisations in Postgres: the tenants that every key belongs to. They are made from the shell only.
import { isUniqueViolation, type Sql, type Statement } from '../../platform/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { genuine, insertSealed, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { KEY_NAME, TIER_MAX } from './limits.ts';

export interface Organisation {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly tier: number;
  readonly isOperator: boolean;
  readonly createdAt: Date;
}

const SELECT = `SELECT ${sealedColumns('organisation', 'o')} FROM organisation o`;
const LIST: Statement = { name: 'organisations-list', text: `${SELECT} ORDER BY created_at, id` };
const BY_SLUG: Statement = { name: 'organisations-by-slug', text: `${SELECT} WHERE slug = $1` };
const OPERATOR: Statement = { name: 'organisations-operator', text: `${SELECT} WHERE is_operator` };

async function read(sql: Sql, statement: Statement, values: readonly unknown[]): Promise<Organisation[]> {
  const rows = await sql.query<SealedRow<'organisation'>>(statement, values);
  return genuine(sql, 'organisation', rows).map(
    ({ id, slug, name, tier, is_operator: isOperator, created_at: createdAt }) => ({
      id,
      slug,
      name,
      tier,
      isOperator,
      createdAt,
    }),
  );
}

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
export function listOrganisations(sql: Sql): Promise<Organisation[]> {
  return read(sql, LIST, []);
}

export async function organisationBySlug(sql: Sql, slug: string): Promise<Organisation | undefined> {
  const [row] = await read(sql, BY_SLUG, [slug]);
  return row;
}

/** The first organisation, once it is there. */
export async function operatorOrganisation(sql: Sql): Promise<Organisation | undefined> {
  const [row] = await read(sql, OPERATOR, []);
  return row;
}
