// The audit page: the state of the logs, and the operator trail.
import { Type } from 'typebox';
import type { Database } from '../../../shared/platform/db/database.ts';
import { Cursor, DEFAULT_LIMIT, Limit, StringEnum } from '../../../shared/api/common.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import type { Route } from '../../route.ts';
import type { AuditedLogs, OperatorActions } from '../client/wire.ts';
import { readLogs } from '../logs.ts';
import { listActions } from '../operator-actions.ts';
import { pageRoute } from './page-route.ts';

const ActionsQuery = Type.Object(
  {
    outcome: Type.Optional(StringEnum(['begun', 'done', 'refused', 'failed'])),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

export function auditRoutes(db: Database): Route[] {
  return [
    pageRoute({
      path: '/audit/logs',
      summary: 'The logs of the organisation and environment with the findings of the auditor, newest first',
      answer: async ({ key }): Promise<AuditedLogs> => ({ logs: await readLogs(db, key) }),
    }),
    pageRoute({
      path: '/audit/actions',
      summary: 'What operators did on the dashboard, newest first',
      request: { query: ActionsQuery },
      answer: async ({ key, query: { outcome, cursor, limit = DEFAULT_LIMIT } }): Promise<OperatorActions> => {
        const before = decodeCursor(cursor, /^\d{1,15}$/);
        const rows = await listActions(db, key, { before, outcome }, limit + 1);
        return pageOf(
          rows,
          limit,
          (row) => row,
          (row) => String(row.seq),
        );
      },
    }),
  ];
}
