// Whether the database takes writes now: a standby, or a server that somebody made read-only, answers a ping as well.
import type { Database, Statement } from './database.ts';
import { troubleOf } from './trouble.ts';

// Locks no row, and is refused like a write where writes are (SQLSTATE 25006): then the session is dropped like after any
// other refused write, because a session may stay read-only after the server no longer is.
const ASK: Statement = { name: 'writable-ask', text: 'SELECT FROM process_heartbeat LIMIT 0 FOR UPDATE' };

/** @throws {ApiError} E6002 when PostgreSQL does not answer, or answers and takes no writes */
export async function ensureWritable(db: Pick<Database, 'query'>): Promise<void> {
  await db.query(ASK, []);
}

/** What an operator is told when `ensureWritable` threw this. */
export const whyNotWritable = (error: unknown): string =>
  troubleOf(error) === 'read-only' ? 'PostgreSQL is read-only' : 'PostgreSQL does not answer';
