// SQL of the table `idempotency`: claims of running requests, and stored answers. All times are the database's.
import { hasCome, isRecent } from '../../shared/platform/db/elapsed.ts';

/**
 * A request that takes longer loses its claim, and so does one whose process hangs. Its transaction then cannot commit,
 * because the statement that stores its answer finds no claim.
 */
const CLAIM_SECONDS = 30;
/** The claims of a process without a heartbeat for this long can be taken over. Heartbeats come every second. */
const GONE_AFTER_SECONDS = 10;
/** A process with a heartbeat within this time still works on its claims. */
const ALIVE_WITHIN_SECONDS = 3;
const KEPT_HOURS = 24;

const OF = 'organisation_id = $1 AND environment = $2 AND route = $3 AND key_hash = $4';
/** By both clocks: a row that counted as old while the database's clock was ahead would have its request run again. $8: `deletionMs`. */
const ROW_IS_OLD = `row.created_at < least(clock_timestamp(), $8::timestamptz) - make_interval(hours => ${KEPT_HOURS})`;
/** Of an unfinished answer the finished part stays. */
const ROW_GOES_ON = `(row.unfinished AND NOT ${ROW_IS_OLD})`;
const seenWithin = (seconds: number): string =>
  isRecent('holder.seen_at', `make_interval(secs => ${seconds})`, 'clock_timestamp()');
/** A process that stopped gracefully has no row any more. */
const HOLDER_IS_GONE = `(row.claimed_by IS NOT NULL AND NOT EXISTS (SELECT FROM process_heartbeat AS holder
      WHERE holder.process_id = row.claimed_by AND ${seenWithin(GONE_AFTER_SECONDS)}))`;

export const CLAIM = `INSERT INTO idempotency AS row (organisation_id, environment, route, key_hash, body_hash, claim, claimed_by, claimed_until, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), clock_timestamp())
    ON CONFLICT (organisation_id, environment, route, key_hash) DO UPDATE
    SET body_hash = excluded.body_hash, claim = excluded.claim, claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until,
        created_at = CASE WHEN ${ROW_GOES_ON} THEN row.created_at ELSE excluded.created_at END,
        status = CASE WHEN ${ROW_GOES_ON} THEN row.status END,
        answer = CASE WHEN ${ROW_GOES_ON} THEN row.answer END,
        unfinished = ${ROW_GOES_ON}
    WHERE ${ROW_IS_OLD}
       OR ((row.status IS NULL OR (row.unfinished AND row.body_hash = excluded.body_hash))
           AND (row.claim IS NULL OR ${hasCome('row.claimed_until', `make_interval(secs => ${CLAIM_SECONDS})`, 'clock_timestamp()')} OR ${HOLDER_IS_GONE}))
    RETURNING answer`;
/** `wait_seconds`: time until the claim can be taken over at the latest; 1 while its process works on it. */
export const READ = `SELECT row.body_hash, row.status, row.answer, row.claim IS NOT NULL OR row.unfinished AS is_open,
      CASE WHEN ${seenWithin(ALIVE_WITHIN_SECONDS)} THEN 1
        ELSE greatest(1, ceil(extract(epoch FROM least(row.claimed_until, holder.seen_at + make_interval(secs => ${GONE_AFTER_SECONDS})) - clock_timestamp())))
      END::int AS wait_seconds
    FROM idempotency AS row LEFT JOIN process_heartbeat AS holder ON holder.process_id = row.claimed_by
    WHERE ${OF}`;
export const STORE = `UPDATE idempotency SET status = $6, answer = $7, unfinished = $8, claim = NULL, claimed_by = NULL, claimed_until = NULL
    WHERE ${OF} AND claim = $5 RETURNING status`;
/** An unfinished answer stays, so that a repeat continues it. */
export const RELEASE = `WITH kept AS (
      UPDATE idempotency SET claim = NULL, claimed_by = NULL, claimed_until = NULL WHERE ${OF} AND claim = $5 AND unfinished
    )
    DELETE FROM idempotency WHERE ${OF} AND claim = $5 AND NOT unfinished`;

export interface StoredRow {
  readonly body_hash: Buffer;
  readonly status: number | null;
  readonly answer: Buffer | null;
  /** Claimed, or unfinished. */
  readonly is_open: boolean;
  readonly wait_seconds: number;
}
