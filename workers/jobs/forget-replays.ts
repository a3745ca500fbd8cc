// The job `forget-replays`: deletes replays a week after they were requested.
import { forgetReplays as forget } from '../../shared/domain/drafts/replay-jobs.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';

export const forgetReplays = upkeepJob({
  name: 'forget-replays',
  everyMs: 60 * MINUTE_MS,
  run: ({ db }: { readonly db: Database }) => forget(db),
});
