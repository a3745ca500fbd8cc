// The ingress service put together: stores, caches, policies, routes, and the HTTP server in front of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type IngressConfig, metricsArePublic } from '../shared/platform/config/config.ts';
import type { DataSourceOptions } from '../shared/platform/db/data-source.ts';
import { type DatabaseClock, reportClock, startDatabaseClock } from '../shared/platform/db/clock.ts';
import { keptOf, openDatabase } from '../shared/platform/db/database.ts';
import { ensureDurable } from '../shared/platform/db/durability.ts';
import { watchPepper } from '../shared/platform/db/pepper-watch.ts';
import { warnOfExcessRights } from '../shared/platform/db/rights.ts';
import { startDeciding } from '../shared/domain/decisions/deciding.ts';
import { createIntentStore } from '../shared/domain/decisions/intent-store.ts';
import { createDecisionMetrics } from '../shared/domain/decisions/metrics.ts';
import { createParseStore } from '../shared/domain/decisions/parses.ts';
import { createRecorder } from '../shared/domain/decisions/recorder.ts';
import { createSignalStore } from '../shared/domain/trust/signals.ts';
import { startHeartbeat, watchWorkers } from '../shared/platform/process/heartbeat.ts';
import { createAuthenticator } from '../shared/domain/keys/authenticator.ts';
import { ensureSecretFingerprint, PEPPER } from '../shared/platform/db/fingerprints.ts';
import { createLastUsed } from '../shared/domain/keys/last-used.ts';
import { createWatchedSeals } from '../shared/platform/db/seals/refusals.ts';
import { createSecretHasher } from '../shared/domain/keys/secrets.ts';
import { createProofStore } from '../shared/domain/ledger/proof-store.ts';
import { createReceiptStore } from '../shared/domain/ledger/receipts.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import { createMetrics } from '../shared/platform/observe/metrics.ts';
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
  /** Wall clock and monotonic clock; a test moves them. Default: the database's time, counted on by the machine. */
  readonly clock?: ServiceClock;
  /** Ends the process when its pepper is no longer the one in force; absent: at once. */
  readonly end?: () => void;
  /** How long the database may take. Absent: as long as a request can wait. A test that is not about time waits longer. */
  readonly patience?: Pick<DataSourceOptions, 'queryTimeoutMs' | 'connectTimeoutMs'>;
}

export interface RunningIngress {
  /** Base address, such as http://127.0.0.1:3000. */
  readonly address: string;
  /** All routes that are served, for tools that compare them with something. */
  readonly routes: readonly Route[];
  /** Those of the operators' pages, which know who asks by a session. */
  readonly dashboardRoutes: readonly Route[];
  /** Resolves once a policy set is in force here. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The database's clock, or that of a test. */
type ServiceClock = EdgeClock & Partial<Pick<DatabaseClock, 'observe' | 'problem'>>;

const endProcess = (): never => process.exit(1);

/** Starts ingress; it listens when this resolves. @throws when the database is not reachable or a setting does not fit */
export async function startIngress(deps: IngressDeps): Promise<RunningIngress> {
  const { config, logger, root, tracing, patience } = deps;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'background work failed; it is tried again');
  let stopping = false;

  const metrics = createMetrics();
  const seals = createWatchedSeals({
    pepper: config.pepper,
    registry: metrics.registry,
    logger,
    monotonicMs: () => performance.now(),
  });
  const db = await openDatabase({
    url: config.databaseUrl,
    seals,
    applicationName: 'custos-ingress',
    poolSize: config.databasePool,
    kept: keptOf(config.databasePool),
    ...patience,
    onError,
  });
  await ensureDurable(db);
  await warnOfExcessRights(db, logger);
  const clock: ServiceClock =
    deps.clock ??
    (await startDatabaseClock({
      db,
      monotonicMs: () => performance.now(),
      machineMs: Date.now,
      onProblem: reportClock(logger),
    }));
  const { nowMs, monotonicMs } = clock;
  await ensureSecretFingerprint(db, PEPPER, config.pepper);
  const { trustDailyCap } = config;
  const deciding = await startDeciding({
    db,
    databaseUrl: config.databaseUrl,
    clock,
    onError,
    trustDailyCap,
    promises: {
      keyFile: config.promiseKeyFile,
      maxMergeDelaySeconds: config.maxMergeDelaySeconds,
      logHost: config.logHost,
    },
  });
  const { changes, policies, decider, decisions, opener, readings, recentParses, promiser, presence } = deciding;
  await watchPepper({ db, changes, pepper: config.pepper, logger, onError, end: deps.end ?? endProcess });
  const parses = createParseStore({ db });
  const intents = createIntentStore({ db });
  const proofs = createProofStore({ db });
  const signals = createSignalStore({ db });

