// The overview: read once with the history of the last ten minutes, then followed as a live topic.
import type { Route } from '../../route.ts';
import type { Overview } from '../client/wire.ts';
import type { Topic } from '../events.ts';
import type { ReadOverview } from '../overview/overview.ts';
import { pageRoute } from './page-route.ts';

export function overviewRoute(readOverview: ReadOverview): Route {
  return pageRoute({
    path: '/overview',
    summary: 'The numbers of the overview, with the decisions of the last ten minutes',
    answer: ({ key }) => readOverview(key),
  });
}

export function overviewTopic(readOverview: ReadOverview): Topic {
  return {
    name: 'overview',
    async load(key): Promise<Overview> {
      const overview = await readOverview(key);
      // A page that follows the topic has the history already.
      return { ...overview, decisions: { ...overview.decisions, history: [] } };
    },
  };
}
