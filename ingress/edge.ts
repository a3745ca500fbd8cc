// The HTTP side of the service: the application with its limits and Idempotency-Keys, and the server that listens for it.
import https from 'node:https';
import path from 'node:path';
import { type IngressConfig, metricsArePublic } from '../shared/platform/config/config.ts';
import { readTlsFiles } from '../shared/platform/config/tls-files.ts';
import type { Database } from '../shared/platform/db/database.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Metrics } from '../shared/platform/observe/metrics.ts';
import type { Tracing } from '../shared/platform/observe/tracing.ts';
import type { RedisStore } from '../shared/platform/queues/installation.ts';
import { serveHanded } from '../shared/platform/process/handed.ts';
import { askSupervisor } from '../shared/platform/process/shared-counters.ts';
import type { SupervisedProcess } from '../shared/platform/process/supervisor-channel.ts';
import { createApp, type Site } from './app.ts';
import { type ReadinessDeps, readHalted, readinessChecks } from './readiness.ts';
import { accessLogRule } from './request/access-log.ts';
import type { Authenticate } from './request/authenticate.ts';
import type { EdgeClock } from './request/exchange.ts';
import { createIdempotency } from './request/idempotency.ts';
import { createLimiter } from './request/key-limit.ts';
import { followTlsFiles } from './renewed-tls.ts';
import type { Route } from './route.ts';
import type { Waits } from './waits/waits.ts';
import { closeServer, createExpressServer, listen } from './server.ts';

export interface EdgeDeps extends Pick<ReadinessDeps, 'policies' | 'clockProblem' | 'secondReader'> {
  readonly config: IngressConfig;
  readonly db: Database;
  readonly redis: RedisStore | undefined;
  readonly clock: EdgeClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** Sends connections (handed.ts). */
  readonly supervisor: SupervisedProcess | undefined;
  /** Whether the supervisor counts rate limits for several processes (shared-counters.ts). */
  readonly hasSharedCounters: boolean;
  readonly root: string;
  readonly version: string;
  /** The id of this process's heartbeats. */
  readonly processId: string;
  readonly authenticate: Authenticate;
  /** The routes of `/v1`. */
  readonly routes: readonly Route[];
  readonly site: Site;
  readonly waits: Waits;
  readonly onError: (error: unknown) => void;
}

export interface Edge {
  /** Base address, such as http://127.0.0.1:3000. */
  readonly address: string;
  /** All routes that are served. */
  readonly routes: readonly Route[];
  /** Accepts no more requests and waits for the running ones. */
  stop(): Promise<void>;
  /** Closes the limiter, when no request uses it any more. */
  close(): Promise<void>;
}

/** Whether callers reach the service over TLS, here or at a proxy. */
export function servesHttps({ tlsCertFile, tlsKeyFile, trustProxy }: IngressConfig): boolean {
  return (tlsCertFile !== undefined && tlsKeyFile !== undefined) || trustProxy !== undefined;
}

/** Express's setting `trust proxy`. */
function trustedProxies({ trustProxy }: IngressConfig): false | number | string {
  if (trustProxy === undefined) return false;
  return typeof trustProxy === 'number' ? trustProxy : trustProxy.join(',');
}

/** Starts to listen. @throws the socket's error (EADDRINUSE, EACCES); {OperatorError} for a key or certificate that can't be used */
export async function openEdge(deps: EdgeDeps): Promise<Edge> {
  const { config, db, clock, root, version, policies, clockProblem, secondReader, site, waits, onError } = deps;
  const { monotonicMs } = clock;
  let isStopping = false;
  const redis =
    config.rateLimit && deps.redis !== undefined
      ? (await import('./request/redis-client.ts')).connectLimits(deps.redis, onError)
      : undefined;
  const limiter = createLimiter({
    enabled: config.rateLimit,
    limits: config.rateLimits,
    redis,
    counters: deps.supervisor && deps.hasSharedCounters ? askSupervisor(deps.supervisor) : undefined,
    monotonicMs,
    onError,
  });
  const { processId } = deps;
  const { deletionMs = clock.nowMs } = clock;
  const idempotency = createIdempotency({ db, ...peppersOf(config), processId, monotonicMs, deletionMs });
  const app = createApp({
    ...deps,
    sites: [site],
    limiter,
    idempotency,
    isStopping: () => isStopping,
    isLogged: accessLogRule(config),
    halted: () => readHalted(db),
    readiness: readinessChecks({ db, policies, redisOk: () => limiter.redisOk(), clockProblem, secondReader }),
    config: {
      version,
      trustProxy: trustedProxies(config),
      https: servesHttps(config),
      metricsAccess: metricsArePublic(config) ? 'none' : ['admin:*'],
      schemaDir: path.join(root, 'policies', 'schema'),
    },
  });
  const tls = readTlsFiles(config);
  const server = createExpressServer(app, tls && { tls });
  const unfollow =
    tls !== undefined && server instanceof https.Server
      ? followTlsFiles(server, { config, inUse: tls, logger: deps.logger })
      : undefined;
  const { port } = await listen(server, config.host, config.port);
  const handed = deps.supervisor === undefined ? undefined : serveHanded(server, deps.supervisor);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    address: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    routes: app.routes,
    async stop() {
      isStopping = true;
      waits.close();
      unfollow?.();
      await Promise.all([closeServer(server, config.shutdownTimeoutMs), handed?.close(config.shutdownTimeoutMs)]);
      idempotency.close();
    },
    close: () => limiter.close(),
  };
}

function peppersOf({ pepper, pepperPrevious }: IngressConfig) {
  const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
  return { pepper: bytes(pepper), pepperPrevious: pepperPrevious === undefined ? undefined : bytes(pepperPrevious) };
}
