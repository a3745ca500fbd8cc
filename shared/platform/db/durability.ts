// Checks that commits are durable: an answered decision must be on disk.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Sql } from './database.ts';

const READ = `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit`;

interface Row {
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
}

/** PostgreSQL could lose committed decisions in a crash. The message names the settings. */
export class NotDurableError extends OperatorError {
  constructor(settings: readonly string[]) {
    super(
      `PostgreSQL is set up with ${settings.join(' and ')}: decisions that were answered could be lost. Turn that on (for this role and database too) and start again.`,
    );
  }
}

/** @throws {NotDurableError} when a commit does not guarantee that the data is on disk; {ApiError} E6002 */
export async function ensureDurable(sql: Sql): Promise<void> {
  const [row] = await sql.query<Row>(READ, []);
  const off = Object.entries(row ?? {}).filter(([, value]) => value === 'off');
  if (off.length > 0) throw new NotDurableError(off.map(([name]) => `${name} off`));
}
