// The last signed heads of a log: the published checkpoint, and the one kept outside the database.
import type { Sql } from '../../platform/db/database.ts';
import type { LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';

const LAST = 'SELECT note FROM checkpoint WHERE log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1';

/** The notes that exist, the kept one first: it may be newer, because it is kept before it is published. */
export async function readSignedNotes(
  sql: Sql,
  { logId, origin }: LogRow & { readonly origin: string },
  keeper: CheckpointKeeper,
): Promise<string[]> {
  const [last] = await sql.query<{ note: string }>(LAST, [logId]);
  return [await keeper.read(origin), last?.note].filter((note) => note !== undefined);
}
