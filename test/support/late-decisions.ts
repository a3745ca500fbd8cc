// Lets a test store decisions of the past, which the service refuses to store.
import type { Database } from '../../shared/platform/db/database.ts';
import { asSuperuser } from './database.ts';

/** In this database decisions may be stored at any time after they were evaluated. */
export async function acceptLateDecisions(db: Database): Promise<void> {
  await asSuperuser(db, (sql) =>
    sql.query("CREATE OR REPLACE FUNCTION custos_too_late() RETURNS text LANGUAGE sql AS $$ SELECT 'late' $$", []),
  );
}
