// All routes and live topics of the dashboard's own, beside the routes of /v1 that it also serves.
import type { Route } from '../../route.ts';
import type { Topic } from '../events.ts';
import type { ReadActivity } from '../overview/activity.ts';
import type { ReadOverview } from '../overview/overview.ts';
import { type AgentPageDeps, agentPageRoutes } from './agents.ts';
import { type ApprovalTopicDeps, approvalTopic } from './approvals.ts';
import { auditRoutes } from './audit.ts';
import { budgetPageRoutes } from './budgets.ts';
import { deadJobRoutes } from './dead-jobs.ts';
import { type DecisionPagesDeps, decisionPageRoutes } from './decisions.ts';
import { overviewRoutes, overviewTopic } from './overview.ts';
import { resourcePageRoutes } from './resources.ts';
import { type PolicyPageDeps, policyPageRoutes } from './policies.ts';
import type { WaitingReader } from '../waiting-approvals.ts';
import { waitingApprovalRoutes } from './waiting-approvals.ts';
import { type ToolPageDeps, toolPageRoutes } from './tools.ts';

export interface DashboardRouteDeps
  extends AgentPageDeps,
    ApprovalTopicDeps,
    DecisionPagesDeps,
    PolicyPageDeps,
    ToolPageDeps {
  readonly readOverview: ReadOverview;
  readonly readActivity: ReadActivity;
  readonly waiting: WaitingReader;
}

/** Their paths begin with /dashboard/api/. Those that are not GET are recorded on the operator trail (site.ts). */
export function dashboardRoutes(deps: DashboardRouteDeps): Route[] {
  return [
    ...overviewRoutes(deps),
    ...agentPageRoutes(deps),
    ...decisionPageRoutes(deps),
    ...auditRoutes(deps.db),
    ...policyPageRoutes(deps),
    ...toolPageRoutes(deps),
    ...budgetPageRoutes(deps),
    ...resourcePageRoutes(deps),
    ...deadJobRoutes(deps.db),
    ...waitingApprovalRoutes(deps.waiting),
  ];
}

export function dashboardTopics(deps: DashboardRouteDeps): Topic[] {
  return [overviewTopic(deps.readOverview), approvalTopic(deps)];
}
