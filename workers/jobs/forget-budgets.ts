// The job `forget-budgets`: deletes charges of budgets that have left their window, and counts in which nothing counts any more.
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches, type DeletionDeps, deletionTime } from './delete-batches.ts';

const NOW = deletionTime('$1');
// Locked rows are skipped: a decision charges them, or gives them back.
const DELETE_CHARGES = `DELETE FROM budget_charge WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM budget_charge WHERE expires_at < ${NOW} LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING decision_id`;
// A day later: processes keep the ids of counts, and look a deleted one up again.
const DELETE_USES = `DELETE FROM budget_use WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM budget_use WHERE expires_at < ${NOW} - interval '1 day' LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING id`;

export const forgetBudgets = upkeepJob({
  name: 'forget-budgets',
  everyMs: 10 * MINUTE_MS,
  run: async ({ db, deletionMs }: DeletionDeps) => {
    await deleteBatches(db, DELETE_CHARGES, [deletionMs()]);
    await deleteBatches(db, DELETE_USES, [deletionMs()]);
  },
});
