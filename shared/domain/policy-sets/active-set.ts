// The policy set in force: every process loads it by digest and swaps it as a whole when the change feed reports a
// change.
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { collectGarbage } from '../../platform/process/heap.ts';
import { inSlices } from '../../platform/process/slices.ts';
import { createEvaluator, type Evaluator } from '../../core/policy/evaluate.ts';
import type { LoadResult, PolicySet } from '../../core/policy/load.ts';
import { knownSet } from '../../core/policy/stored-set.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { WholeRow } from '../../platform/db/seals/rows.ts';
import { type InForce, inForceOf } from './activate.ts';
import { createOrganisationPolicies } from './organisation-policies.ts';
import { readOrganisationSets } from './organisation-sets.ts';

export interface ActivePolicies {
  readonly set: PolicySet<Lexicon>;
  readonly evaluator: Evaluator;
  readonly activatedAt: Date;
}

export interface PolicyStatus {
  readonly activeDigest: string | undefined;
  /** Who put the active set into force, why, and from where. */
  readonly inForce: InForce | undefined;
  /** The set of the last read of the folder; undefined while it has errors. */
  readonly folderDigest: string | undefined;
  /** Whether the last read of the policy folder was accepted, its time, and its findings. */
  readonly readOk: boolean;
  readonly readAt: Date | undefined;
  readonly findings: readonly unknown[];
  /** The error if this process could not load the activated set; it keeps the previous one. */
  readonly loadError: string | undefined;
}

export interface ActivePolicySet {
  /**
   * The set of an organisation: composed with its own policies, staged for it, or the installation's. Take it once per request. A promise
   * only where the change feed has to be read first, or the set of the organisation is not loaded yet. While a set is loaded, the one before is
   * returned, unless this process has learned late of the new one.
   * @throws {ApiError} E6002 before the first set, and when it is not known which set is in force for the organisation
   */
  current(organisationId: string): ActivePolicies | Promise<ActivePolicies>;
  /** The set of the installation. @throws {ApiError} E6002 before the first set */
  installation(): ActivePolicies;
  /** A stored set of the installation that is not in force for all. */
  stored(digest: string): Promise<PolicySet<Lexicon>>;
  status(): PolicyStatus;
  /** Resolves when this process has loaded what the change feed has announced, or has failed to. */
  loaded(): Promise<void>;
  /** Resolves when this process has a set in force, or knows that it can't load the one that is. */
  ready(): Promise<void>;
}

/** The lexicon of the installation's set in force; undefined when none is loaded. */
export const lexiconInForce = (policies: Pick<ActivePolicySet, 'status' | 'installation'>): Lexicon | undefined =>
  policies.status().activeDigest === undefined ? undefined : policies.installation().set.lexicon;

const READ_SET = 'SELECT canonical FROM policy_set WHERE digest = $1 AND canonical IS NOT NULL';
/** Must be the first statement of the transaction. */
const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

const RETRY_MS = 500;
/** Loading leaves garbage of several times the text's size. Above this size V8 is asked to collect it. */
const LARGE_SET_BYTES = 4 * 1_048_576;
/** By then nothing refers to the source any more. */
const COLLECT_AFTER_MS = 1_000;
/** Memoized verdicts per set. Their keys have at most 256 characters on average, and each lists its reasons. */
const MEMO_LIMIT = 20_000;

/** Builds the set of a stored text that has this digest. */
export type LoadSet = (canonical: string, digest: string) => Promise<LoadResult<Lexicon>>;

/** In slices. The compilers return the lexicon of the set in force for the same text. */
export const loadingWith =
  (compileLexicon: (json: unknown, digest?: string) => Lexicon): LoadSet =>
  (canonical, digest) =>
    inSlices(knownSet(canonical, digest, { compileLexicon }));

export interface ActivePolicySetDeps {
  readonly db: Database;
  readonly changes: Pick<ChangeFeed, 'subscribe' | 'ensureFresh'>;
  readonly loadSet: LoadSet;
  readonly onError: (error: unknown) => void;
}

class ForgedState extends Error {
  constructor() {
    super('the row that says which policy set is in force was changed in the database; the one before stays in force');
  }
}

/** This version can't load a set: only another set, or another version, helps. */
class UnloadableSet extends Error {
  constructor(digest: string, why: string) {
    super(
      `this version can not load the policy set ${digest.slice(0, 12)}: ${why}. Put another one into force with "custos policy push" or "custos policy follow-folder"`,
    );
  }
}

