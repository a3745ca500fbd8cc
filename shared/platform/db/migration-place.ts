// Whether a database is one in which the schema can be made, with a sentence for the operator when it is not.
import type pg from 'pg';
import { SetupError } from '../embedded/account.ts';

interface Place {
  readonly role: string;
  readonly database: string;
  /** Of new tables; null: no schema of the search path exists. */
  readonly schema: string | null;
  readonly mayCreateTables: boolean | null;
  readonly mayCreateSchemas: boolean;
  readonly encoding: string;
  readonly isReadOnly: boolean;
  /** Whether there are tables of Custos already. */
  readonly isUsed: boolean;
}

const PLACE = `SELECT current_user AS role, current_database() AS database, current_schema() AS schema,
  has_schema_privilege(current_schema(), 'CREATE') AS "mayCreateTables",
  to_regnamespace('bullmq') IS NOT NULL OR has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchemas",
  current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  to_regclass('migration') IS NOT NULL AS "isUsed"`;

/**
 * Call it with the session of the role that migrates, when a migration is missing.
 * @throws {SetupError} when the server refuses writes or the role lacks a right, and for a new database that can't hold every text
 */
export async function requireMigrationPlace(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Place>(PLACE);
  const [place] = rows;
  const problem = place && problemOf(place);
  if (problem !== undefined) throw new SetupError(problem);
}

function problemOf(place: Place): string | undefined {
  const { role, database, schema, encoding } = place;
  if (place.isReadOnly)
    return `The database "${database}" accepts no writes from "${role}": the server is a standby, or default_transaction_read_only is on. Name the primary, or turn it off.`;
  if (schema === null)
    return `No schema of the search path of "${role}" exists in the database "${database}". Create it, or correct search_path.`;
  if (place.mayCreateTables !== true)
    return `The role "${role}" may not create tables in the schema "${schema}" of the database "${database}". Make it the owner: ALTER DATABASE "${database}" OWNER TO "${role}".`;
  if (!place.mayCreateSchemas)
    return `The role "${role}" may not create schemas in the database "${database}", and the queues need one. Permit it: GRANT CREATE ON DATABASE "${database}" TO "${role}".`;
  // One that is used already keeps what it has: its texts were stored in this encoding.
  if (!place.isUsed && encoding !== 'UTF8')
    return `The database "${database}" has the encoding ${encoding}, which can't hold every text, or counts its characters otherwise. Create it with UTF8: CREATE DATABASE "${database}" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' OWNER "${role}".`;
  return undefined;
}
