// The workers of one process: started together, stopped together.
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { WorkersConfig } from '../shared/platform/config/config.ts';
import { openSideDatabase } from '../shared/platform/db/database.ts';
import { watchPools } from '../shared/platform/db/pool-metrics.ts';
import { watchPepper } from '../shared/platform/db/pepper-watch.ts';
import { createSettledNotice } from '../shared/platform/db/settled-notice.ts';
import { openServiceDatabase } from '../shared/platform/db/service-database.ts';
import { isPassing } from '../shared/platform/db/trouble.ts';
import { watchInstallation } from '../shared/domain/installation/gauges.ts';
import { countingDecider, createDecisionMetrics } from '../shared/domain/decisions/metrics.ts';
import { startDeciding } from '../shared/domain/decisions/deciding.ts';
import { startHeartbeat } from '../shared/platform/process/heartbeat.ts';
import { type Job, QUEUE_NAMES, type QueueName } from '../shared/kernel/jobs.ts';
import { createAuthenticator } from '../shared/domain/keys/authenticator.ts';
import { createGate, createOperatorCheck } from '../shared/domain/keys/operator.ts';
import { keepSettings } from '../shared/domain/retention/times.ts';
import { createAddressRule } from '../shared/domain/webhooks/addresses.ts';
import { createDeliverer } from '../shared/domain/webhooks/deliver.ts';
import { createSender } from '../shared/domain/webhooks/send.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { createChainHeads } from '../shared/domain/ledger/chain-heads.ts';
import { createCheckpointer } from '../shared/domain/ledger/checkpoints.ts';
import { readAuditLag } from '../shared/domain/ledger/audit-lag.ts';
import { createCheckpointKeeper, requireCheckpointFolder } from '../shared/domain/ledger/kept.ts';
import { readSigningKey } from '../shared/domain/ledger/signing-key.ts';
import { redisOfInstallation } from '../shared/platform/queues/installation.ts';
import { createQueues } from '../shared/platform/queues/queues.ts';
import type { DeadJob } from '../shared/platform/queues/types.ts';
import { findRoot, readVersion } from '../shared/platform/config/root.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import { createDeadJobRecorder } from './dead-jobs.ts';
import type { Readiness } from './health.ts';
import { createAuditRunner, createIdleMeter, createWorkerAuditor } from './jobs/audit.ts';
import { concurrencyOf, deadHooksOf, handlersOf, type JobDeps } from './jobs/list.ts';
import { createDrains } from './jobs/drains.ts';
import { jobOptions, wakeRunning } from './jobs/options.ts';
import { deadJobOf, OWNERS_AT_ONCE } from './jobs/evaluate.ts';
import { createReplayRunner } from './jobs/replay.ts';
import { countDroppedLines } from '../shared/platform/observe/metrics.ts';
import { createIntentWorker, type GivenUpIntent } from './intents.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { loadingWith } from '../shared/domain/policy-sets/active-set.ts';
import { admittingBySize } from '../shared/domain/policy-sets/admission.ts';
import { changeRulesOf } from '../shared/domain/policy-sets/change-rules.ts';
import { type DigestedLexicon, shareLexicon } from '../shared/domain/policy-sets/shared-lexicon.ts';
import { createPacer } from './pacer.ts';
import { startPolicyReader } from './policies.ts';
import { readWorkersReadiness } from './readiness.ts';
import { shadowCounter, startShadow } from './shadow.ts';
import { startRelay } from './relay.ts';
import { ENSURE_EVERY_MS, ENSURE_IN_REDIS_EVERY_MS, keepSchedule } from './schedule.ts';
import { sweep } from './sweeper.ts';
import { reportTrouble } from '../shared/platform/observe/trouble.ts';

