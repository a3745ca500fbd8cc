// Routes of the agent pages: the list, newest first or by the beginning of the id, and the activity of one agent.
import { Type } from 'typebox';
import { assertMayName } from '../../../shared/domain/keys/bound.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { invalidField } from '../../../shared/kernel/errors.ts';
import { AgentIdParams, AgentStatusSchema } from '../../../shared/api/agent.ts';
import { closed, Cursor, DEFAULT_LIMIT, Instant, Limit } from '../../../shared/api/common.ts';
import type { Route } from '../../route.ts';
import { readActivity } from '../agent-activity.ts';
import type { AgentLister } from '../agents.ts';
import { readTrustCurve } from '../trust-curve.ts';
import { instant } from '../../routes/paging.ts';
import { pageRoute } from './page-route.ts';

const Query = closed({
  status: Type.Optional(AgentStatusSchema),
  prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  cursor: Type.Optional(Type.Unsafe<string>({ ...Cursor, maxLength: 2_000 })),
  limit: Type.Optional(Limit),
});

export interface AgentPageDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly agents: AgentLister;
}

export function agentPageRoutes(deps: AgentPageDeps): Route[] {
  return [agentListRoute(deps), activityRoute(deps), trustRoute(deps)];
}

function activityRoute({ db, nowMs }: AgentPageDeps): Route {
  return pageRoute({
    path: '/agents/{agentId}/activity',
    summary: 'What an agent did, registered or not: decisions, tools, keys, and changes of its status',
    request: { params: AgentIdParams },
    errors: ['E1004'],
    answer: ({ key, params: { agentId } }) => {
      assertMayName(key, agentId, '{agentId}');
      return readActivity(db, key, agentId, nowMs());
    },
  });
}

function trustRoute({ db }: AgentPageDeps): Route {
  return pageRoute({
    path: '/agents/{agentId}/trust',
    summary: 'The trust in an agent over a range of time, for a chart',
    request: { params: AgentIdParams, query: closed({ from: Type.Optional(Instant) }) },
    errors: ['E1004'],
    answer: ({ key, params: { agentId }, query: { from } }) => {
      assertMayName(key, agentId, '{agentId}');
      return readTrustCurve(db, key, agentId, instant(from));
    },
  });
}

function agentListRoute({ agents }: AgentPageDeps): Route {
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
