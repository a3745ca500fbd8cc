// Records of decisions as the decision table has them.
import { unpackRecord } from '../../shared/core/decision/packed-record.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { asSuperuser } from './database.ts';

/** The canonical text of a stored record up to its previousHash; the empty text without one. */
export function recordText(stored: Buffer | null | undefined): string {
  return stored === null || stored === undefined ? '' : unpackRecord(stored).toString('utf8');
}

/** Stores records of decisions as earlier versions did, so that SQL can edit their text. @param which SQL condition */
export async function storePlainRecords(db: Database, which = 'true'): Promise<void> {
  await asSuperuser(db, async (sql) => {
    const rows = await sql.query<{ decision_id: string; record: Buffer }>(
      `SELECT decision_id, record FROM decision WHERE ${which}`,
      [],
    );
    for (const { decision_id: id, record } of rows)
      await sql.query('UPDATE decision SET record = $2 WHERE decision_id = $1', [id, unpackRecord(record)]);
  });
}
