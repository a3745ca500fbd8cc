// Classifies errors: transient trouble of a store, or a failure of the work itself. Pure.
import { ApiError } from '../../kernel/errors.ts';

/**
 * - `away`: the store does not answer, cannot work now, or does not let this process in. The connection is not trusted.
 * - `full`: the server answers, and has no room on its disk.
 * - `read-only`: the server accepts no writes, such as a standby or a primary with default_transaction_read_only.
 * - `contended`: a conflict with other work (deadlock, serialization failure, lock not available).
 * - `own`: none of these. The same work would fail with a healthy store, too.
 *
 * All but `own` are transient: the work is retried unchanged, and no attempt is counted.
 */
export type Trouble = 'away' | 'full' | 'read-only' | 'contended' | 'own';

/**
 * SQLSTATE codes and classes (appendix A of the PostgreSQL manual) that are not the statement's fault. A code takes
 * precedence over its class. Everything else is `own`.
 */
export const SQLSTATE_TROUBLE: Readonly<Record<string, Trouble>> = {
  // Connection exceptions, of the server or of a pooler before it.
  '08': 'away',
  // A protocol violation comes from a driver's bug as well, but a repeat uses another connection.
  '08P01': 'away',
  // read_only_sql_transaction; the other codes of the class are wrong uses of transactions.
  '25006': 'read-only',
  // idle_in_transaction_session_timeout, transaction_timeout, idle_session_timeout
  '25P03': 'away',
  '25P04': 'away',
  // Invalid authorization: a password that is being changed is no fault of any work.
  '28': 'away',
  // The database is missing while it is being restored.
  '3D000': 'away',
  // Transaction rollback: serialization failure, deadlock, completion unknown...
  '40': 'contended',
  // ...but a deferred constraint is about data.
  '40002': 'own',
  // Insufficient resources: memory, connections, a configured limit.
  '53': 'away',
  // disk_full
  '53100': 'full',
  // object_in_use, lock_not_available
  '55006': 'contended',
  '55P03': 'contended',
  // Operator intervention: shutdown, crash recovery, and statements that were cancelled, such as by statement_timeout.
  '57': 'away',
  // System errors: input and output.
  '58': 'away',
  // snapshot_too_old
  '72': 'contended',
};

/** Codes of Node's system errors: network, DNS, and exhausted resources of the machine. */
export const SYSTEM_TROUBLE: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAGAIN',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECANCELED',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EDQUOT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EIO',
  'EMFILE',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'ENOSPC',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EROFS',
  'ESTALE',
  'ETIMEDOUT',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Messages of pg, pg-pool and ioredis for errors without a code. */
const DRIVER_TEXT =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|client was closed|Connection is closed|Command timed out|Stream isn't writeable|Socket closed unexpectedly|Reached the max retries per request limit/;

/** First words of Redis errors about the server, not the command. */
const REDIS_REPLY =
  /^(?:LOADING|READONLY|OOM|MISCONF|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOAUTH|WRONGPASS|UNBLOCKED|ERR max number of clients reached)\b/;

/** A timeout. */
export class TookTooLong extends Error {
  constructor(what: string, timeoutMs: number) {
    super(`${what} took longer than ${timeoutMs} ms`);
    this.name = 'TookTooLong';
  }
}

function troubleOfCode(code: string): Trouble | undefined {
  // Some system codes, such as EPIPE, have the form of an SQLSTATE.
  if (SYSTEM_TROUBLE.has(code)) return 'away';
  if (/^[0-9A-Z]{5}$/.test(code)) return SQLSTATE_TROUBLE[code] ?? SQLSTATE_TROUBLE[code.slice(0, 2)] ?? 'own';
  return undefined;
}

/** Classifies any thrown value. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Error)) return 'own';
  // A 503 is about the service; other codes are about the request.
  if (error instanceof ApiError) return error.code === 'E6002' ? causeOf(error) : 'own';
  if (error instanceof TookTooLong) return 'away';
  const { code } = error as { code?: unknown };
  const known = typeof code === 'string' ? troubleOfCode(code) : undefined;
  if (known !== undefined) return known;
  if (error.name === 'ReplyError') return REDIS_REPLY.test(error.message) ? 'away' : 'own';
  if (DRIVER_TEXT.test(error.message)) return 'away';
  // Node throws one error for all addresses of a host name.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every((one) => troubleOf(one) !== 'own') ? 'away' : 'own';
  return 'own';
}

/** The cause of a 503; `away` if there is none. */
function causeOf(error: ApiError): Trouble {
  const trouble = error.cause === undefined ? 'away' : troubleOf(error.cause);
  return trouble === 'own' ? 'away' : trouble;
}

/** Whether an error is transient, so that the work should be retried. */
export const isPassing = (error: unknown): boolean => troubleOf(error) !== 'own';
