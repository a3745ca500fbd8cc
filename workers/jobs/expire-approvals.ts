// The job `expire-approvals`: closes approvals that nobody decided or used in time.
import { expireApprovals as expire } from '../../shared/domain/approvals/store.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { SECOND_MS, upkeepJob } from './definition.ts';

export interface ExpireApprovalsDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export const expireApprovals = upkeepJob({
  name: 'expire-approvals',
  everyMs: 5 * SECOND_MS,
  run: async ({ db, logger, nowMs }: ExpireApprovalsDeps) => {
    const expired = await expire(db, nowMs());
    if (expired > 0) logger.info({ expired }, 'approvals expired');
  },
});
