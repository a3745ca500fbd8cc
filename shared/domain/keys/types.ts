// What an authenticated key is, in every process that checks keys.
import type { Environment, Scope } from '../../kernel/vocabulary.ts';

export interface AuthenticatedKey {
  readonly keyId: string;
  /** The first key of the line that rotations made: the same for all keys of the line. */
  readonly lineage: string;
  readonly name: string;
  readonly organisationId: string;
  readonly organisationSlug: string;
  /** The operator's organisation: the first one. */
  readonly isOperator: boolean;
  /** The organisation's own tier: the most a key of it may have. */
  readonly organisationTier: number;
  readonly environment: Environment;
  readonly scopes: ReadonlySet<Scope>;
  /** Agents the key may name; null: all of its organisation. */
  readonly agentIds: ReadonlySet<string> | null;
  /** Rate limit tier, 0..7. */
  readonly tier: number;
  /** Milliseconds since 1970, or null. */
  readonly expiresAtMs: number | null;
}
