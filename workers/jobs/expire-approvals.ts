// The job `expire-approvals`: closes approvals that nobody decided or used in time.
import { expireApprovals as expire } from '../../shared/domain/approvals/store.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { type JobDefinition, SECOND_MS, THREE_ATTEMPTS, UPKEEP_CONCURRENCY } from './definition.ts';

export interface ExpireApprovalsDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export const expireApprovals: JobDefinition<'upkeep', 'expire-approvals', ExpireApprovalsDeps> = {
  queue: 'upkeep',
  name: 'expire-approvals',
  concurrency: UPKEEP_CONCURRENCY,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'none' },
  isUrgent: true,
  everyMs: 5 * SECOND_MS,
  handler:
    ({ db, logger, nowMs }) =>
    async () => {
      const expired = await expire(db, nowMs());
      if (expired > 0) logger.info({ expired }, 'approvals expired');
    },
};
