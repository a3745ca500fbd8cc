// The sets of organisations that differ from the installation's, in one process: loaded on first use, and bounded in number.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { ApiError } from '../../kernel/errors.ts';
import { createEvaluator } from '../../core/policy/evaluate.ts';
import { composedDigests, composeStored } from '../../core/policy/own/compose.ts';
import type { PolicySet } from '../../core/policy/load.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ActivePolicies } from './active-set.ts';
import type { OrganisationSet } from './organisation-sets.ts';

const READ_PARTS = `SELECT s.installation, own.canonical AS own FROM policy_set s LEFT JOIN own_policies own ON own.digest = s.own WHERE s.digest = $1`;

/** A composed set shares the installation's: it has its own policies, of at most 128 kB, and its evaluator. */
const MAX_COMPOSED = 200;
/** Staged sets, each as large as the installation's. */
const MAX_BASES = 3;
/** Entries of each cache of an evaluator: about a megabyte when all are full. */
const CACHED = 1_000;
/** After a failure the next request tries again. */
const RETRY_MS = 500;

export interface OrganisationPolicies {
  /**
   * Replaces what is known of all organisations, together with the installation's set.
   * @param rows of the same snapshot of the database as the installation's set
   */
  replace(installation: ActivePolicies, rows: readonly OrganisationSet[]): void;
  /** Undefined: the installation's set. @throws {ApiError} E6002 when it is not known, or cannot be loaded now */
  of(organisationId: string): ActivePolicies | Promise<ActivePolicies> | undefined;
}

export interface OrganisationPoliciesDeps {
  readonly db: Pick<Database, 'query'>;
  /** Loads a stored set of the installation. */
  readonly loadInstallation: (digest: string) => Promise<PolicySet<Lexicon>>;
  readonly onError: (error: unknown) => void;
}

interface Named {
  /** Undefined: the row was changed past the service. */
  readonly digest: string | undefined;
  readonly activatedAt: Date;
}

const FORGED =
  "The row of this organisation's policy set was changed past the service. Push the organisation's policies again, or stage a set for it anew.";

export function createOrganisationPolicies(deps: OrganisationPoliciesDeps): OrganisationPolicies {
  const { db, loadInstallation, onError } = deps;
  const composed = new BoundedCache<ActivePolicies | Promise<ActivePolicies>>({ max: MAX_COMPOSED });
  const bases = new BoundedCache<Promise<PolicySet<Lexicon>>>({ max: MAX_BASES });
  const digestsOf = new WeakMap<PolicySet<Lexicon>, (own: string) => string>();
  let installation: ActivePolicies | undefined;
  let named: ReadonlyMap<string, Named> = new Map();

  const baseOf = (digest: string): Promise<PolicySet<Lexicon>> => {
    if (digest === installation?.set.digest) return Promise.resolve(installation.set);
    const known = bases.get(digest) ?? loadInstallation(digest);
    bases.set(digest, known);
    known.catch(() => bases.delete(digest));
    return known;
  };

  const setOf = async (digest: string): Promise<PolicySet<Lexicon>> => {
    const [parts] = await db.query<{ installation: string | null; own: Buffer | null }>(READ_PARTS, [digest]);
    if (parts === undefined) throw new Error(`policy set ${digest} is active but not stored`);
    if (parts.installation === null || parts.own === null) return baseOf(digest);
    const base = await baseOf(parts.installation);
    const own = parts.own.toString('utf8');
    const digests = digestsOf.get(base) ?? composedDigests(base.canonical);
    digestsOf.set(base, digests);
    if (digests(own) !== digest) throw new Error(`policy set ${digest} has another digest`);
    return composeStored(base, own, digest);
  };

  const load = async ({ digest = '', activatedAt }: Named): Promise<ActivePolicies> => {
    try {
      const set = await setOf(digest);
      const active = {
        set,
        evaluator: createEvaluator({ set, memoLimit: CACHED, cacheLimit: CACHED, onError }),
        activatedAt,
      };
      composed.set(digest, active);
      return active;
    } catch (error) {
      onError(error);
      setTimeout(() => composed.delete(digest), RETRY_MS).unref();
      if (error instanceof ApiError) throw error;
      throw new ApiError('E6002', "The organisation's policy set cannot be loaded at the moment.", {
        headers: { 'retry-after': '1' },
        cause: error,
      });
    }
  };

  return {
    replace(next, rows) {
      installation = next;
      named = new Map(
        rows.flatMap(({ organisationId, row }): [string, Named][] => {
          if (row === undefined) return [[organisationId, { digest: undefined, activatedAt: new Date(0) }]];
          const { active_digest: digest, activated_at: activatedAt } = row;
          return digest === null ? [] : [[organisationId, { digest, activatedAt }]];
        }),
      );
    },
    of(organisationId) {
      if (named.size === 0) return undefined;
      const own = named.get(organisationId);
      if (own === undefined) return undefined;
      if (own.digest === undefined) throw new ApiError('E6002', FORGED, { headers: { 'retry-after': '30' } });
      const known = composed.get(own.digest);
      if (known !== undefined) return known;
      const loading = load(own);
      composed.set(own.digest, loading);
      return loading;
    },
  };
}
