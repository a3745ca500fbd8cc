// Rows of submitted intents as no request leaves them.
import type { Database } from '../../shared/platform/db/database.ts';
import { asSuperuser } from './database.ts';

/** Rewrites rows of `intent`, past the triggers that keep them, and without their seals, as if they were of before there were any. */
export async function rewriteIntents(
  db: Database,
  set: string,
  where: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await asSuperuser(db, (sql) => sql.query(`UPDATE intent SET ${set}, submission_seal = NULL WHERE ${where}`, values));
}
