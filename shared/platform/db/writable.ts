// Checks that the database accepts writes: a standby or a read-only server answers a ping as well.
import type { Database } from './database.ts';
import { troubleOf } from './trouble.ts';

// Locks no row, but is refused like a write (SQLSTATE 25006). The error discards the session, because a session may stay
// read-only after the server no longer is.
const ASK = 'SELECT FROM process_heartbeat LIMIT 0 FOR UPDATE';

/** @throws {ApiError} E6002 when PostgreSQL does not answer or accepts no writes */
export async function ensureWritable(db: Pick<Database, 'query'>): Promise<void> {
  await db.query(ASK, []);
}

/** The message for operators about an error of `ensureWritable`. */
export const whyNotWritable = (error: unknown): string =>
  troubleOf(error) === 'read-only' ? 'PostgreSQL is read-only' : 'PostgreSQL does not answer';
