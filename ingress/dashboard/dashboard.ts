// The operators' pages of one ingress process: what they need of the service, started and stopped with it.
import type { Registry } from 'prom-client';
import type { Database } from '../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Authenticator } from '../../shared/domain/keys/authenticator.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import { createQueues } from '../../shared/platform/queues/queues.ts';
import type { Site } from '../app.ts';
import type { EdgeClock } from '../ports.ts';
import type { Route } from '../route.ts';
import { createAgentLister } from './agents.ts';
import { createExplanations } from './explanations.ts';
import { watchLatency } from './overview/latency.ts';
import { createOverview } from './overview/overview.ts';
import { dashboardRoutes, dashboardTopics } from './routes/all.ts';
import { createDashboard, type Dashboard } from './site.ts';
import { createTrail } from './trail.ts';

export interface DashboardOptions {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly clock: EdgeClock;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
  /** The installation's folder. */
  readonly root: string;
  readonly version: string;
  readonly https: boolean;
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  /** Whether operators may change queues and jobs. */
  readonly queueAdmin: boolean;
  readonly rateLimit: boolean;
  readonly policies: ActivePolicySet;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
  /** The metrics of this process. */
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  /** Called with every use of a key. */
  readonly onUse: (keyId: string, atMs: number) => void;
  /** The routes of /v1. */
  readonly business: readonly Route[];
}

export interface RunningDashboard {
  readonly site: Site;
  readonly routes: Dashboard['routes'];
  /** Ends the live streams, so that the server can close. */
  stop(): void;
  /** Once the server is closed. */
  close(): Promise<void>;
}

/** Connects to the queues' store when somebody first looks. */
export function startDashboard(options: DashboardOptions): RunningDashboard {
  const { db, databaseUrl, redisUrl, clock, authenticator } = options;
  const { nowMs, monotonicMs } = clock;
  // An operator who watches queues of a store that is away would fill the log: the page says it.
  const queues = createQueues({ databaseUrl, redisUrl, onError: () => undefined });
  const latency = watchLatency(options.registry, monotonicMs);
  const overview = createOverview({
    db,
    queues,
    policies: options.policies,
    latency,
    nowMs,
    monotonicMs,
    version: options.version,
  });
  const routeDeps = {
    db,
    nowMs,
    monotonicMs,
    policies: options.policies,
    overview,
    agents: createAgentLister({ db, nowMs, trustDailyCap: options.trustDailyCap }),
    decisions: { db, explanations: createExplanations({ db, policies: options.policies, compileLexicon }) },
    trail: createTrail({ db }),
  };
  const { site, routes, close } = createDashboard({
    db,
    nowMs,
    monotonicMs,
    logger: options.logger,
    root: options.root,
    https: options.https,
    pepper: options.pepper,
    signIn: async (key) => authenticator.authenticate({ authorization: `Bearer ${key}` }),
    onUse: options.onUse,
    business: options.business,
    own: dashboardRoutes(routeDeps),
    topics: dashboardTopics(routeDeps),
    queues,
    queueAdmin: options.queueAdmin,
    rateLimit: options.rateLimit,
  });
  return {
    site,
    routes,
    stop: close,
    async close() {
      latency.close();
      await queues.close();
    },
  };
}
