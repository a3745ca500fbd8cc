// A part of a transaction that can fail alone.
import type { Sql } from './database.ts';
import { isPassing } from './trouble.ts';

const SAVE = 'SAVEPOINT part';
const UNDO = 'ROLLBACK TO SAVEPOINT part';

/** Runs `work`, and undoes what it wrote when it throws; then the transaction can go on. @throws what `work` throws */
export async function undoneOnError<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.query(SAVE, []);
  try {
    return await work();
  } catch (error) {
    // After a transient error the caller gives up the whole transaction, whose connection may be lost.
    if (!isPassing(error)) await sql.query(UNDO, []);
    throw error;
  }
}
