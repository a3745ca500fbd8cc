// The job `forget-replays`: deletes replays a week after they were requested.
import { forgetReplays as forget } from '../../shared/domain/drafts/replay-jobs.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';
import type { DeletionDeps } from './delete-batches.ts';

export const forgetReplays = upkeepJob({
  name: 'forget-replays',
  everyMs: 60 * MINUTE_MS,
  run: ({ db, deletionMs }: DeletionDeps) => forget(db, deletionMs()),
});