export interface WorkersDependencies {
  readonly config: WorkersConfig;
  readonly logger: Logger;
  /** Absent: no spans. */
  readonly tracing?: Pick<Tracing, 'telemetry'> | undefined;
  /** Log lines that were dropped so far; absent: they are not counted. */
  readonly droppedLines?: () => number;
  /** The lexicon of the policy folder, if it was compiled before the database was there. */
  readonly prepared?: DigestedLexicon | undefined;
  /** This machine's wall clock, by which its files are dated. It is compared with the database's clock. */
  readonly machineMs: () => number;
  /** Where the health pages are served, for operators. */
  readonly healthPort: number;
  /** File descriptor of a pipe to the supervisor (see ApartOptions). */
  readonly pulseFd: number | undefined;
  /** Called with the database's clock before anything uses it. */
  readonly onClock: (nowMs: () => number) => void;
}

export interface RunningWorkers {
  /** Whether the stores that the workers need answer now, and if not, the reason. */
  check(): Promise<Readiness>;
  readonly metrics: WorkerMetrics['expose'];
  /** Whether a request to the health pages shows a key of the operator. */
  isOperator(headers: IncomingHttpHeaders): Promise<boolean>;
  /** Takes no new jobs and waits for the running ones. */
  close(): Promise<void>;
}

/** Longer than for a request: storing a large policy set takes seconds. */
const QUERY_TIMEOUT_MS = 30_000;
/** Limit of key look-ups for the health pages, which only operators and their probes request. */
const KEY_LOOK_UPS_PER_SECOND = 10;

