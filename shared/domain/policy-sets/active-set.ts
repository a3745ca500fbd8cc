// The policy set in force, in every process: read by digest from Postgres, swapped in whole when the change feed says so.
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database, Statement } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { collectGarbage } from '../../platform/process/heap.ts';
import { createEvaluator, type Evaluator } from '../../core/policy/evaluate.ts';
import { loadCanonicalSet, type PolicySet } from '../../core/policy/load.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { WholeRow } from '../../platform/db/seals/rows.ts';

export interface ActivePolicies {
  readonly set: PolicySet<Lexicon>;
  readonly evaluator: Evaluator;
  readonly activatedAt: Date;
}

export interface PolicyStatus {
  readonly activeDigest: string | undefined;
  /** Whether the last reading of the policy folder was accepted, when it was read, and what was wrong. */
  readonly readOk: boolean;
  readonly readAt: Date | undefined;
  readonly findings: readonly unknown[];
  /** Set when the activated set could not be loaded by this process, which then keeps the last one it had. */
  readonly loadError: string | undefined;
}

export interface ActivePolicySet {
  /** A request takes this once and evaluates all of itself with it. @throws {ApiError} E6002 before the first set */
  current(): ActivePolicies;
  status(): PolicyStatus;
  /** Resolves when a set is in force here. */
  ready(): Promise<void>;
}

const READ_SET: Statement = { name: 'policy-set-read', text: 'SELECT canonical FROM policy_set WHERE digest = $1' };

const RETRY_MS = 500;
/** Loading leaves several times the size of the text as garbage. Of a text over this much V8 is asked to look for it. */
const LARGE_SET_BYTES = 4 * 1_048_576;
/** Once nothing refers to what was loaded from. */
const COLLECT_AFTER_MS = 1_000;
/** Verdicts remembered per set; their keys have 256 characters on average at most, and each lists its reasons. */
const MEMO_LIMIT = 20_000;

export interface ActivePolicySetDeps {
  readonly db: Database;
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
  readonly compileLexicon: (json: unknown) => Lexicon;
  readonly onError: (error: unknown) => void;
}

/** Compiles a lexicon again only when it says something else: most edits are of a policy, and the lexicon is the larger part. */
function rememberLast(compile: (json: unknown) => Lexicon): (json: unknown) => Lexicon {
  let last: { readonly text: string; readonly lexicon: Lexicon } | undefined;
  return (json) => {
    const text = JSON.stringify(json);
    if (last?.text !== text) last = { text, lexicon: compile(json) };
    return last.lexicon;
  };
}

class ForgedState extends Error {
  constructor() {
    super('the row that says which policy set is in force was changed in the database; the one before stays in force');
  }
}

/** Starts watching; resolves after the first look, whether or not a set is active yet. */
export async function watchActivePolicySet(deps: ActivePolicySetDeps): Promise<ActivePolicySet> {
  const { db, changes, onError } = deps;
  const compileLexicon = rememberLast(deps.compileLexicon);
  let active: ActivePolicies | undefined;
  let state: WholeRow<'policy_state'> | undefined;
  let loadError: string | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let waiting: (() => void)[] = [];

  const look = async (): Promise<void> => {
    [state] = await db.select('policy_state', { where: {} });
    const digest = state?.active_digest ?? undefined;
    if (state === undefined || digest === undefined) return;
    // The set in force here stays; a worker puts the row right (workers/policies.ts), which is told of.
    if (!db.seals.isGenuine('policy_state', state)) throw new ForgedState();
    if (digest === active?.set.digest) return;
    const [row] = await db.query<{ canonical: Buffer }>(READ_SET, [digest]);
    if (row === undefined) throw new Error(`policy set ${digest} is active but not stored`);
    const loaded = loadCanonicalSet(row.canonical.toString('utf8'), { compileLexicon });
    if (!loaded.ok) throw new Error(`policy set ${digest}: ${loaded.findings.map((f) => f.message).join('; ')}`);
    if (loaded.set.digest !== digest) throw new Error(`policy set ${digest} has the digest ${loaded.set.digest}`);
    active = {
      set: loaded.set,
      evaluator: createEvaluator({ set: loaded.set, memoLimit: MEMO_LIMIT, onError }),
      activatedAt: state?.activated_at ?? new Date(0),
    };
    if (row.canonical.byteLength > LARGE_SET_BYTES) setTimeout(collectGarbage, COLLECT_AFTER_MS).unref();
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  const lookAgain = (): Promise<void> => {
    again = true;
    looking ??= (async () => {
      while (again) {
        again = false;
        try {
          await look();
          loadError = undefined;
        } catch (error) {
          loadError = error instanceof Error ? error.message : String(error);
          onError(error);
          // Told of once it is put right.
          if (error instanceof ForgedState) continue;
          // The feed tells of a change once; what failed because Postgres was away is tried until it works.
          setTimeout(() => void lookAgain(), RETRY_MS).unref();
        }
      }
      looking = undefined;
    })();
    return looking;
  };

  changes.subscribe((change) => {
    if (change === 'reset' || change.kind === 'policy') void lookAgain();
  });
  await lookAgain();

  return {
    current() {
      if (active !== undefined) return active;
      throw new ApiError('E6002', 'No policy set is in force yet.', { headers: { 'retry-after': '1' } });
    },
    status: () => ({
      activeDigest: active?.set.digest,
      readOk: state?.read_ok ?? true,
      readAt: state?.read_at ?? undefined,
      findings: state === undefined ? [] : (JSON.parse(state.findings) as unknown[]),
      loadError,
    }),
    ready: () => (active === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
  };
}
