// Whether a job failed because PostgreSQL was away or had no room: that is not the job's fault, and it waits.
import { type Database, isConnectionError, type Statement } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { within } from './backend.ts';

const PING: Statement = { name: 'ping', text: 'SELECT 1' };
const PING_TIMEOUT_MS = 1_500;

/**
 * For `isStoreAway` of createQueues. Insufficient resources (class 53, such as a full disk) and a server that starts or
 * stops (57P) are waited out. Of any other connection trouble it is asked whether the database answers now: a statement
 * that always takes too long is a failure of the job.
 */
export function storeAwayCheck(db: Database): (error: unknown) => Promise<boolean> {
  return async (error) => {
    const cause = error instanceof ApiError ? error.cause : error;
    if (!isConnectionError(cause)) return false;
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^(53...|57P..)$/.test(code)) return true;
    return within(db.query(PING, []), PING_TIMEOUT_MS, 'PostgreSQL').then(
      () => false,
      () => true,
    );
  };
}
