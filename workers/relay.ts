// The relay: hands to the queues what was accepted. A row of the outbox goes when its job is queued, so that a crash in
// between hands it over twice rather than never.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from '../shared/platform/db/database.ts';
import { type Job, QUEUE_NAMES } from '../shared/kernel/jobs.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Producer } from '../shared/platform/queues/queues.ts';

export interface RelayDeps {
  readonly db: Database;
  readonly queues: Producer;
  readonly logger: Logger;
}

export interface Relay {
  /** Ends when what is being handed over is handed over. */
  close(): Promise<void>;
}

/** Most rows a hand-over. Its transaction stays open for an answer of the queue's store, 2 s at most; inserts never wait for it. */
export const BATCH = 1_000;
/** Fewest. A store that cannot take these in 2 s counts as away. */
const BATCH_MIN = 10;
/** A hand-over that took longer is followed by a smaller one, so that a slow store slows the relay and never stops it. */
const SLOW_MS = 1_000;
/** Between two looks while there is work, and when there has been none for a while. */
const BUSY_MS = 20;
const IDLE_MS = 100;
/**
 * Wake-ups (one job says that rows wait for a log, or for folding) are handed over this often, so that one does for all
 * rows of that time; a full batch is a backlog and goes on at once.
 */
const WAKE_UP_MS = 50;
/** While the queue's store or PostgreSQL is away. */
const AWAY_MS = 500;

const TAKE = (where: string): string =>
  // An array, because a subquery behind IN may be run again for each row, and then takes more than its LIMIT.
  `DELETE FROM outbox WHERE seq = ANY (ARRAY(
    SELECT seq FROM outbox ${where} ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
  )) RETURNING seq, queue, name, payload, created_at`;
const TAKE_ALL: Statement = { name: 'outbox-take', text: TAKE('') };
const TAKE_URGENT: Statement = { name: 'outbox-take-urgent', text: TAKE("WHERE queue NOT IN ('proofs', 'trust')") };
const BURY: Statement = {
  name: 'outbox-bury',
  text: 'INSERT INTO dead_job (queue, name, payload, error, failed_at) VALUES ($1, $2, $3, $4, now())',
};

interface OutboxRow {
  readonly seq: string;
  readonly queue: string;
  readonly name: string;
  readonly payload: string;
  readonly created_at: Date;
}

/** Jobs that only say that there is work: however many rows ask for one, it is one job. */
function isWakeUp({ queue, name }: Job): boolean {
  return (queue === 'proofs' && name === 'append') || (queue === 'trust' && name === 'fold');
}

function toJob({ queue, name, payload, created_at: createdAt }: OutboxRow): Job | undefined {
  if (!QUEUE_NAMES.some((known) => known === queue)) return undefined;
  try {
    const parsed: unknown = JSON.parse(payload);
    // Whoever wrote the row typed it as a Job; a name that no worker knows ends as a dead job there.
    return typeof parsed === 'object' && parsed !== null
      ? ({ queue, name, payload: parsed, acceptedAtMs: createdAt.getTime() } as unknown as Job)
      : undefined;
  } catch {
    return undefined;
  }
}

/** One job for each row in their order, but one wake-up for all rows that ask for the same. */
export function coalesce(rows: readonly Job[]): Job[] {
  const jobs = new Map<string, Job>();
  for (const job of rows) {
    if (!isWakeUp(job)) {
      jobs.set(`${jobs.size}`, job);
      continue;
    }
    const { v, organisationId, environment, swept } = job.payload as {
      v: 1;
      organisationId?: string;
      environment?: string;
      swept?: true;
    };
    const key = `${job.queue} ${organisationId} ${environment}`;
    const known = jobs.get(key);
    // One of the sweeper's alone may be ignored by the queue; it stands for no other.
    if (known !== undefined && (swept === true || known.payload.swept !== true)) continue;
    // It belongs to no request, so it carries no trace of one.
    const payload = { v, organisationId, environment, ...(swept === true ? { swept } : {}) };
    jobs.set(key, { ...job, payload } as Job);
  }
  return [...jobs.values()];
}

export interface HandedOver {
  /** Rows that are gone from the outbox. */
  readonly rows: number;
  readonly jobs: number;
}

/** How many rows the next hand-over takes, after one that took so long, or failed. */
export function nextBatch(rows: number, tookMs: number | 'failed'): number {
  if (tookMs === 'failed') return Math.max(BATCH_MIN, Math.floor(rows / 4));
  if (tookMs > SLOW_MS) return Math.max(BATCH_MIN, Math.floor(rows / 2));
  return Math.min(BATCH, rows * 2);
}

/**
 * Hands over up to a batch of the oldest rows that no other worker holds.
 * @param what `urgent` leaves wake-ups for later
 * @param batch most rows
 * @throws when PostgreSQL or the queue's store is away; then all rows are still there.
 */
export async function handOver(
  { db, queues, logger }: RelayDeps,
  what: 'all' | 'urgent' = 'all',
  batch = BATCH,
): Promise<HandedOver> {
  return db.transaction(async (sql) => {
    const rows = await sql.query<OutboxRow>(what === 'all' ? TAKE_ALL : TAKE_URGENT, [batch]);
    if (rows.length === 0) return { rows: 0, jobs: 0 };
    rows.sort((a, b) => Number(a.seq) - Number(b.seq));
    const accepted: Job[] = [];
    for (const row of rows) {
      const job = toJob(row);
      if (job !== undefined) {
        accepted.push(job);
        continue;
      }
      // One row that no queue can take must not keep the others from going.
      logger.error({ seq: row.seq, queue: row.queue, job: row.name }, 'the outbox holds something that is no job');
      await sql.query(BURY, [
        row.queue,
        row.name,
        JSON.stringify(row.payload),
        'The outbox held something that is no job.',
      ]);
    }
    const jobs = coalesce(accepted);
    if (jobs.length > 0) await queues.add(jobs);
    return { rows: rows.length, jobs: jobs.length };
  });
}

/** Hands over until it is closed. Any number of workers may do so at once. */
export function startRelay(deps: RelayDeps): Relay {
  const { logger } = deps;
  const stop = new AbortController();
  const { signal } = stop;

  const run = async (): Promise<void> => {
    let restMs = BUSY_MS;
    let away = false;
    let allAtMs = 0;
    let batch = BATCH;
    while (!signal.aborted) {
      const nowMs = performance.now();
      const what = nowMs - allAtMs >= WAKE_UP_MS ? 'all' : 'urgent';
      try {
        const { rows } = await handOver(deps, what, batch);
        if (away) logger.info('the relay hands over again');
        away = false;
        const backlog = rows === batch;
        batch = nextBatch(batch, performance.now() - nowMs);
        // After a backlog the next pass takes all, too.
        if (what === 'all') allAtMs = backlog ? 0 : nowMs;
        if (rows > 0) restMs = BUSY_MS;
        // Step by step, so that one pass without work between two with work costs nothing.
        else if (what === 'all') restMs = Math.min(restMs * 1.5, IDLE_MS);
        if (backlog) continue;
      } catch (error) {
        if (!away) logger.warn({ err: error }, 'the relay cannot hand over now; accepted work waits in the outbox');
        away = true;
        // It may have been too much at once. What the queue took all the same is known there by its id.
        batch = nextBatch(batch, 'failed');
        restMs = AWAY_MS;
      }
      await delay(restMs, undefined, { signal }).catch(() => undefined);
      if (away) restMs = BUSY_MS;
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
