// The workers of one process: started together, stopped together.
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { StoreConfig } from '../shared/platform/config/config.ts';
import { reportClock, startDatabaseClock } from '../shared/platform/db/clock.ts';
import { keptOf, openDatabase } from '../shared/platform/db/database.ts';
import { ensureSecretFingerprint, PEPPER } from '../shared/platform/db/fingerprints.ts';
import { watchPepper } from '../shared/platform/db/pepper-watch.ts';
import { ensureDurable } from '../shared/platform/db/durability.ts';
import { isPassing } from '../shared/platform/db/trouble.ts';
import { ensureWritable, whyNotWritable } from '../shared/platform/db/writable.ts';
import { warnOfExcessRights } from '../shared/platform/db/rights.ts';
import { startDeciding } from '../shared/domain/decisions/deciding.ts';
import { createIntentStore } from '../shared/domain/decisions/intent-store.ts';
import { startHeartbeat } from '../shared/platform/process/heartbeat.ts';
import type { QueueName } from '../shared/kernel/jobs.ts';
import { createAuthenticator } from '../shared/domain/keys/authenticator.ts';
import { createGate, createOperatorCheck } from '../shared/domain/keys/operator.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { createCheckpointer } from '../shared/domain/ledger/checkpoints.ts';
import { logProblems } from '../shared/domain/ledger/audit.ts';
import { createCheckpointKeeper } from '../shared/domain/ledger/kept.ts';
import { readSigningKey } from '../shared/domain/ledger/signing-key.ts';
import { createWatchedSeals } from '../shared/platform/db/seals/refusals.ts';
import { createQueues, type DeadHooks, evictionProblem, type Handlers } from '../shared/platform/queues/queues.ts';
import { findRoot, readVersion } from '../shared/platform/config/root.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import { createWorkerAuditor } from './audit.ts';
import { createDeadJobRecorder } from './dead-jobs.ts';
import type { Impaired, Readiness } from './health.ts';
import { createIntentWorker } from './intents.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { startPolicyReader } from './policies.ts';
import { proofHandlers } from './proofs.ts';
import { createReplayRunner } from './replay.ts';
import { shadowCounter, startShadow } from './shadow.ts';
import { startRelay } from './relay.ts';
import { reportTrouble } from './trouble.ts';
import { trustHandlers } from './trust.ts';
import { keepSchedule, upkeepHandlers } from './upkeep.ts';

export interface WorkersDependencies {
  readonly config: StoreConfig;
  readonly logger: Logger;
  /** Absent: no spans. */
  readonly tracing?: Pick<Tracing, 'telemetry'> | undefined;
  /** This machine's wall clock: what files are dated by, and what is told to be wrong. */
  readonly machineMs: () => number;
  /** Hears of the clock that counts, before anything works by it. */
  readonly onClock: (nowMs: () => number) => void;
}

export interface RunningWorkers {
  /** Whether the stores that the workers need answer now; the reason why not, when they do not. */
  check(): Promise<Readiness>;
  readonly metrics: WorkerMetrics['expose'];
  /** Whether a request to the health pages shows a key of the operator. */
  isOperator(headers: IncomingHttpHeaders): Promise<boolean>;
  /** Takes no new work and waits for what is running. */
  close(): Promise<void>;
}

/** Who works on a queue, and how many of its jobs run at once in this process. */
interface Work<Q extends QueueName> {
  readonly handlers: Handlers<Q>;
  readonly hooks?: DeadHooks<Q>;
  readonly concurrency: number;
}

/** Workers may wait longer than a request may: a large policy set takes its time to be stored. */
const QUERY_TIMEOUT_MS = 30_000;
/** Intents that are evaluated at once: each waits for the database more than it computes. */
const INTENTS_AT_ONCE = 20;
/** Logs that are appended to at once; one log has one worker at a time whatever this says. */
const LOGS_AT_ONCE = 2;
/** One fold takes all that waits; more at once would only share it. */
const FOLDS_AT_ONCE = 1;
/** A long upkeep job must not keep the sweeper waiting. */
const UPKEEP_CONCURRENCY = 4;
/** Keys that are looked up for the health pages, which only operators and their probes ask. */
const KEY_LOOK_UPS_PER_SECOND = 10;

