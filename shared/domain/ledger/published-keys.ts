// The published keys of logs: rows of log_key and promise_key. Who can write to the database must not add one of their own, so only rows
// with valid seals count.
import type { PublishedKey } from '../../core/proof/shapes.ts';
import type { Sql } from '../../platform/db/database.ts';
import { genuine, insertSealed, sealedColumns, type SealedRow, updateSealed } from '../../platform/db/seals/rows.ts';

export type LogKeyRow = SealedRow<'log_key'>;
export type PromiseKeyRow = SealedRow<'promise_key'>;

export const LOG_KEY = sealedColumns('log_key', 'log_key');
const OF_LOG = `SELECT ${LOG_KEY} FROM log_key WHERE log_id = $1 ORDER BY log_key.first_size, key_id`;
export const PROMISE_KEY = sealedColumns('promise_key', 'promise_key');
const PROMISE_KEYS = `SELECT ${PROMISE_KEY} FROM promise_key ORDER BY created_at`;

/** A row as it is published. Sizes are below 2 ** 53. */
export const publishedLogKey = (row: LogKeyRow): PublishedKey => ({
  keyId: row.key_id,
  vkey: row.vkey,
  // The table has keys of this use alone.
  use: 'log',
  firstSize: Number(row.first_size),
  lastSize: row.last_size === null ? null : Number(row.last_size),
});

export interface KeysOfLog {
  /** In the order of their first sizes. */
  readonly published: readonly PublishedKey[];
  /** Ids of rows that the service did not write as they are. */
  readonly forged: readonly string[];
}

/** The keys of one log. @throws {ApiError} E6002 */
export async function readKeysOfLog(sql: Sql, logId: number): Promise<KeysOfLog> {
  const rows = await sql.query<LogKeyRow>(OF_LOG, [logId]);
  const good = new Set(genuine(sql, 'log_key', rows));
  return {
    published: [...good].map(publishedLogKey),
    forged: rows.filter((row) => !good.has(row)).map((row) => row.key_id),
  };
}

/** Ids of promise keys that the service did not write as they are. */
export async function readForgedPromiseKeys(sql: Sql): Promise<string[]> {
  const rows = await sql.query<PromiseKeyRow>(PROMISE_KEYS, []);
  return rows.filter((row) => !sql.seals.isGenuine('promise_key', row)).map((row) => row.key_id);
}

/** A key that signs a head of a log now. */
export interface SigningNow {
  readonly logId: number;
  readonly keyId: string;
  readonly vkey: string;
  /** The size of the last head; undefined: there is none. */
  readonly lastSize: number | undefined;
  readonly atMs: number;
}

/** Publishes a key before its first head; any other key of the log may sign no larger tree. The caller holds the log's row. */
export async function publishLogKey(sql: Sql, { logId, keyId, vkey, lastSize, atMs }: SigningNow): Promise<void> {
  const rows = genuine(sql, 'log_key', await sql.query<LogKeyRow>(OF_LOG, [logId]));
  for (const row of rows)
    if (row.key_id !== keyId && row.last_size === null)
      await updateSealed(sql, 'log_key', row, { last_size: String(lastSize ?? 0) });
  if (rows.some((row) => row.key_id === keyId)) return;
  await insertSealed(
    sql,
    'log_key',
    {
      log_id: logId,
      use: 'log',
      key_id: keyId,
      vkey,
      first_size: String(lastSize === undefined ? 0 : lastSize + 1),
      last_size: null,
      created_at: new Date(atMs),
    },
    // A forged row of this key is the auditor's finding; the checkpoint is signed nevertheless.
    { unlessExists: true },
  );
}
