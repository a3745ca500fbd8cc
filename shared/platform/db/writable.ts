// Checks that the database accepts writes: a standby, a read-only server and one with a full disk answer a ping as well.
import type { Database } from './database.ts';
import { type Trouble, troubleOf } from './trouble.ts';

// Locks no row, but is refused like a write (SQLSTATE 25006). The error discards the session, because a session may stay
// read-only after the server no longer is.
const ASK = 'SELECT FROM process_heartbeat LIMIT 0 FOR UPDATE';

// It needs 2 MB in a temporary file of the server, leaves nothing behind, and needs no right. A table may grow by less.
const LITTLE_MEMORY = "SET LOCAL work_mem = '64kB'";
const SPILL = `SELECT count(*) FROM (SELECT repeat('x', 500) || n AS text FROM generate_series(1, 4000) AS n ORDER BY text OFFSET 0) AS sorted`;

/**
 * Looks for room on the disk only after a statement found none: small writes go on for a while on a full disk, and this one is dear.
 * @throws {ApiError} E6002 when PostgreSQL does not answer or accepts no writes
 */
export async function ensureWritable(db: Pick<Database, 'query' | 'transaction' | 'disk'>): Promise<void> {
  await db.query(ASK, []);
  const { disk } = db;
  const refusals = disk?.refusals ?? 0;
  if (disk === undefined || refusals === 0) return;
  await db.transaction(async (sql) => {
    await sql.query(LITTLE_MEMORY, []);
    await sql.query(SPILL, []);
  });
  // One that was refused meanwhile is looked after the next time.
  if (disk.refusals === refusals) disk.refusals = 0;
}

const REASONS: Readonly<Partial<Record<Trouble, string>>> = {
  'read-only': 'PostgreSQL is read-only',
  full: 'the disk of PostgreSQL is full: it can store nothing',
};

/** The message for operators about an error of `ensureWritable`. */
export const whyNotWritable = (error: unknown): string => REASONS[troubleOf(error)] ?? 'PostgreSQL does not answer';
