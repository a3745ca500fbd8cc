// Deletes old rows in batches, so that no statement holds locks or writes the write-ahead log for long.
import type { Database, Statement } from '../../shared/platform/db/database.ts';

export interface DeletionDeps {
  readonly db: Database;
  /** The time by which data may be deleted for its age; -Infinity: nothing (shared/platform/db/clock.ts). */
  readonly deletionMs: () => number;
}

/** SQL: the time by which rows may be deleted for their age. The database's clock may have been set since. @param value `deletionMs()` */
export const deletionTime = (value: string): string => `least(now(), to_timestamp(${value}::float8 / 1000))`;

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
