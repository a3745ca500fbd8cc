// Announces to all processes that an intent, an approval or a proof may have reached the state that requests wait for.
//
// The notification is a hint without content: whoever waits reads the rows, and reads them now and then without any hint. So one that is
// lost, because the sender dies after its commit, only costs time.
import type { Database, Sql } from './database.ts';

export const SETTLED_CHANNEL = 'custos_settled';

/** In the transaction of the change: for changes that are rare. A NOTIFY makes all committing transactions that notify wait for each other. */
export async function notifySettledIn(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_notify('${SETTLED_CHANNEL}', '')`, []);
}

/** Its own transaction, which need not be durable: the commit does not wait for the disk. */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${SETTLED_CHANNEL}', '')`;

/**
 * Makes a function that notifies after a commit, for changes that are frequent. Calls during a notification share the next one. Failures go
 * to `onError`.
 */
export function createSettledNotice({
  db,
  onError,
}: {
  readonly db: Pick<Database, 'query'>;
  readonly onError: (error: unknown) => void;
}): () => void {
  let isSending = false;
  let isDue = false;
  const send = async (): Promise<void> => {
    isSending = true;
    while (isDue) {
      isDue = false;
      await db.query(NOTIFY, []).catch(onError);
    }
    isSending = false;
  };
  return () => {
    isDue = true;
    if (!isSending) void send();
  };
}
