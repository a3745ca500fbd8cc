// The last signed heads of a log: the published checkpoint, and the one kept outside the database.
import { peekIfCheckpoint, type TreeHead } from '../../core/proof/checkpoint.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';

const LAST = 'SELECT note FROM checkpoint WHERE log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1';

export interface SignedHead extends TreeHead {
  readonly note: string;
}

/** Those that exist, the kept one first: it may be newer, because it is kept before it is published. What is no checkpoint is left out. */
export async function readSignedHeads(
  sql: Sql,
  { logId, origin }: LogRow & { readonly origin: string },
  keeper: CheckpointKeeper,
): Promise<SignedHead[]> {
  const [last] = await sql.query<{ note: string }>(LAST, [logId]);
  return [await keeper.read(origin), last?.note].flatMap((note) => {
    const head = note === undefined ? undefined : peekIfCheckpoint(note);
    return note === undefined || head === undefined ? [] : [{ ...head, note }];
  });
}
