// The job `audit`: derives the logs again with another implementation and reports differences.
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { type Auditor, createAuditor } from '../../shared/domain/ledger/audit.ts';
import type { AuditLag } from '../../shared/domain/ledger/audit-lag.ts';
import { createAuthorityAudit } from '../../shared/domain/ledger/audit-authority.ts';
import { queueLostSignals } from '../../shared/domain/trust/lost-signals.ts';
import type { CheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { pause as pauseOnTimer } from '../loop.ts';
import { SECOND_MS, upkeepJob } from './definition.ts';

export interface WorkerAuditorDeps {
  readonly db: Database;
  /** The log key. */
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  /** The sets that decide in this process, whose decisions are evaluated again without loading a set a second time. Absent: none. */
  readonly policies?: Pick<ActivePolicySet, 'installation' | 'status'>;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/** The auditor of a worker process. It logs each finding once, as fatal; /ready and the metrics report it while it lasts. */
export function createWorkerAuditor(deps: WorkerAuditorDeps): Auditor {
  const { db, key, keeper, policies, nowMs, logger } = deps;
  const loadedSet = (digest: string): PolicySet<Lexicon> | undefined =>
    policies?.status().activeDigest === digest ? policies.installation().set : undefined;
  return createAuditor({
    db,
    key,
    keeper,
    authority: createAuthorityAudit({ db, nowMs, monotonicMs: () => performance.now() }),
    verifier: createStoredVerifier({ store: createEvidenceStore({ db }), loadedSet }),
    nowMs,
    monotonicMs: () => performance.now(),
    async onLostSignals(owner, agentId) {
      // The rest of the run does not depend on it, and the next one finds them again.
      const queued = await queueLostSignals(db, owner, agentId).catch((error: unknown) => {
        logger.error({ ...owner, agentId, err: error }, 'lost signals could not be queued again');
        return 0;
      });
      if (queued > 0) logger.warn({ ...owner, agentId, queued }, 'queued signals again that counted nowhere');
    },
    onFinding: (origin, finding) =>
      logger.fatal({ origin, finding }, 'the audit found a difference: a log, or a row that it records, was altered'),
    onRight: (origin) =>
      logger.warn({ origin }, 'the audit agrees again with a log in which it had found a difference'),
  });
}

/** The auditor's job: runs, and keeps up with logs that grow faster than the schedule. */
export interface AuditRunner {
  /** One run; then, while a log is behind, catches up until the next run is due. @throws {ApiError} E6002 */
  run(): Promise<void>;
  /** Ends catching up. */
  close(): void;
}

const EVERY_MS = 10 * SECOND_MS;
/** The last part of a run may take a second, and the next run should find the log free. */
const CATCH_UP_MS = EVERY_MS - SECOND_MS;
/** Fewer leaves than one subtree wait for the next run: each run derives the last subtree again. */
const BEHIND_LEAVES = 1_024;
/**
 * The share of a core for runs and catching up together: a tenth while the machine has no processor time left, so that the audit takes none
 * from answers; up to half when all of it is idle and this many leaves are behind, or more.
 */
const LEAST_SHARE = 0.1;
const MOST_SHARE = 0.5;
const FAR_BEHIND_LEAVES = 100_000;

/**
 * How long to rest after this much processor time, so that the audit uses no more than its share of a core.
 * @param idle share of the machine's processor time that nobody used, 0 to 1
 */
export function restMs(usedMs: number, leavesBehind: number, idle: number): number {
  const distance = Math.min(1, leavesBehind / FAR_BEHIND_LEAVES);
  const share = LEAST_SHARE + (MOST_SHARE - LEAST_SHARE) * distance * idle;
  return usedMs * (1 / share - 1);
}

/** Measures the share of processor time that was idle since the call before; the first call tells 0. @param read for tests */
export function createIdleMeter(read = os.cpus): () => number {
  let before = { idle: 0, all: 0 };
  return () => {
    const now = { idle: 0, all: 0 };
    for (const { times } of read()) {
      now.idle += times.idle;
      for (const ms of Object.values(times)) now.all += ms;
    }
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    const isFirst = before.all === 0;
    before = now;
    return isFirst || all <= 0 ? 0 : Math.min(1, Math.max(0, idle / all));
  };
}

export function createAuditRunner(deps: {
  readonly readLag: () => Promise<AuditLag[]>;
  readonly auditor: Auditor;
  readonly monotonicMs: () => number;
  /** Processor time of this process: on a busy machine a run of half a second uses less of it, and needs less rest. */
  readonly cpuMs: () => number;
  /** Share of the machine's processor time that was idle since the call before. */
  readonly idle: () => number;
  readonly logger: Logger;
  /** Default: timers. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}): AuditRunner {
  const { readLag, auditor, monotonicMs, cpuMs, idle, logger, pause = pauseOnTimer } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  let isCatchingUp = false;

  /** @param runMs processor time of the run before */
  const catchUp = async (endMs: number, runMs: number): Promise<void> => {
    let usedMs = runMs;
    for (;;) {
      const behind = (await readLag()).reduce((sum, { leaves }) => sum + leaves, 0);
      const rest = restMs(usedMs, behind, idle());
      if (behind < BEHIND_LEAVES || monotonicMs() + rest > endMs) return;
      await pause(rest, signal);
      if (signal.aborted) return;
      const beforeMs = cpuMs();
      const audits = await auditor.catchUp();
      usedMs = cpuMs() - beforeMs;
      logger.debug({ behind, usedMs }, 'audited new leaves');
      // Another worker audits them, or their rows are missing: the next run reports that again.
      if (audits.every(({ newLeaves }) => newLeaves <= 0)) return;
    }
  };

  return {
    async run() {
      const [startedMs, beforeMs] = [monotonicMs(), cpuMs()];
      const audits = await auditor.run();
      const runMs = cpuMs() - beforeMs;
      logger.debug({ logs: audits.length }, 'audited the logs');
      // One of them at a time in a process, because each would use its share.
      if (isCatchingUp) return;
      isCatchingUp = true;
      try {
        await catchUp(startedMs + CATCH_UP_MS, runMs);
      } finally {
        isCatchingUp = false;
      }
    },
    close: () => stop.abort(),
  };
}

export interface AuditDeps {
  readonly audits: Pick<AuditRunner, 'run'>;
}

export const audit = upkeepJob({
  name: 'audit',
  everyMs: EVERY_MS,
  run: ({ audits }: AuditDeps) => audits.run(),
});
