// The audit pages: the log's own audit, and what was done on the operators' pages.
import { Type } from 'typebox';
import { Cursor, DEFAULT_LIMIT, Limit, StringEnum } from '../../../shared/api/common.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import { defineRoute, type Route } from '../../route.ts';
import type { AuditedLogs, OperatorActions } from '../client/wire.ts';
import type { Trail } from '../trail.ts';

const ActionsQuery = Type.Object(
  {
    outcome: Type.Optional(StringEnum(['begun', 'done', 'refused', 'failed'])),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

export function auditRoutes(trail: Trail): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/audit/logs',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'The logs of the organisation and environment with what their audits found',
      request: {},
      responses: { 200: { description: 'The logs, the newest first.' } },
      errors: [],
      handler: async ({ key }) => {
        const body: AuditedLogs = { logs: await trail.logs(key) };
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/dashboard/api/audit/actions',
      access: ['admin:*'],
      tag: 'Dashboard',
      summary: 'What was done on the pages, newest first',
      request: { query: ActionsQuery },
      responses: { 200: { description: 'One page of actions.' } },
      errors: [],
      handler: async ({ key, query: { outcome, cursor, limit = DEFAULT_LIMIT } }) => {
        const before = decodeCursor(cursor, /^\d{1,15}$/);
        const rows = await trail.actions(key, { before, outcome }, limit + 1);
        const body: OperatorActions = pageOf(
          rows,
          limit,
          (row) => row,
          (row) => String(row.seq),
        );
        return { status: 200, body };
      },
    }),
  ];
}
