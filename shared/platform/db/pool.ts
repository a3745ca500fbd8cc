// The connection pool of a process, with a deadline for connecting and for every statement.
import pg from 'pg';
import { boundedClient } from './sessions.ts';

export interface PoolOptions {
  readonly url: string;
  /** Shows in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** Connections that are opened at once and kept. Absent: none; each is closed when it has been idle for 10 s. */
  readonly kept?: number;
  /** How long one statement may take. Absent: 1,000 ms, so that a request ends within 2 s while PostgreSQL is away. */
  readonly queryTimeoutMs?: number;
  /** How long a transaction may wait for its next statement. Absent: 10 s. */
  readonly idleInTransactionMs?: number;
  /** How long a statement or a transaction waits for a connection. Absent: 700 ms; a command for a person waits longer. */
  readonly connectTimeoutMs?: number;
  /** Called when an idle connection breaks; without a listener that would end the process. */
  readonly onError: (error: Error) => void;
}

// The sum is the longest wait of a request while PostgreSQL does not answer. It must stay below 2 s.
const CONNECT_TIMEOUT_MS = 700;
const QUERY_TIMEOUT_MS = 1_000;
/**
 * How long opening a connection may take. Longer than a request waits for it: on a busy machine a connection that comes too late for this
 * request is there for the next one.
 */
export const OPEN_TIMEOUT_MS = 3_000;
/** PostgreSQL cancels a statement this much earlier than the client: an abandoned one would occupy its session. */
const CANCEL_EARLIER_MS = 100;

/**
 * PostgreSQL ends a transaction in which nothing happens for so long: a process that was frozen in it would keep its locks, and no other
 * could do its work. Far longer than a busy process needs between two statements.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** How long a statement or a transaction waits for a connection of the pool. */
export const waitMsOf = ({ connectTimeoutMs = CONNECT_TIMEOUT_MS }: PoolOptions): number => connectTimeoutMs;

const { TIMESTAMPTZ } = pg.types.builtins;
const parseTime: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ, 'text');
/** The last time that JavaScript has; its negative is the first. */
const LAST_MS = 8.64e15;

/**
 * Infinity, or a time that JavaScript does not have, as the last or first one that it has: only another hand than the service's writes such
 * a time, and what compares it is to find a difference, and not to fail.
 */
function readTime(text: string): Date {
  const time = parseTime(text);
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time;
  return new Date(text.startsWith('-') || text.endsWith('BC') ? -LAST_MS : LAST_MS);
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format): unknown =>
    oid === TIMESTAMPTZ && format !== 'binary' ? readTime : pg.types.getTypeParser(oid, format),
};

export function createPool(options: PoolOptions): pg.Pool {
  const { queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize,
    min: options.kept ?? 0,
    Client: boundedClient(options.poolSize),
    connectionTimeoutMillis: Math.max(waitMsOf(options), OPEN_TIMEOUT_MS),
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs - CANCEL_EARLIER_MS,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types,
  });
  pool.on('error', options.onError);
  return pool;
}
