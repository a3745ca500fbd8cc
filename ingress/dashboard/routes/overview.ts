// The overview: the state now, which is also a live topic, and what happened in a span of time.
import { Type } from 'typebox';
import { closed } from '../../../shared/api/common.ts';
import { assertUnbound } from '../../../shared/domain/keys/bound.ts';
import type { Route } from '../../route.ts';
import type { Topic } from '../events.ts';
import type { ReadActivity } from '../overview/activity.ts';
import type { ReadOverview } from '../overview/overview.ts';
import { pageRoute } from './page-route.ts';

const RangeQuery = closed({
  range: Type.Union(
    (['10m', '1h', '6h', '24h', '7d', '30d'] as const).map((range) => Type.Literal(range)),
    { description: 'How far back, until now.' },
  ),
  route: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Method and path template of the requests whose times are drawn. Default: all.',
    }),
  ),
});

export function overviewRoutes(deps: {
  readonly readOverview: ReadOverview;
  readonly readActivity: ReadActivity;
}): Route[] {
  return [
    pageRoute({
      path: '/overview',
      summary: 'The state now',
      answer: ({ key }) => deps.readOverview(key),
    }),
    pageRoute({
      path: '/overview/activity',
      summary: 'Decisions by verdict, times of requests, and changes in a span of time',
      request: { query: RangeQuery },
      errors: ['E1004'],
      answer: ({ key, query }) => {
        // They are counted for all agents together.
        assertUnbound(key, 'read the numbers of all decisions');
        return deps.readActivity(key, query);
      },
    }),
  ];
}

export function overviewTopic(readOverview: ReadOverview): Topic {
  return { name: 'overview', load: readOverview };
}