/** Starts every worker of the process. */
export async function startWorkers(deps: WorkersDependencies): Promise<RunningWorkers> {
  const { config, logger, tracing, machineMs } = deps;
  const { databaseUrl, redisUrl } = config;
  const keptIn = config.checkpointDir ?? path.join(config.dataDir, 'checkpoints');
  await requireCheckpointFolder(keptIn, 'The folder of checkpoints (CUSTOS_CHECKPOINT_DIR)');
  const metrics = createWorkerMetrics();
  if (deps.droppedLines !== undefined) countDroppedLines(metrics.registry, deps.droppedLines);
  const monotonicMs = (): number => performance.now();
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const { db, clock } = await openServiceDatabase({
    config,
    logger,
    registry: metrics.registry,
    machineMs,
    applicationName: 'custos-workers',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onError: (error) => logger.warn({ err: error }, 'an idle database connection broke'),
  });
  const { nowMs } = clock;
  deps.onClock(nowMs);
  const redis = await redisOfInstallation(db, redisUrl);
  const onError = reportTrouble(logger, 'a queue could not be used now; it is tried again', monotonicMs);
  const queues = createQueues({
    databaseUrl,
    redis,
    onError,
    jobOptions,
    isPassing,
    nowMs,
    onJob: metrics.observeJob,
    telemetry: tracing?.telemetry,
  });
  // Its own connections: jobs that use up the pool must not hide the state of the installation.
  const watching = openSideDatabase({
    url: databaseUrl,
    applicationName: 'custos-workers-metrics',
    poolSize: 2,
    seals: db.seals,
    onError: (error) => logger.warn({ err: error }, 'the metrics lost a database connection'),
  });
  watchInstallation(metrics.registry, { sql: watching, queues, monotonicMs });
  watchPools(metrics.registry, { service: db.connections, metrics: watching.connections, queues: queues.connections });

  const { trustDailyCap } = config;
  const hasSecondReader = config.readerUrl !== undefined;
  const lexicon = shareLexicon(undefined, deps.prepared);
  const pacer = createPacer({ leastSpeed: config.backlogShare, monotonicMs });
  const deciding = await startDeciding({
    db,
    databaseUrl,
    clock,
    onError,
    trustDailyCap,
    hasSecondReader,
    loadSet: loadingWith(lexicon.ofStoredSets),
    onEnforcement: pacer.report,
  });
  const { changes } = deciding;
  await watchPepper({ db, changes, pepper: config.pepper, logger, onError, end: () => process.exit(1) });
  // Before the rest, because ingress of a new installation waits for its first policy set.
  const reader = startPolicyReader({
    db,
    databaseUrl,
    policyDir: config.policyDir,
    nowMs,
    machineMs,
    logger,
    rules: changeRulesOf(config),
    admit: admittingBySize(lexicon.ofFiles, lexicon.kept),
  });
  const counts = createDecisionMetrics(metrics.registry, () => deciding.policies.status());
  const intentWorker = createIntentWorker({
    ...deciding,
    decider: countingDecider(deciding.decider, counts),
    db,
    nowMs,
    approvalTtlMs: config.approvalTtlMs,
    batchesAtOnce: Math.min(OWNERS_AT_ONCE, config.databasePool - 1),
    onGivenUp: (intent) => recordGivenUp(intent),
    onError,
  });

  const key = await readSigningKey(db, config.signingKeyFile);
  const keeper = createCheckpointKeeper(keptIn);
  const checkpointer = createCheckpointer({
    db,
    key,
    keeper,
    nowMs,
    onHalt: (origin, reason) => logger.fatal({ origin, reason }, 'a log is halted: it still records and does not sign'),
    onReplaced: () => {
      logger.fatal(
        'the logs have another key by now: this process ends, and must be started with the new CUSTOS_SIGNING_KEY_FILE',
      );
      process.exit(1);
    },
  });

  const version = readVersion(findRoot());
  const { policies } = deciding;
  const auditor = createWorkerAuditor({ db, key, keeper, policies, nowMs, logger });
  const readLag = () => readAuditLag(db);
  const audits = createAuditRunner({ readLag, auditor, monotonicMs, cpuMs, idle: createIdleMeter(), logger });
  const replays = createReplayRunner({ db, nowMs, logger });
  const webhooks = createDeliverer({
    db,
    nowMs,
    deletionMs: clock.deletionMs,
    monotonicMs,
    logger,
    send: createSender({ rule: createAddressRule(config.webhookAllowPrivate) }),
    onAttempt: metrics.countDelivery,
  });

  const drains = createDrains();
  const jobDeps: JobDeps = {
    db,
    drains,
    nowMs,
    deletionMs: clock.deletionMs,
    logger,
    intentWorker,
    pace: pacer.pace,
    audits,
    replays,
    webhooks,
    checkpointer,
    logHost: config.logHost,
    chainHeads: createChainHeads(),
    dailyCap: trustDailyCap,
    approvalTtlMs: config.approvalTtlMs,
    ...keepSettings(config),
    onDropped: metrics.countDropped,
    sweep: () => sweep({ db, queues }),
    announce: createSettledNotice({ db, onError }),
  };
  const recorderOf = <Q extends QueueName>(queue: Q): ((job: DeadJob) => Promise<void>) =>
    createDeadJobRecorder({ db, logger, hooks: deadHooksOf(queue, jobDeps) });
  const recordDeadIntent = recorderOf('intents');
  const recordGivenUp = (intent: GivenUpIntent): Promise<void> => recordDeadIntent(deadJobOf(intent));
  for (const queue of QUEUE_NAMES)
    queues.work(queue, handlersOf(queue, jobDeps), {
      concurrency: concurrencyOf(queue),
      onDead: recorderOf(queue),
    });

  const wake = (job: Job): boolean => wakeRunning(drains, job);
  const relay = startRelay({ db, queues, logger, wake });
  const onCounted = shadowCounter(metrics.registry);
  const { shadowPolicyDir: dir, shadowShare: share } = config;
  const shadow = startShadow({ db, databaseUrl, dir, share, logger, onCounted });
  const schedule = keepSchedule(queues, logger, redisUrl === undefined ? ENSURE_EVERY_MS : ENSURE_IN_REDIS_EVERY_MS);
  const { pulseFd, healthPort } = deps;
  const apart = { databaseUrl, pulseFd };
  const heartbeat = await startHeartbeat({ db, role: 'workers', version, healthPort, onError, apart });

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
    check: () =>
      readWorkersReadiness({
        db,
        redisUrl,
        clockProblem: () => clock.problem(),
        policyProblem: () => deciding.policies.status().loadError,
      }),
    async close() {
      audits.close();
      drains.close();
      pacer.close();
      await Promise.all([reader.close(), relay.close(), schedule.close(), replays.close(), shadow.close()]);
      // The rest of the time is for closing the stores.
      await queues.close(config.shutdownTimeoutMs * 0.8);
      await deciding.close();
      await heartbeat.close();
      await watching.close();
      await db.close();
    },
  };
}
