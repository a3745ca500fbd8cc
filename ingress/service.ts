// Starts and stops the ingress service: storage, business, dashboard, HTTP server.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type IngressConfig, metricsArePublic } from '../shared/platform/config/config.ts';
import type { DataSourceOptions } from '../shared/platform/db/data-source.ts';
import type { DatabaseClock } from '../shared/platform/db/clock.ts';
import type { Database } from '../shared/platform/db/database.ts';
import { watchPepper } from '../shared/platform/db/pepper-watch.ts';
import { openServiceDatabase } from '../shared/platform/db/service-database.ts';
import { type DecidingDeps, startDeciding } from '../shared/domain/decisions/deciding.ts';
import { createIntentStore } from '../shared/domain/decisions/intent-store.ts';
import { createDecisionMetrics } from '../shared/domain/decisions/metrics.ts';
import { createParseStore } from '../shared/domain/decisions/parses.ts';
import { createRecorder } from '../shared/domain/decisions/recorder.ts';
import { createSignalStore } from '../shared/domain/trust/signals.ts';
import { startHeartbeat, watchWorkers } from '../shared/platform/process/heartbeat.ts';
import { createAuthenticator } from '../shared/domain/keys/authenticator.ts';
import { createLastUsed } from '../shared/domain/keys/last-used.ts';
import { createSecretHasher } from '../shared/domain/keys/secrets.ts';
import { createProofStore } from '../shared/domain/ledger/proof-store.ts';
import { createReceiptStore } from '../shared/domain/ledger/receipts.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import { createMetrics, type Metrics } from '../shared/platform/observe/metrics.ts';
import { readVersion } from '../shared/platform/config/root.ts';
import { createApp } from './app.ts';
import { startDashboard } from './dashboard/dashboard.ts';
import { createIdempotency } from './request/idempotency.ts';
import type { EdgeClock } from './request/exchange.ts';
import { createLimiter } from './request/key-limit.ts';
import { readinessChecks } from './readiness.ts';
import type { Route } from './route.ts';
import { createDecisionView } from './routes/decision-view.ts';
import { businessRoutes } from './routes/all.ts';
import { closeServer, createExpressServer, listen } from './server.ts';

export interface IngressDeps {
  readonly config: IngressConfig;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  /** Absent: no spans. */
  readonly tracing?: Tracing | undefined;
  /** Wall clock and monotonic clock; tests move them. Default: the database's time, extrapolated by this machine. */
  readonly clock?: ServiceClock;
  /** Called when another pepper is in force; absent: the process exits. */
  readonly end?: () => void;
  readonly compileLexicon?: DecidingDeps['compileLexicon'];
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
  /** Resolves once a policy set is in force here. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The database's clock, or that of a test. */
type ServiceClock = EdgeClock & Partial<Pick<DatabaseClock, 'observe' | 'problem'>>;

interface Storage {
  readonly db: Database;
  readonly clock: ServiceClock;
  /** Receives failures of background work that is retried. */
  readonly onError: (error: unknown) => void;
}

const endProcess = (): never => process.exit(1);

/** Starts what the routes of `/v1` need: caches, policies, stores. */
async function startBusiness(
  { config, logger, end, compileLexicon }: IngressDeps,
  { registry }: Metrics,
  storage: Storage,
) {
  const { db, clock, onError } = storage;
  const { trustDailyCap } = config;
  const deciding = await startDeciding({
    db,
    databaseUrl: config.databaseUrl,
    clock,
    onError,
    trustDailyCap,
    compileLexicon,
    promises: {
      keyFile: config.promiseKeyFile,
      maxMergeDelaySeconds: config.maxMergeDelaySeconds,
      logHost: config.logHost,
    },
  });
  const { changes, policies, decider, decisions, opener, readings, recentParses, promiser, presence } = deciding;
  await watchPepper({ db, changes, pepper: config.pepper, logger, onError, end: end ?? endProcess });
  const lastUsed = createLastUsed({ db, onError });
  const onUse = (keyId: string, atMs: number): void => lastUsed.record(keyId, atMs);
  const { pepper, pepperPrevious } = config;
  const authenticator = createAuthenticator({ db, changes, pepper, pepperPrevious, clock, onUse });
  const { countDecision } = createDecisionMetrics(registry, () => policies.status());
  const recorder = createRecorder({
    db,
    decider: {
      ...decider,
      recorded(question, answer) {
        countDecision(answer.evaluation.verdict);
        decider.recorded(question, answer);
      },
    },
    decisions,
    opener,
    approvalTtlMs: config.approvalTtlMs,
    promiser,
  });
  const stores = {
    parses: createParseStore({ db }),
    intents: createIntentStore({ db }),
    proofs: createProofStore({ db }),
    signals: createSignalStore({ db }),
  };
  const routes = businessRoutes({
    db,
    nowMs: clock.nowMs,
    // Called after the commit, so a failure here must not turn the answer into an error.
    settle: () => changes.refresh().catch(onError),
    policies,
    readings,
    recentParses,
    decider,
    recorder,
    decisions,
    ...stores,
    trustDailyCap,
    log: createReceiptStore({ db }),
    promiser,
    presence,
    shown: createDecisionView({ promiser, presence }),
    hasher: createSecretHasher(pepper),
    onError: (error, requestId) => logger.error({ err: error, requestId }, 'a member of a batch failed'),
  });
  const close = async (): Promise<void> => {
    await Promise.all([...Object.values(stores).map((store) => store.idle()), lastUsed.close()]);
    await deciding.close();
  };
  return { routes, policies, authenticator, onUse, close };
}

/** Express's setting `trust proxy`. */
function trustedProxies(trustProxy: IngressConfig['trustProxy']): false | number | string {
  if (trustProxy === undefined) return false;
  return typeof trustProxy === 'number' ? trustProxy : trustProxy.join(',');
}

/** Starts ingress; it listens when this resolves. @throws when the database is not reachable or a setting does not fit */
export async function startIngress(deps: IngressDeps): Promise<RunningIngress> {
  const { config, logger, root, tracing } = deps;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'background work failed; it is tried again');
  let isStopping = false;

