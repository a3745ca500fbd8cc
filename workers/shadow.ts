// Shadow mode: evaluates recorded decisions under a second folder of policies and under staged sets. The results are counted and never answered.
import { performance } from 'node:perf_hooks';
import { Counter, type Registry } from 'prom-client';
import type { Database } from '../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import { createDraftReplayer } from '../shared/domain/drafts/draft-replayer.ts';
import { draftOfDigest, draftOfFolder } from '../shared/domain/drafts/replay-draft.ts';
import {
  beginShadow,
  logsBehind,
  skipToEnds,
  type ShadowDraft,
  shadowLog,
  storeShadowState,
} from '../shared/domain/drafts/shadow-store.ts';
import { readShares, type StagedShare } from '../shared/domain/policy-sets/stages.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { readPolicyFolder, TooManyFiles } from '../shared/domain/policy-sets/folder.ts';
import type { Finding } from '../shared/core/policy/types.ts';
import { runAlone } from './alone.ts';
import type { Loop } from './loop.ts';

const REST_MS = 250;
/** Poll interval of the folder. It must read equal twice in a row (debounce), so that a half-written folder is not used. */
const POLL_EVERY_MS = 1_000;
/** Pause, as a multiple of the working time: most of the process's time stays for work that callers wait for. */
const REST_SHARE = 2;
const MAX_FINDINGS = 100;

const ACTIVE = 'SELECT active_digest FROM policy_state';

export interface ShadowDeps {
  readonly db: Database;
  /** CUSTOS_SHADOW_POLICY_DIR; undefined: only staged sets are evaluated. */
  readonly dir?: string | undefined;
  /** CUSTOS_SHADOW_SHARE, 0..1 */
  readonly share: number;
  readonly logger: Logger;
  readonly onCounted?: (counts: { readonly same: number; readonly different: number }) => void;
}

export interface ShadowWorker {
  /** Reads the folder when it has changed. @returns why the draft is refused; empty when it is evaluated */
  look(): Promise<readonly Finding[]>;
  /** Evaluates the decisions recorded since the last call. @returns how many */
  follow(): Promise<number>;
}

/** The sets that are staged by share, loaded when they appear. */
function createStagedDrafts(db: Database, logger: Logger) {
  let drafts: readonly ShadowDraft[] = [];
  let broken: ReadonlySet<string> = new Set();

  const load = async ({ digest, share, organisationIds }: StagedShare): Promise<ShadowDraft | undefined> => {
    const known = drafts.find((draft) => draft.digest === digest);
    if (known !== undefined) return { ...known, share, organisationIds };
    const loaded = broken.has(digest) ? undefined : await draftOfDigest(db, digest);
    if (loaded?.ok === true) {
      const { policies } = loaded.set;
      logger.info({ digest, share }, 'a staged policy set is evaluated in shadow');
      const replayer = await createDraftReplayer(db, loaded.set);
      return { digest, policies: policies.length, replayer, share, organisationIds };
    }
    if (loaded !== undefined) logger.warn({ digest }, 'this version can not load a staged policy set');
    broken = new Set([...broken, digest]);
    return undefined;
  };

  return {
    async read(): Promise<readonly ShadowDraft[]> {
      const read: ShadowDraft[] = [];
      for (const stage of await readShares(db)) {
        const draft = await load(stage);
        if (draft !== undefined) read.push(draft);
      }
      drafts = read;
      return drafts;
    },
  };
}

