// The dashboard of one ingress process: connects it to the service, and starts and stops with it.
import type { Registry } from 'prom-client';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Authenticator } from '../../shared/domain/keys/authenticator.ts';
import type { Site } from '../app.ts';
import type { EdgeClock } from '../request/exchange.ts';
import type { ShowDecisions } from '../routes/decision-view.ts';
import { createDecisionSearcher } from '../../shared/domain/decisions/decision-search.ts';
import { createAgentLister } from './agents.ts';
import { createExplanations } from './explanations.ts';
import { createActivity } from './overview/activity.ts';
import { createOverview } from './overview/overview.ts';
import { recordRequests } from './overview/request-recorder.ts';
import { dashboardRoutes, dashboardTopics } from './routes/all.ts';
import { createWaitingReader } from './waiting-approvals.ts';
import { createDashboard, type Dashboard, type DashboardDeps } from './site.ts';

type Made = 'nowMs' | 'monotonicMs' | 'signIn' | 'own' | 'topics';

export interface DashboardOptions extends Omit<DashboardDeps, Made> {
  readonly clock: EdgeClock;
  readonly version: string;
  readonly policies: ActivePolicySet;
  /** How many must approve a change of policies (CUSTOS_POLICY_QUORUM). */
  readonly policyQuorum: number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
  /** The metrics of this process. */
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly shown: ShowDecisions;
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
  const { db, queues, clock, authenticator, policies, version, trustDailyCap } = options;
  const { nowMs, monotonicMs } = clock;
  const requests = recordRequests({ db, registry: options.registry, nowMs });
  const routeDeps = {
    db,
    nowMs,
    monotonicMs,
    policies,
    policyQuorum: options.policyQuorum,
    readOverview: createOverview({ db, queues, policies, nowMs, monotonicMs, version }),
    readActivity: createActivity({ db, nowMs, monotonicMs }),
    agents: createAgentLister({ db, nowMs, trustDailyCap }),
    waiting: createWaitingReader({ db, nowMs, trustDailyCap }),
    searcher: createDecisionSearcher({ db, monotonicMs }),
    shown: options.shown,
    explanations: createExplanations({ db, policies }),
  };
  const { site, routes, close } = createDashboard({
    ...options,
    nowMs,
    monotonicMs,
    signIn: async (key) => authenticator.authenticate({ authorization: `Bearer ${key}` }),
    own: dashboardRoutes(routeDeps),
    topics: dashboardTopics(routeDeps),
  });
  return {
    site,
    routes,
    stop: close,
    close: () => requests.close(),
  };
}
