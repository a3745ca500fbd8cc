// Old rows of the default partition, which is never dropped: they go in batches, after the partitions of their time (docs/adr/0017).
import type { PartedKind } from '../../shared/core/proof/retention-record.ts';
import { readDropOfAll } from '../../shared/domain/retention/dropped.ts';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { DELETE_BATCH } from './delete-batches.ts';
import { BOUND, type Kept, type PartitionDeps } from './retain-partitions.ts';

/** Deletes or blanks at most $2 rows below the id $1; returns their number as `gone`. */
const FORGET: Readonly<Record<PartedKind, Statement>> = {
  decisions: 'SELECT custos_forget_default($1, $2) AS gone',
  facts: `WITH old AS (UPDATE decision_default SET facts = NULL, facts_salt = NULL WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM decision_default WHERE decision_id < $1 AND facts IS NOT NULL LIMIT $2)) RETURNING decision_id)
    SELECT count(*)::integer AS gone FROM old`,
  texts: `WITH old AS (DELETE FROM intent_parse_default WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM intent_parse_default WHERE intent_id < $1 LIMIT $2)) RETURNING intent_id)
    SELECT count(*)::integer AS gone FROM old`,
};

async function forgetBatch(sql: Sql, { what, needed }: Kept): Promise<number> {
  await sql.query(BOUND, []);
  // The records of these drops account for the rows here, too.
  const dropped = await readDropOfAll(sql, what);
  if (dropped === undefined) return 0;
  const openId = (await sql.query<{ id: string | null }>(needed, []))[0]?.id ?? dropped;
  const values = [openId < dropped ? openId : dropped, DELETE_BATCH];
  return (await sql.query<{ gone: number }>(FORGET[what], values))[0]?.gone ?? 0;
}

/** Ends what is kept of rows in the default partition, as far as partitions were ended. */
export async function forgetDefault({ db, deletionMs }: PartitionDeps, kept: Kept): Promise<void> {
  while (deletionMs() > 0 && (await db.transaction((sql) => forgetBatch(sql, kept))) === DELETE_BATCH);
}
