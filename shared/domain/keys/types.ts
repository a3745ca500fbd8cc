// The authenticated key of a request.
import type { Environment, Scope } from '../../kernel/vocabulary.ts';
import type { OfOrganisation } from './operator.ts';

/** Whether it is the operator's is told by isOperatorsKey only. */
export interface AuthenticatedKey extends OfOrganisation {
  readonly keyId: string;
  /** The id of the first key of its line (see lineage.ts). */
  readonly lineage: string;
  readonly name: string;
  readonly organisationId: string;
  readonly organisationSlug: string;
  /** The organisation's tier, the highest of its keys. */
  readonly organisationTier: number;
  readonly environment: Environment;
  readonly scopes: ReadonlySet<Scope>;
  /** Agents that the key may name; null: all of its organisation. */
  readonly agentIds: ReadonlySet<string> | null;
  /** Types of obligations that its holder keeps. */
  readonly keepsObligations: ReadonlySet<string>;
  /** Given when it was made; they never change. */
  readonly tags: readonly string[];
  /** Rate limit tier, 0..7. */
  readonly tier: number;
  /** Milliseconds since 1970, or null. */
  readonly expiresAtMs: number | null;
}