/** Holds the drafts and evaluates new decisions under them. Only one may run at a time: see startShadow. */
export function createShadowWorker(deps: ShadowDeps): ShadowWorker {
  const { db, dir, share, logger, onCounted } = deps;
  let draft: ShadowDraft | undefined;
  let staged: readonly ShadowDraft[] = [];
  let isBegun = false;
  /** Whether there was nothing to evaluate under, so that the decisions since then are passed over. */
  let isIdle = false;
  const stages = createStagedDrafts(db, logger);
  let findings: readonly Finding[] = [];
  let seen = '';
  let applied = '';

  const refuse = (found: readonly Finding[]): void => {
    draft = undefined;
    findings = found.slice(0, MAX_FINDINGS);
    const [first] = findings;
    if (first === undefined) return;
    const { file, line, column, message } = first;
    logger.warn(
      { findings: found.length },
      `the shadow policies are not evaluated: ${file}:${line}:${column} ${message}`,
    );
  };

  const apply = async (folder: Awaited<ReturnType<typeof readPolicyFolder>>): Promise<void> => {
    const loaded = await draftOfFolder(db, folder);
    if (!loaded.ok) return refuse(loaded.findings);
    const { digest, policies } = loaded.set;
    if (draft?.digest !== digest)
      draft = { digest, policies: policies.length, replayer: await createDraftReplayer(db, loaded.set), share };
    findings = [];
    logger.info({ digest, share }, 'shadow policies are evaluated');
  };

  const lookAtFolder = async (folderDir: string): Promise<void> => {
    // A folder without its own lexicon uses the lexicon of the set in force.
    const [active] = await db.query<{ active_digest: string | null }>(ACTIVE, []);
    const folder = await readPolicyFolder(folderDir).catch((error: NodeJS.ErrnoException) =>
      error instanceof TooManyFiles ? error.reason : (error.code ?? 'no reason given'),
    );
    const now = typeof folder === 'string' ? folder : `${folder.fingerprint} ${active?.active_digest ?? ''}`;
    const isSettled = now === seen || applied === '';
    seen = now;
    if (now !== applied && isSettled) {
      if (typeof folder === 'string') {
        const message = `the folder of shadow policies cannot be read (${folder})`;
        refuse([{ file: '.', line: 1, column: 1, pointer: '', code: 'NOT_JSON', message }]);
      } else await apply(folder);
      applied = now;
    }
  };

  return {
    async look() {
      if (dir !== undefined) await lookAtFolder(dir);
      staged = await stages.read();
      // The heartbeat lets the next worker continue where this one stopped; without drafts there is nothing to continue.
      if (dir !== undefined || staged.length > 0) {
        // Before the first heartbeat, whose age shows for how long no worker evaluated.
        if (!isBegun) await beginShadow(db);
        isBegun = true;
        await storeShadowState(db, { digest: draft?.digest, share, findings });
      }
      return findings;
    },
    async follow() {
      // A staged set has a share of its own.
      const ofFolder = staged.some((one) => one.digest === draft?.digest) ? undefined : draft;
      const drafts = [...staged, ...(ofFolder === undefined ? [] : [ofFolder])];
      if (drafts.length === 0) {
        isIdle = true;
        return 0;
      }
      if (isIdle) await skipToEnds(db);
      isIdle = false;
      let evaluated = 0;
      for (const logId of await logsBehind(db)) {
        const counts = await shadowLog(db, logId, drafts);
        evaluated += counts.same + counts.different;
        onCounted?.(counts);
      }
      return evaluated;
    },
  };
}

/** Counts evaluated decisions by result. It stays at 0 in a worker without shadow mode. */
export function shadowCounter(registry: Registry): NonNullable<ShadowDeps['onCounted']> {
  const counter = new Counter({
    name: 'custos_shadow_decisions_total',
    help: 'Live decisions evaluated under drafts in shadow, by result (same, different)',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  for (const result of ['same', 'different'] as const) counter.inc({ result }, 0);
  return ({ same, different }) => {
    counter.inc({ result: 'same' }, same);
    counter.inc({ result: 'different' }, different);
  };
}

/** Starts shadow mode as soon as no other worker runs it. */
export function startShadow(deps: ShadowDeps & { readonly databaseUrl: string }): Loop {
  const { databaseUrl, logger } = deps;
  let worker = createShadowWorker(deps);
  let lookedMs = Number.NEGATIVE_INFINITY;
  return runAlone({
    databaseUrl,
    lock: ADVISORY_LOCKS.shadow,
    name: 'custos-shadow',
    logger,
    async turn({ isFirst }) {
      if (isFirst) {
        worker = createShadowWorker(deps);
        lookedMs = Number.NEGATIVE_INFINITY;
      }
      const startedMs = performance.now();
      if (startedMs - lookedMs >= POLL_EVERY_MS) {
        await worker.look();
        lookedMs = startedMs;
      }
      await worker.follow();
      return Math.max(REST_MS, (performance.now() - startedMs) * REST_SHARE);
    },
  });
}