/** Starts watching; resolves after the first load attempt, whether or not a set is active. */
export async function watchActivePolicySet(deps: ActivePolicySetDeps): Promise<ActivePolicySet> {
  const { db, changes, loadSet, onError } = deps;
  let active: ActivePolicies | undefined;
  let inForce: InForce | undefined;
  let state: WholeRow<'policy_state'> | undefined;
  let loadError: string | undefined;
  /** Whether the set in force can't be loaded. */
  let isUnloadable = false;
  /** Whether a set may have been in force for long that is not loaded yet: the one before must not be used. */
  let isLate = false;
  let loading: Promise<void> | undefined;
  let again = false;
  let waiting: (() => void)[] = [];

  const loadInstallation = async (digest: string): Promise<PolicySet<Lexicon>> => {
    const [row] = await db.query<{ canonical: Buffer }>(READ_SET, [digest]);
    if (row === undefined) throw new Error(`policy set ${digest} is active but not stored`);
    const loaded = await loadSet(row.canonical.toString('utf8'), digest);
    if (!loaded.ok)
      throw new UnloadableSet(digest, loaded.findings.map((f) => `${f.pointer} ${f.message}`.trim()).join('; '));
    if (row.canonical.byteLength > LARGE_SET_BYTES) setTimeout(collectGarbage, COLLECT_AFTER_MS).unref();
    return loaded.set;
  };
  const organisations = createOrganisationPolicies({ db, loadInstallation, onError });

  const resolveWaiting = (): void => {
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  /** One snapshot, so that the installation's set and those of organisations are of one moment. */
  const readRows = () =>
    db.transaction(async (sql) => {
      await sql.query(ONE_MOMENT, []);
      const [row] = await sql.select('policy_state', { where: {} });
      return { row, rows: await readOrganisationSets(sql) };
    });

  const load = async (): Promise<void> => {
    const { row: read, rows } = await readRows();
    state = read;
    const digest = state?.active_digest ?? undefined;
    if (state === undefined || digest === undefined) return;
    // The current set stays. A worker corrects the row (workers/policies.ts), which is announced.
    if (!db.seals.isGenuine('policy_state', state)) throw new ForgedState();
    if (digest !== active?.set.digest) {
      const set = await loadInstallation(digest);
      const evaluator = createEvaluator({ set, memoLimit: MEMO_LIMIT, onError });
      active = { set, evaluator, activatedAt: state.activated_at ?? new Date(0) };
    }
    organisations.replace(active, rows);
    // The same set may be put into force again, by another author.
    inForce = inForceOf(state);
    resolveWaiting();
  };

  const reload = (): Promise<void> => {
    again = true;
    loading ??= (async () => {
      while (again) {
        again = false;
        let isFinal = true;
        try {
          await load();
          loadError = undefined;
          isUnloadable = false;
        } catch (error) {
          loadError = error instanceof Error ? error.message : String(error);
          onError(error);
          // The feed announces a change once, and another set is one. What failed because PostgreSQL was away is retried.
          isFinal = error instanceof ForgedState || error instanceof UnloadableSet;
          isUnloadable = error instanceof UnloadableSet;
          if (!isFinal) setTimeout(() => void reload(), RETRY_MS).unref();
          if (isUnloadable) resolveWaiting();
        }
        if (isFinal && !again) isLate = false;
      }
      loading = undefined;
    })();
    return loading;
  };

  changes.subscribe((change, isToldLate = false) => {
    if (change !== 'reset' && change.kind !== 'policy') return;
    isLate ||= isToldLate;
    void reload();
  });
  await reload();

  const installation = (): ActivePolicies => {
    if (active !== undefined) return active;
    const detail = isUnloadable
      ? 'This version can not load the policy set in force.'
      : 'No policy set is in force yet.';
    throw new ApiError('E6002', detail, { headers: { 'retry-after': isUnloadable ? '30' : '1' } });
  };

  const loadedOf = (organisationId: string): ReturnType<ActivePolicySet['current']> =>
    organisations.of(organisationId) ?? installation();

  const lateOf = async (organisationId: string): Promise<ActivePolicies> => {
    await loading;
    if (!isLate) return loadedOf(organisationId);
    throw new ApiError('E6002', 'The policy set in force can not be loaded at the moment.', {
      headers: { 'retry-after': '1' },
    });
  };

  const currentOf = (organisationId: string): ReturnType<ActivePolicySet['current']> =>
    isLate ? lateOf(organisationId) : loadedOf(organisationId);

  return {
    current(organisationId) {
      const fresh = changes.ensureFresh();
      return fresh === undefined ? currentOf(organisationId) : fresh.then(() => currentOf(organisationId));
    },
    installation,
    stored: loadInstallation,
    loaded: () => loading ?? Promise.resolve(),
    status: () => ({
      activeDigest: active?.set.digest,
      inForce,
      folderDigest: state?.folder_digest ?? undefined,
      readOk: state?.read_ok ?? true,
      readAt: state?.read_at ?? undefined,
      findings: state === undefined ? [] : (JSON.parse(state.findings) as unknown[]),
      loadError,
    }),
    ready: () =>
      active === undefined && !isUnloadable ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(),
  };
}
