// The dashboard of one ingress process: connects it to the service, and starts and stops with it.
import type { Registry } from 'prom-client';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Authenticator } from '../../shared/domain/keys/authenticator.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Site } from '../app.ts';
import type { EdgeClock } from '../request/exchange.ts';
import { createAgentLister } from './agents.ts';
import { createExplanations } from './explanations.ts';
import { watchLatency } from './overview/latency.ts';
import { createOverview } from './overview/overview.ts';
import { createQueueReader } from './queue-reader.ts';
import { dashboardRoutes, dashboardTopics } from './routes/all.ts';
import { createDashboard, type Dashboard, type DashboardDeps } from './site.ts';

type Made = 'nowMs' | 'monotonicMs' | 'signIn' | 'own' | 'topics' | 'queues';

export interface DashboardOptions extends Omit<DashboardDeps, Made> {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly clock: EdgeClock;
  readonly version: string;
  readonly policies: ActivePolicySet;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
  /** The metrics of this process. */
  readonly registry: Registry;
  readonly authenticator: Authenticator;
}

export interface RunningDashboard {
  readonly site: Site;
  readonly routes: Dashboard['routes'];
  /** Ends the live streams, which would keep the server open. */
  stop(): void;
  /** To be called once the server is closed. */
  close(): Promise<void>;
}

export function startDashboard(options: DashboardOptions): RunningDashboard {
  const { db, databaseUrl, redisUrl, clock, authenticator, policies, version, trustDailyCap } = options;
  const { nowMs, monotonicMs } = clock;
  // Connects on first use. Errors are not logged: pages that poll an absent store would fill the log, and show it anyway.
  const queues = createQueueReader({ databaseUrl, redisUrl, onError: () => undefined });
  const latency = watchLatency(options.registry, monotonicMs);
  const routeDeps = {
    db,
    nowMs,
    monotonicMs,
    policies,
    readOverview: createOverview({ db, queues, policies, latency, nowMs, monotonicMs, version }),
    agents: createAgentLister({ db, nowMs, trustDailyCap }),
    explanations: createExplanations({ db, policies, compileLexicon }),
  };
  const { site, routes, close } = createDashboard({
    ...options,
    nowMs,
    monotonicMs,
    signIn: async (key) => authenticator.authenticate({ authorization: `Bearer ${key}` }),
    own: dashboardRoutes(routeDeps),
    topics: dashboardTopics(routeDeps),
    queues,
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
