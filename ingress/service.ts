// Starts and stops the ingress service: storage, business, dashboard, HTTP server.
import type { IngressConfig } from '../shared/platform/config/config.ts';
import type { DataSourceOptions } from '../shared/platform/db/data-source.ts';
import type { DatabaseClock } from '../shared/platform/db/clock.ts';
import { type Database, openSideDatabase } from '../shared/platform/db/database.ts';
import { watchPools } from '../shared/platform/db/pool-metrics.ts';
import { watchPepper } from '../shared/platform/db/pepper-watch.ts';
import { createEnforcementNotice } from '../shared/platform/db/enforcement-notice.ts';
import { openServiceDatabase } from '../shared/platform/db/service-database.ts';
import { redisOfInstallation } from '../shared/platform/queues/installation.ts';
import { type DecidingDeps, startDeciding } from '../shared/domain/decisions/deciding.ts';
import { createIntentStore } from '../shared/domain/decisions/intent-store.ts';
import { countingDecider, createDecisionMetrics } from '../shared/domain/decisions/metrics.ts';
import { watchInstallation } from '../shared/domain/installation/gauges.ts';
import { createParseStore } from '../shared/domain/decisions/parses.ts';
import { createRecorder } from '../shared/domain/decisions/recorder.ts';
import { createSignalStore } from '../shared/domain/trust/signals.ts';
import { type ApartOptions, startHeartbeat } from '../shared/platform/process/heartbeat.ts';
import type { SupervisedProcess } from '../shared/platform/process/supervisor-channel.ts';
import { createAuthenticator } from '../shared/domain/keys/authenticator.ts';
import { createLastUsed } from '../shared/domain/keys/last-used.ts';
import { createSecretHasher } from '../shared/domain/keys/secrets.ts';
import { createAddressRule } from '../shared/domain/webhooks/addresses.ts';
import { createProofStore } from '../shared/domain/ledger/proof-store.ts';
import { createReceiptStore } from '../shared/domain/ledger/receipts.ts';
import { startSecondReader } from '../shared/domain/second-reader/start.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { reportTrouble } from '../shared/platform/observe/trouble.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import { countDroppedLines, createMetrics, type Metrics } from '../shared/platform/observe/metrics.ts';
import { readVersion } from '../shared/platform/config/root.ts';
import { startDashboard } from './dashboard/dashboard.ts';
import { createQueueReader } from './dashboard/queue-reader.ts';
import { openEdge, servesHttps } from './edge.ts';
import { changeRulesOf } from '../shared/domain/policy-sets/change-rules.ts';
import { createSettledReader } from './waits/settled.ts';
import { createWaits, type WaitOptions, type Waits } from './waits/waits.ts';
import { withEnforcementTimes } from './request/enforcement-times.ts';
import type { EdgeClock } from './request/exchange.ts';
import type { Route } from './route.ts';
import { createDecisionView } from './routes/decision-view.ts';
import { businessRoutes } from './routes/all.ts';

export interface IngressDeps {
  readonly config: IngressConfig;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  /** Absent: no spans. */
  readonly tracing?: Tracing | undefined;
  /** Log lines that were dropped so far; absent: they are not counted. */
  readonly droppedLines?: () => number;
  /** The side of this process that gets connections from the supervisor; absent: it only listens itself. */
  readonly supervisor?: SupervisedProcess;
  /** Whether it counts rate limits, too. */
  readonly hasSharedCounters?: boolean;
  /** Wall clock and monotonic clock; tests move them. Default: the database's time, extrapolated by this machine. */
  readonly clock?: ServiceClock;
  /** Called when another pepper is in force; absent: the process exits. */
  readonly end?: () => void;
  readonly loadSet?: DecidingDeps['loadSet'];
  /** Of requests that wait (`Prefer: wait`). Default: that of waits.ts. */
  readonly waitOptions?: WaitOptions | undefined;
  /** Absent: heartbeats are sent by this thread, which is enough for a service in a test. */
  readonly heartbeatApart?: ApartOptions;
  /** Time limits of the database. Absent: the time that a request can wait. Tests that are not about time wait longer. */
  readonly patience?: Pick<DataSourceOptions, 'queryTimeoutMs' | 'connectTimeoutMs'>;
}

