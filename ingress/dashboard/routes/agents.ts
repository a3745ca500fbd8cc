// The list of agents: newest first, or those whose ids begin with a text.
import { Type } from 'typebox';
import { invalidField } from '../../../shared/kernel/errors.ts';
import { AgentStatusSchema } from '../../../shared/api/agent.ts';
import { closed, Cursor, DEFAULT_LIMIT, Limit } from '../../../shared/api/common.ts';
import type { Route } from '../../route.ts';
import type { AgentLister } from '../agents.ts';
import { pageRoute } from './page-route.ts';

const Query = closed({
  status: Type.Optional(AgentStatusSchema),
  prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  cursor: Type.Optional(Type.Unsafe<string>({ ...Cursor, maxLength: 2_000 })),
  limit: Type.Optional(Limit),
});

export function agentListRoute(agents: AgentLister): Route {
  return pageRoute({
    path: '/agents',
    summary: 'Registered agents: newest first, or those whose ids begin with a text',
    request: { query: Query },
    answer: ({ key, query: { status, prefix, cursor, limit = DEFAULT_LIMIT } }) => {
      const { organisationId, environment, agentIds } = key;
      const query = { organisationId, environment, agentIds, status, cursor, limit };
      if (prefix === undefined) return agents.newest(query);
      if (!prefix.isWellFormed()) throw invalidField('?prefix', 'is not a text: half of a surrogate pair is missing');
      return agents.byPrefix(query, prefix);
    },
  });
}
