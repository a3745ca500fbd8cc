// The job `forget-replays`: deletes replays a week after they were requested.
import { forgetReplays as forget } from '../../shared/domain/drafts/replay-jobs.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { type JobDefinition, MINUTE_MS, THREE_ATTEMPTS, UPKEEP_CONCURRENCY } from './definition.ts';

export const forgetReplays: JobDefinition<'upkeep', 'forget-replays', { readonly db: Database }> = {
  queue: 'upkeep',
  name: 'forget-replays',
  concurrency: UPKEEP_CONCURRENCY,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'none' },
  isUrgent: true,
  everyMs: 60 * MINUTE_MS,
  handler:
    ({ db }) =>
    () =>
      forget(db),
};