  const lastUsed = createLastUsed({ db, onError });
  const authenticator = createAuthenticator({
    db,
    changes,
    pepper: config.pepper,
    pepperPrevious: config.pepperPrevious,
    clock,
    onUse: (keyId, atMs) => lastUsed.record(keyId, atMs),
  });
  const limiter = createLimiter({
    enabled: config.rateLimit,
    limits: config.rateLimits,
    redisUrl: config.redisUrl,
    monotonicMs,
    onError,
  });
  const { countDecision } = createDecisionMetrics(metrics.registry, () => policies.status());

  // A change is committed when this is called: trouble here must not turn its answer into an error.
  const settle = (): Promise<void> => changes.refresh().catch(onError);

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

  const routes = businessRoutes({
    db,
    nowMs,
    settle,
    policies,
    readings,
    recentParses,
    parses,
    decider,
    recorder,
    decisions,
    intents,
    proofs,
    signals,
    trustDailyCap,
    log: createReceiptStore({ db }),
    promiser,
    presence,
    shown: createDecisionView({ promiser, presence }),
    hasher: createSecretHasher(config.pepper),
    onError: (error, requestId) => logger.error({ err: error, requestId }, 'a member of a batch failed'),
  });
  const tls =
    config.tlsCertFile === undefined || config.tlsKeyFile === undefined
      ? undefined
      : { cert: readFileSync(config.tlsCertFile), key: readFileSync(config.tlsKeyFile) };
  const version = readVersion(root);
  const { trustProxy } = config;
  const https = tls !== undefined || trustProxy !== undefined;
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
    trustDailyCap,
    registry: metrics.registry,
    authenticator,
    onUse: (keyId, atMs) => lastUsed.record(keyId, atMs),
    business: routes,
  });
  const idempotency = createIdempotency({
    db,
    pepper: Buffer.from(config.pepper, 'utf8'),
    pepperPrevious: config.pepperPrevious === undefined ? undefined : Buffer.from(config.pepperPrevious, 'utf8'),
    processId: heartbeat.processId,
    monotonicMs,
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
    isStopping: () => stopping,
    readiness: readinessChecks({
      db,
      policies,
      redisOk: () => limiter.redisOk(),
      clockProblem: () => clock.problem?.(),
    }),
    config: {
      version,
      trustProxy: trustProxy === undefined ? false : typeof trustProxy === 'number' ? trustProxy : trustProxy.join(','),
      https,
      metricsAccess: metricsArePublic(config) ? 'none' : ['admin:*'],
      schemaDir: path.join(root, 'policies', 'schema'),
    },
  });
  const server = createExpressServer(app.express, tls === undefined ? {} : { tls });
  const { port } = await listen(server, config.host, config.port);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;

  return {
    address: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    routes: app.routes,
    dashboardRoutes: dashboard.routes,
    ready: () => policies.ready(),
    async close() {
      stopping = true;
      dashboard.stop();
      await closeServer(server, config.shutdownTimeoutMs);
      idempotency.close();
      await Promise.all([parses.idle(), intents.idle(), proofs.idle(), signals.idle(), lastUsed.close()]);
      await deciding.close();
      await limiter.close();
      await dashboard.close();
      await heartbeat.close();
      await db.close();
    },
  };
}
