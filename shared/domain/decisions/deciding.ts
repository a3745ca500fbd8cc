// Creates everything that decisions need, for ingress and workers alike.
import { randomBytes } from 'node:crypto';
import type { ClockSample } from '../../platform/db/clock.ts';
import { type ChangeFeed, startChangeFeed } from '../../platform/db/changes.ts';
import type { Database } from '../../platform/db/database.ts';
import { compileStoredLexicon } from '../../core/intent/lexicon/lexicon.ts';
import { type Promiser, startPromiser } from '../ledger/promises.ts';
import { type ActivePolicySet, loadingWith, type LoadSet, watchActivePolicySet } from '../policy-sets/active-set.ts';
import { createAgentDirectory } from '../agents/agents.ts';
import { type ApprovalOpener, createApprovalOpener } from './approval-open.ts';
import { createDecider, type Decider } from './decider.ts';
import { withMaxAge } from '../../platform/db/max-age.ts';
import { createHalts } from './halts.ts';
import { createResourceDirectory } from '../resources/directory.ts';
import { createPresence, type Presence } from './presence.ts';
import { createRecentParses, type RecentParses } from './recent-parses.ts';
import { createReadings, type IntentReadings } from './readings.ts';
import { createDecisionStore, type DecisionStore } from './decision-store.ts';

export interface DecidingDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  /** `observe` gets the database's time twice a second. */
  readonly clock: {
    nowMs(): number;
    /** Absent: that of `nowMs`. */
    decisionMs?(): number;
    /** Absent: that of `nowMs`. */
    deletionMs?(): number;
    monotonicMs(): number;
    observe?(sample: ClockSample): void;
  };
  readonly onError: (error: unknown) => void;
  /** Present in processes whose answers contain a promise. */
  readonly promises?: PromiseSettings;
  /** Called when an intent, an approval or a proof may be settled (settled-notice.ts). Absent: not listened for. */
  readonly onSettled?: (() => void) | undefined;
  /** Called with each report of how long enforcement takes (enforcement-notice.ts). Absent: not listened for. */
  readonly onEnforcement?: ((tookMs: number) => void) | undefined;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
  /** Whether a second reader is configured (CUSTOS_READER_URL). */
  readonly hasSecondReader: boolean;
  /** Default: with the compiler itself. Processes share compiled lexicons with the check of the folder, and tests share whole sets. */
  readonly loadSet?: LoadSet | undefined;
}

/** How promises are made: settings of the same names. */
export interface PromiseSettings {
  readonly keyFile: string;
  readonly maxMergeDelaySeconds: number;
  readonly logHost: string;
}

export interface Deciding {
  readonly changes: ChangeFeed;
  readonly policies: ActivePolicySet;
  readonly decider: Decider;
  readonly decisions: DecisionStore;
  readonly opener: ApprovalOpener;
  readonly readings: IntentReadings;
  readonly recentParses: RecentParses;
  readonly promiser: Promiser | undefined;
  readonly presence: Presence;
  /** The time by which something may be old (platform/db/clock.ts). */
  readonly deletionMs: () => number;
  /** Waits for pending writes and stops watching; the database stays open. */
  close(): Promise<void>;
}

/** Starts watching policies, agents and halts; resolves after the first read. @throws {ApiError} E6002 */
export async function startDeciding(deps: DecidingDeps): Promise<Deciding> {
  const { db, databaseUrl, clock, onError, trustDailyCap, hasSecondReader } = deps;
  const { nowMs, monotonicMs } = clock;
  // In every row of decision, so it is short: it tells apart the processes of the same seconds.
  const random = randomBytes(6);
  const processId = random.toString('base64url');
  const changes = await startChangeFeed({
    db,
    databaseUrl,
    monotonicMs,
    onError,
    onTime: (sample) => clock.observe?.(sample),
    onSettled: deps.onSettled,
    onEnforcement: deps.onEnforcement,
  });
  const aged = withMaxAge(changes, random.readUInt32BE() / 0x1_0000_0000);
  const policies = await watchActivePolicySet({
    db,
    changes: { ...aged, ensureFresh: changes.ensureFresh },
    loadSet: deps.loadSet ?? loadingWith(compileStoredLexicon),
    onError,
  });
  const promiser =
    deps.promises === undefined ? undefined : await startPromiser({ db, changes, nowMs, onError, ...deps.promises });
  const agents = createAgentDirectory({ db, changes, processId, nowMs, onError, trustDailyCap });
  const decisions = createDecisionStore({ db, processId });
  const opener = createApprovalOpener({ db, processId });
  const halts = createHalts({ db, changes: aged });
  const resources = createResourceDirectory({ db, changes: aged });
  return {
    changes,
    policies,
    decider: createDecider({
      changes,
      agents,
      resources,
      halts,
      hasSecondReader,
      nowMs: clock.decisionMs ?? nowMs,
      promiser,
    }),
    promiser,
    presence: createPresence({ db, changes, halts, agents, nowMs }),
    decisions,
    opener,
    deletionMs: clock.deletionMs ?? nowMs,
    readings: createReadings(),
    recentParses: createRecentParses({ db }),
    async close() {
      await Promise.all([decisions.idle(), opener.idle()]);
      aged.close();
      await Promise.all([agents.close(), changes.close()]);
    },
  };
}
