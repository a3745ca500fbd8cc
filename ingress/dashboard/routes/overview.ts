// The overview: once with its history, and then as it changes.
import { defineRoute, type Route } from '../../route.ts';
import type { Overview } from '../client/wire.ts';
import type { Topic } from '../events.ts';
import type { OverviewReader } from '../overview/overview.ts';

export function overviewRoutes(overview: OverviewReader): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/overview',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'The numbers of the first page, with the last ten minutes of decisions',
      request: {},
      responses: { 200: { description: 'The numbers.' } },
      errors: [],
      handler: async ({ key }) => ({ status: 200, body: await overview.read(key) }),
    }),
  ];
}

export function overviewTopic(overview: OverviewReader): Topic {
  return {
    name: 'overview',
    async load(key): Promise<Overview> {
      const now = await overview.read(key);
      // Whoever follows has the past already.
      return { ...now, decisions: { ...now.decisions, history: [] } };
    },
  };
}
