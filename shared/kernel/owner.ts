// To whom rows and records belong.
import type { Environment } from './vocabulary.ts';

/** An organisation (the tenant) and one of its environments. What belongs to one owner is invisible to all others. */
export interface Owner {
  readonly organisationId: string;
  readonly environment: Environment;
}

/** The values of the columns organisation_id and environment. */
export type OwnerColumns = readonly [organisationId: string, environment: Environment];

export const ownerColumns = ({ organisationId, environment }: Owner): OwnerColumns => [organisationId, environment];

export function ownerOf({ organisationId, environment }: Owner): Owner {
  return { organisationId, environment };
}
