// The relay: hands outbox rows to the queues as jobs. A row is deleted after its job is queued, so a crash in between queues
// the job twice (at-least-once delivery) and never loses it.
import type { Database } from '../shared/platform/db/database.ts';
import { type Job, QUEUE_NAMES } from '../shared/kernel/jobs.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Producer } from '../shared/platform/queues/queues.ts';
import { wakeUpKeyOf } from './jobs/options.ts';
import { type Loop, pause, startLoop } from './loop.ts';

export interface RelayDeps {
  readonly db: Database;
  readonly queues: Producer;
  readonly logger: Logger;
  /** Gives a wake-up to a job of this process that runs for the same key. @returns false: it must be queued. Default: none runs */
  readonly wake?: (job: Job) => boolean;
}

/** Most rows per hand-over. Its transaction waits for the queues' store, 2 s at most; inserts into the outbox never wait for it. */
export const BATCH = 1_000;
/** Fewest rows. A store that cannot take these in 2 s counts as away. */
const BATCH_MIN = 10;
/** A hand-over that took longer is followed by a smaller one, so that a slow store slows the relay and never stops it. */
const SLOW_MS = 1_000;
/** From one pass to the next while there is work, so that one wake-up does for all rows of that time. */
const BUSY_MS = 50;
/** The same after there was no work for a while. */
const IDLE_MS = 100;
/** Pause while the queues' store or PostgreSQL is away. */
const AWAY_MS = 500;

// An array, because PostgreSQL may run a subquery behind IN once per row, and would then take more rows than its LIMIT.
const TAKE = `DELETE FROM outbox WHERE seq = ANY (ARRAY(
    SELECT seq FROM outbox ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
  )) RETURNING seq, queue, name, payload, created_at`;
/** In the order of TAKE, because an index scan skips rows that were deleted. */
const ANY = 'SELECT FROM outbox ORDER BY seq LIMIT 1';
const BURY = 'INSERT INTO dead_job (queue, name, payload, error, failed_at) VALUES ($1, $2, $3, $4, now())';

interface OutboxRow {
  readonly seq: string;
  readonly queue: string;
  readonly name: string;
  readonly payload: string;
  readonly created_at: Date;
}

function toJob({ queue, name, payload, created_at: createdAt }: OutboxRow): Job | undefined {
  if (!QUEUE_NAMES.some((known) => known === queue)) return undefined;
  try {
    const parsed: unknown = JSON.parse(payload);
    // The statement that inserted the row was typed. A name that no worker knows becomes a dead job at its worker.
    return typeof parsed === 'object' && parsed !== null
      ? ({ queue, name, payload: parsed, acceptedAtMs: createdAt.getTime() } as unknown as Job)
      : undefined;
  } catch {
    return undefined;
  }
}

/** One job per row in the order of the rows, but one wake-up for all rows with the same coalescing key. */
export function coalesce(rows: readonly Job[]): Job[] {
  const jobs = new Map<string, Job>();
  for (const job of rows) {
    const wakeUp = wakeUpKeyOf(job);
    if (wakeUp === undefined) {
      jobs.set(`${jobs.size}`, job);
      continue;
    }
    const key = JSON.stringify([job.queue, job.name, ...wakeUp]);
    const known = jobs.get(key);
    if (known === undefined) {
      jobs.set(key, job);
      continue;
    }
    // The queue may ignore a wake-up of the sweeper, so it never replaces another one.
    const kept = known.payload.swept === true && job.payload.swept !== true ? job : known;
    // A wake-up for many requests belongs to the trace of none, and repeats no dead job.
    const { traceparent: _, retryOf: __, ...payload } = kept.payload;
    jobs.set(key, { ...kept, payload } as Job);
  }
  return [...jobs.values()];
}

export interface HandedOver {
  /** Rows that were deleted from the outbox. */
  readonly rows: number;
  readonly jobs: number;
}

/** The batch size of the next hand-over. @param tookMs how long the last one took, or that it failed */
export function nextBatch(rows: number, tookMs: number | 'failed'): number {
  if (tookMs === 'failed') return Math.max(BATCH_MIN, Math.floor(rows / 4));
  if (tookMs > SLOW_MS) return Math.max(BATCH_MIN, Math.floor(rows / 2));
  return Math.min(BATCH, rows * 2);
}

/**
 * Hands over the oldest rows that no other worker has locked.
 * @param batch most rows
 * @throws when PostgreSQL or the queues' store is away; then all rows are still there
 */
export async function handOver(
  { db, queues, logger, wake = () => false }: RelayDeps,
  batch = BATCH,
): Promise<HandedOver> {
  return db.transaction(async (sql) => {
    const rows = await sql.query<OutboxRow>(TAKE, [batch]);
    if (rows.length === 0) return { rows: 0, jobs: 0 };
    rows.sort((a, b) => Number(a.seq) - Number(b.seq));
    const accepted: Job[] = [];
    for (const row of rows) {
      const job = toJob(row);
      if (job !== undefined) {
        accepted.push(job);
        continue;
      }
      // One row that no queue accepts must not block the others.
      logger.error(
        { seq: row.seq, queue: row.queue, job: row.name },
        'an outbox row is not a job; it is a dead job now',
      );
      await sql.query(BURY, [
        row.queue,
        row.name,
        JSON.stringify(row.payload),
        'The outbox held something that is no job.',
      ]);
    }
    // If the process dies, its running job is found abandoned and carries out what waits, or the sweeper finds it.
    const jobs = coalesce(accepted).filter((job) => !wake(job));
    if (jobs.length > 0) await queues.add(jobs);
    return { rows: rows.length, jobs: jobs.length };
  });
}

/** Hands over until it is closed. Any number of workers may do so at the same time. */
export function startRelay(deps: RelayDeps): Loop {
  const { db, logger } = deps;
  return startLoop(async (signal) => {
    let pauseMs = BUSY_MS;
    let isAway = false;
    /** The last pass found nothing. One statement then finds out whether the three of a hand-over are needed. */
    let isIdle = false;
    let batch = BATCH;
    while (!signal.aborted) {
      const startedMs = performance.now();
      try {
        const isEmpty: boolean = isIdle && (await db.query(ANY, [])).length === 0;
        const rows: number = isEmpty ? 0 : (await handOver(deps, batch)).rows;
        isIdle = rows === 0;
        if (isAway) logger.info('the relay hands over again');
        isAway = false;
        const isBacklog = rows === batch;
        batch = nextBatch(batch, performance.now() - startedMs);
        // Back off in steps: a single empty pass between two that found rows costs nothing.
        pauseMs = rows > 0 ? BUSY_MS : Math.min(pauseMs * 1.5, IDLE_MS);
        if (isBacklog) continue;
      } catch (error) {
        if (!isAway) logger.warn({ err: error }, 'the relay cannot hand over now; accepted work waits in the outbox');
        isAway = true;
        // The batch may have been too large. Jobs that were queued all the same keep their ids and are not queued twice.
        batch = nextBatch(batch, 'failed');
      }
      await pause(isAway ? AWAY_MS : Math.max(0, startedMs + pauseMs - performance.now()), signal);
      if (isAway) pauseMs = BUSY_MS;
    }
  });
}