export interface RunningIngress {
  /** Base address, such as http://127.0.0.1:3000. */
  readonly address: string;
  /** All routes that are served. */
  readonly routes: readonly Route[];
  /** The routes of the operators' pages, which authenticate by a session. */
  readonly dashboardRoutes: readonly Route[];
  /** Resolves once a policy set is in force here, or can't be loaded. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The database's clock, or that of a test. */
type ServiceClock = EdgeClock & Partial<Pick<DatabaseClock, 'decisionMs' | 'observe' | 'problem'>>;

interface Storage {
  readonly db: Database;
  readonly clock: ServiceClock;
  /** Receives failures of background work that is retried. */
  readonly onError: (error: unknown) => void;
  readonly waits: Waits;
}

const endProcess = (): never => process.exit(1);

/** Starts what the routes of `/v1` need: caches, policies, stores. */
async function startBusiness({ config, logger, end, loadSet }: IngressDeps, { registry }: Metrics, storage: Storage) {
  const { db, clock, onError, waits } = storage;
  const { trustDailyCap } = config;
  const deciding = await startDeciding({
    db,
    databaseUrl: config.databaseUrl,
    clock,
    onError,
    trustDailyCap,
    hasSecondReader: config.readerUrl !== undefined,
    loadSet,
    onSettled: waits.check,
    promises: {
      keyFile: config.promiseKeyFile,
      maxMergeDelaySeconds: config.maxMergeDelaySeconds,
      logHost: config.logHost,
    },
  });
  const { changes, policies, decider, promiser, presence } = deciding;
  await watchPepper({ db, changes, pepper: config.pepper, logger, onError, end: end ?? endProcess });
  const lastUsed = createLastUsed({ db, onError });
  const onUse = (keyId: string, atMs: number): void => lastUsed.record(keyId, atMs);
  const { pepper, pepperPrevious } = config;
  const authenticator = createAuthenticator({ db, changes, pepper, pepperPrevious, clock, onUse });
  const counting = countingDecider(
    decider,
    createDecisionMetrics(registry, () => policies.status()),
  );
  const recorder = createRecorder({ ...deciding, db, decider: counting, approvalTtlMs: config.approvalTtlMs });
  const secondReader = startSecondReader({ config, logger, registry, monotonicMs: clock.monotonicMs });
  const stores = {
    parses: createParseStore({ db, nowMs: clock.nowMs }),
    intents: createIntentStore({ db }),
    proofs: createProofStore({ db }),
    signals: createSignalStore({ db }),
  };
  const shown = createDecisionView({ promiser, presence });
  const routes = businessRoutes({
    db,
    nowMs: clock.nowMs,
    // Called after the commit, so a failure here must not turn the answer into an error.
    settle: () =>
      changes
        .refresh()
        .then(() => policies.loaded())
        .catch(onError),
    ...deciding,
    ...stores,
    recorder,
    secondReader,
    trustDailyCap,
    changeRules: changeRulesOf(config),
    publicUrl: config.publicUrl,
    log: createReceiptStore({ db }),
    shown,
    hasher: createSecretHasher(pepper),
    webhookAddresses: createAddressRule(config.webhookAllowPrivate),
    onError: (error, requestId) => logger.error({ err: error, requestId }, 'a member of a batch failed'),
  });
  const close = async (): Promise<void> => {
    await Promise.all([...Object.values(stores).map((store) => store.idle()), lastUsed.close()]);
    await deciding.close();
  };
  return { routes, policies, authenticator, onUse, shown, secondReader, close };
}

/** Starts ingress; it listens when this resolves. @throws when the database is not reachable or a setting does not fit */
export async function startIngress(deps: IngressDeps): Promise<RunningIngress> {
  const { config, logger, root, tracing } = deps;
  const onError = reportTrouble(logger, 'background work failed; it is tried again', () => performance.now());
  const metrics = createMetrics();
  if (deps.droppedLines !== undefined) countDroppedLines(metrics.registry, deps.droppedLines);
  const { db, clock } = await openServiceDatabase<ServiceClock>({
    config,
    logger,
    registry: metrics.registry,
    machineMs: Date.now,
    clock: deps.clock,
    applicationName: 'custos-ingress',
    ...deps.patience,
    onError,
  });
  const waits = createWaits({
    readSettled: createSettledReader({ db, nowMs: clock.nowMs }),
    onError,
    registry: metrics.registry,
    options: deps.waitOptions,
  });
  const business = await startBusiness(deps, metrics, { db, clock, onError, waits });
  const { routes, policies, authenticator, onUse, shown } = business;
  const version = readVersion(root);
  const heartbeat = await startHeartbeat({
    db,
    role: 'ingress',
    version,
    // A free port is known later, and only tests and a first look ask for one.
    healthPort: config.port === 0 ? undefined : config.port,
    onError,
    apart: deps.heartbeatApart,
  });
  // It connects at the first use. Errors are not logged: pages that poll an absent store would fill the log, and show it anyway.
  const { databaseUrl, redisUrl } = config;
  const redis = await redisOfInstallation(db, redisUrl);
  const queues = createQueueReader({ databaseUrl, redis, onError: () => undefined });
  // Its own connections: requests that use up the pool must not hide the state of the installation.
  const watching = openSideDatabase({
    url: databaseUrl,
    applicationName: 'custos-ingress-metrics',
    poolSize: 2,
    seals: db.seals,
    onError,
  });
  const { monotonicMs } = clock;
  watchInstallation(metrics.registry, { sql: watching, queues, monotonicMs });
  watchPools(metrics.registry, { service: db.connections, metrics: watching.connections, queues: queues.connections });
  const dashboard = startDashboard({
    queues,
    ...config,
    db,
    clock,
    logger,
    version,
    https: servesHttps(config),
    policies,
    registry: metrics.registry,
    authenticator,
    onUse,
    business: routes,
    shown,
  });
  const edge = await openEdge({
    config,
    db,
    redis,
    clock,
    logger,
    metrics: withEnforcementTimes(metrics, createEnforcementNotice({ db, onError })),
    tracing,
    supervisor: deps.supervisor,
    hasSharedCounters: deps.hasSharedCounters ?? false,
    root,
    version,
    processId: heartbeat.processId,
    authenticate: authenticator.authenticate,
    routes,
    waits,
    site: dashboard.site,
    policies,
    clockProblem: () => clock.problem?.(),
    secondReader: business.secondReader,
    onError,
  });
  return {
    address: edge.address,
    routes: edge.routes,
    dashboardRoutes: dashboard.routes,
    ready: () => policies.ready(),
    async close() {
      dashboard.stop();
      await edge.stop();
      await business.close();
      await edge.close();
      await dashboard.close();
      await queues.close();
      await heartbeat.close();
      await watching.close();
      await db.close();
    },
  };
}