/** Starts every worker of the process. */
export async function startWorkers(deps: WorkersDependencies): Promise<RunningWorkers> {
  const { config, logger, tracing, machineMs } = deps;
  const { databaseUrl, redisUrl } = config;
  const metrics = createWorkerMetrics();
  const monotonicMs = (): number => performance.now();
  const seals = createWatchedSeals({ pepper: config.pepper, registry: metrics.registry, logger, monotonicMs });
  const db = await openDatabase({
    url: databaseUrl,
    seals,
    applicationName: 'custos-workers',
    poolSize: config.databasePool,
    kept: keptOf(config.databasePool),
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onError: (error) => logger.warn({ err: error }, 'an idle database connection broke'),
  });
  await ensureDurable(db);
  await warnOfExcessRights(db, logger);
  await ensureSecretFingerprint(db, PEPPER, config.pepper);
  const clock = await startDatabaseClock({ db, monotonicMs, machineMs, onProblem: reportClock(logger) });
  const { nowMs } = clock;
  deps.onClock(nowMs);
  const onError = reportTrouble(logger, 'a queue had trouble', monotonicMs);
  const queues = createQueues({
    databaseUrl,
    redisUrl,
    onError,
    isPassing,
    nowMs,
    onJob: metrics.observeJob,
    telemetry: tracing?.telemetry,
  });
  metrics.watch({ db, queues });

  const deciding = await startDeciding({
    db,
    databaseUrl,
    clock,
    onError,
    trustDailyCap: config.trustDailyCap,
  });
  const { changes } = deciding;
  await watchPepper({ db, changes, pepper: config.pepper, logger, onError, end: () => process.exit(1) });
  const intentWorker = createIntentWorker({
    ...deciding,
    db,
    nowMs,
    intents: createIntentStore({ db }),
    approvalTtlMs: config.approvalTtlMs,
  });

  const key = await readSigningKey(db, config.signingKeyFile);
  const keeper = createCheckpointKeeper(config.checkpointDir ?? path.join(config.dataDir, 'checkpoints'));
  const checkpointer = createCheckpointer({
    db,
    key,
    keeper,
    nowMs,
    onHalt: (origin, reason) => logger.fatal({ origin, reason }, 'a log is halted: it records, and signs nothing more'),
  });

  const version = readVersion(findRoot());
  const auditor = createWorkerAuditor({ db, key, keeper, nowMs, logger, version });
  const replays = createReplayRunner({ db, nowMs, logger });

  // Each queue that this process works on; one that is absent is left to other processes.
  const work: { readonly [Q in QueueName]?: Work<Q> } = {
    upkeep: {
      handlers: upkeepHandlers({ nowMs, db, queues, logger, auditor, replays, approvalTtlMs: config.approvalTtlMs }),
      concurrency: UPKEEP_CONCURRENCY,
    },
    trust: { handlers: trustHandlers({ db, nowMs, dailyCap: config.trustDailyCap }), concurrency: FOLDS_AT_ONCE },
    proofs: {
      handlers: proofHandlers({ db, nowMs, logHost: config.logHost, checkpointer }),
      concurrency: LOGS_AT_ONCE,
    },
    intents: {
      handlers: intentWorker.handlers,
      hooks: { evaluate: (payload) => intentWorker.giveUp(payload) },
      concurrency: INTENTS_AT_ONCE,
    },
  };
  const take = <Q extends QueueName>(queue: Q, { handlers, hooks, concurrency }: Work<Q>): void => {
    queues.work(queue, handlers, { concurrency, onDead: createDeadJobRecorder<Q>({ db, logger, hooks }) });
  };
  if (work.intents !== undefined) take('intents', work.intents);
  if (work.trust !== undefined) take('trust', work.trust);
  if (work.proofs !== undefined) take('proofs', work.proofs);
  if (work.upkeep !== undefined) take('upkeep', work.upkeep);

  const reader = startPolicyReader({ db, databaseUrl, policyDir: config.policyDir, nowMs, machineMs, logger });
  const relay = startRelay({ db, queues, logger });
  const onCounted = shadowCounter(metrics.registry);
  const shadow =
    config.shadowPolicyDir === undefined
      ? undefined
      : startShadow({
          db,
          databaseUrl,
          dir: config.shadowPolicyDir,
          share: config.shadowShare,
          nowMs,
          logger,
          onCounted,
        });
  const schedule = keepSchedule(queues, logger);
  // Apart from the pool: jobs that fill it, or wait for a lock, would look like the end of the process.
  const pulse = await openDatabase({
    url: databaseUrl,
    applicationName: 'custos-workers-heartbeat',
    poolSize: 1,
    onError: (error) => logger.warn({ err: error }, 'the connection of the heartbeat broke'),
  });
  const heartbeat = await startHeartbeat({ db: pulse, role: 'workers', version, onError });

  const degraded = async (): Promise<Impaired[]> => {
    const clockProblem = clock.problem();
    const logs = [
      ...(await logProblems(db)).map((detail): Impaired => ({ part: 'logs', detail })),
      ...(clockProblem === undefined ? [] : [{ part: 'clock', detail: clockProblem } as const]),
    ];
    if (redisUrl === undefined) return logs;
    const detail = await evictionProblem(redisUrl).catch(
      () => 'Redis does not answer; accepted work waits in the outbox',
    );
    return detail === undefined ? logs : [...logs, { part: 'queue', detail }];
  };
  const { authenticate } = createAuthenticator({
    db,
    changes: deciding.changes,
    pepper: config.pepper,
    pepperPrevious: config.pepperPrevious,
    clock,
  });
  const gate = createGate(KEY_LOOK_UPS_PER_SECOND, () => performance.now());
  const isOperator = createOperatorCheck(authenticate);
  return {
    metrics: metrics.expose,
    isOperator: (headers) => isOperator(headers, gate),
    async check() {
      try {
        await ensureWritable(db);
      } catch (error) {
        return { ready: false, reason: whyNotWritable(error) };
      }
      const problems = await degraded();
      return problems.length === 0 ? { ready: true } : { ready: true, degraded: problems };
    },
    async close() {
      await Promise.all([reader.close(), relay.close(), schedule.close(), replays.close(), shadow?.close()]);
      // Some of the process's time is needed for what comes after.
      await queues.close(config.shutdownTimeoutMs * 0.8);
      await deciding.close();
      await heartbeat.close();
      await pulse.close();
      await db.close();
    },
  };
}
