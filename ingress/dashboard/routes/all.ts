// Every route and every live topic of the dashboard's own, beside those of /v1 that it serves as they are.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import type { Route } from '../../route.ts';
import type { Topic } from '../events.ts';
import type { AgentLister } from '../agents.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { Trail } from '../trail.ts';
import { agentListRoutes } from './agents.ts';
import { auditRoutes } from './audit.ts';
import { type DecisionPagesDeps, decisionPageRoutes } from './decisions.ts';
import { approvalTopic } from './approvals.ts';
import { deadJobRoutes } from './dead-jobs.ts';
import { overviewRoutes, overviewTopic } from './overview.ts';
import { policyPageRoutes } from './policies.ts';

export interface DashboardRouteDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly policies: ActivePolicySet;
  readonly overview: OverviewReader;
  readonly agents: AgentLister;
  readonly decisions: DecisionPagesDeps;
  readonly trail: Trail;
}

/** Their paths begin with /dashboard/api/; those that are not GET are audited by the site. */
export function dashboardRoutes(deps: DashboardRouteDeps): Route[] {
  return [
    ...overviewRoutes(deps.overview),
    ...agentListRoutes(deps.agents),
    ...decisionPageRoutes(deps.decisions),
    ...auditRoutes(deps.trail),
    ...policyPageRoutes(deps),
    ...deadJobRoutes(deps),
  ];
}

export function dashboardTopics(deps: DashboardRouteDeps): Topic[] {
  return [overviewTopic(deps.overview), approvalTopic(deps)];
}
