// Every route and every live topic of the dashboard's own, beside those of /v1 that it serves as they are.
import type { Route } from '../../route.ts';
import type { Topic } from '../events.ts';
import type { OverviewReader } from '../overview/overview.ts';
import { overviewRoutes, overviewTopic } from './overview.ts';

export interface DashboardRouteDeps {
  readonly overview: OverviewReader;
}

/** Their paths begin with /dashboard/api/; those that are not GET are audited by the site. */
export function dashboardRoutes(deps: DashboardRouteDeps): Route[] {
  return [...overviewRoutes(deps.overview)];
}

export function dashboardTopics(deps: DashboardRouteDeps): Topic[] {
  return [overviewTopic(deps.overview)];
}
