// Deletes old rows in batches, so that no statement holds locks or writes the write-ahead log for long.
import type { Database, Statement } from '../../shared/platform/db/database.ts';

/** Rows per statement. */
export const DELETE_BATCH = 5_000;

/**
 * Repeats a DELETE until a batch is not full.
 * @param statement deletes at most DELETE_BATCH rows and returns one row for each
 */
export async function deleteBatches(
  db: Database,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<void> {
  while ((await db.query(statement, values)).length === DELETE_BATCH);
}
