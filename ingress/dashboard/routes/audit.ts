// The audit page: the state of the logs, and the operator trail.
import { Type } from 'typebox';
import { idTimeMs } from '../../../shared/kernel/ids.ts';
import { readDroppedBefore } from '../../../shared/domain/retention/dropped.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { closed, PAGE, StringEnum } from '../../../shared/api/common.ts';
import { readPage } from '../../routes/paging.ts';
import type { Route } from '../../route.ts';
import type { AuditedLogs } from '../client/wire.ts';
import type { OperatorActions } from '../client/wire/operator-trail.ts';
import { readLogs } from '../logs.ts';
import { listActions } from '../operator-actions.ts';
import { pageRoute } from './page-route.ts';

const ActionsQuery = closed({ outcome: Type.Optional(StringEnum(['begun', 'done', 'refused', 'failed'])), ...PAGE });

export function auditRoutes(db: EntitySql): Route[] {
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
      answer: async ({ key, query: { outcome, ...query } }): Promise<OperatorActions> => {
        const page = await readPage(query, {
          cursor: /^\d{1,15}$/,
          read: (before, count) => listActions(db, key, { before, outcome }, count),
          sortKey: ({ seq }) => String(seq),
        });
        const droppedBefore = await readDroppedBefore(db, key, 'actions');
        return { ...page, erasedBefore: droppedBefore === '' ? null : new Date(idTimeMs(droppedBefore)).toISOString() };
      },
    }),
  ];
}