  const metrics = createMetrics();
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
  const business = await startBusiness(deps, metrics, { db, clock, onError });
  const { routes, policies, authenticator, onUse } = business;
  const tls =
    config.tlsCertFile === undefined || config.tlsKeyFile === undefined
      ? undefined
      : { cert: readFileSync(config.tlsCertFile), key: readFileSync(config.tlsKeyFile) };
  const https = tls !== undefined || config.trustProxy !== undefined;
  const version = readVersion(root);
  const heartbeat = await startHeartbeat({ db, role: 'ingress', version, onError });
  watchWorkers(metrics.registry, db);
  const dashboard = startDashboard({
    db,
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    clock,
    logger,
    root,
    version,
    https,
    pepper: config.pepper,
    queueAdmin: config.queueAdmin,
    rateLimit: config.rateLimit,
    policies,
    trustDailyCap: config.trustDailyCap,
    registry: metrics.registry,
    authenticator,
    onUse,
    business: routes,
  });
  const limiter = createLimiter({
    enabled: config.rateLimit,
    limits: config.rateLimits,
    redisUrl: config.redisUrl,
    monotonicMs: clock.monotonicMs,
    onError,
  });
  const idempotency = createIdempotency({
    db,
    pepper: Buffer.from(config.pepper, 'utf8'),
    pepperPrevious: config.pepperPrevious === undefined ? undefined : Buffer.from(config.pepperPrevious, 'utf8'),
    processId: heartbeat.processId,
    monotonicMs: clock.monotonicMs,
  });
  const app = createApp({
    routes,
    sites: [dashboard.site],
    authenticate: authenticator.authenticate,
    limiter,
    idempotency,
    logger,
    metrics,
    clock,
    tracing,
    isStopping: () => isStopping,
    readiness: readinessChecks({
      db,
      policies,
      redisOk: () => limiter.redisOk(),
      clockProblem: () => clock.problem?.(),
    }),
    config: {
      version,
      trustProxy: trustedProxies(config.trustProxy),
      https,
      metricsAccess: metricsArePublic(config) ? 'none' : ['admin:*'],
      schemaDir: path.join(root, 'policies', 'schema'),
    },
  });
  const server = createExpressServer(app, tls === undefined ? {} : { tls });
  const { port } = await listen(server, config.host, config.port);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;

  return {
    address: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    routes: app.routes,
    dashboardRoutes: dashboard.routes,
    ready: () => policies.ready(),
    async close() {
      isStopping = true;
      dashboard.stop();
      await closeServer(server, config.shutdownTimeoutMs);
      idempotency.close();
      await business.close();
      await limiter.close();
      await dashboard.close();
      await heartbeat.close();
      await db.close();
    },
  };
}
