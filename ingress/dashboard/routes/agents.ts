// Agents for the pages: the list that stays quick, and looking for ids that begin with a text.
import { Type } from 'typebox';
import { invalidField } from '../../../shared/kernel/errors.ts';
import { AgentStatusSchema } from '../../../shared/api/agent.ts';
import { Cursor, DEFAULT_LIMIT, Limit } from '../../../shared/api/common.ts';
import { decodeCursor, encodeCursor } from '../../routes/paging.ts';
import { defineRoute, type Route } from '../../route.ts';
import type { AgentLister, ListedAgent } from '../agents.ts';
import type { AgentRow, AgentRows } from '../client/wire.ts';

const Query = Type.Object(
  {
    status: Type.Optional(AgentStatusSchema),
    prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    cursor: Type.Optional(Type.Unsafe<string>({ ...Cursor, maxLength: 2_000 })),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

function rowOf(agent: ListedAgent): AgentRow {
  const { seq: _, ...row } = agent;
  return row;
}

export function agentListRoutes(agents: AgentLister): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/agents',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'Registered agents: newest first, or those whose ids begin with a text',
      request: { query: Query },
      responses: { 200: { description: 'One page.' } },
      errors: [],
      handler: async ({ key, query: { status, prefix, cursor, limit = DEFAULT_LIMIT } }) => {
        const { organisationId, environment, agentIds } = key;
        const query = { organisationId, environment, agentIds, status };
        let page: AgentRows;
        if (prefix === undefined) {
          const rows = await agents.newest(query, decodeCursor(cursor, /^\d{1,19}$/), limit + 1);
          const last = rows[limit - 1];
          page = {
            items: rows.slice(0, limit).map(rowOf),
            nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
          };
        } else {
          if (!prefix.isWellFormed())
            throw invalidField('?prefix', 'is not a text: half of a surrogate pair is missing');
          // The page begins with this id: what follows the last one cannot be said in a comparison from an id on.
          const rows = await agents.byPrefix(query, prefix, decodeCursor(cursor, /^[^\u0000]{1,256}$/u), limit + 1);
          const next = rows[limit];
          page = {
            items: rows.slice(0, limit).map(rowOf),
            nextCursor: next === undefined ? null : encodeCursor(next.agentId),
          };
        }
        return { status: 200, body: page };
      },
    }),
  ];
}
