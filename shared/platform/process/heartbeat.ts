// Which processes are alive: each writes a row every second, and a row that is old means that its process is gone or hangs.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Gauge, type Registry } from 'prom-client';
import type { Sql, Statement } from '../db/database.ts';

export type ProcessRole = 'ingress' | 'workers';

/** How often a process writes. */
const BEAT_MS = 1_000;
/**
 * A process that has not written for this long does not count. With the pages' own interval it is well within the five
 * seconds in which the end of a worker must be seen.
 */
export const ALIVE_WITHIN_SECONDS = 3;
/** Processes that are listed: one that is killed and started again without end leaves a row each time. */
const MAX_LISTED = 100;

const BEAT: Statement = {
  name: 'heartbeat-beat',
  text: `INSERT INTO process_heartbeat (process_id, role, version, host, pid) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (process_id) DO UPDATE SET seen_at = now()`,
};
const GONE: Statement = { name: 'heartbeat-gone', text: 'DELETE FROM process_heartbeat WHERE process_id = $1' };
const FORGET: Statement = {
  name: 'heartbeat-forget',
  text: `DELETE FROM process_heartbeat WHERE seen_at < now() - interval '1 hour'`,
};
const ALIVE = `seen_at > now() - interval '${ALIVE_WITHIN_SECONDS} seconds'`;
const READ: Statement = {
  name: 'heartbeat-read',
  text: `SELECT role, version, host, pid, started_at AS "startedAt", extract(epoch FROM now() - seen_at)::float8 AS "silentSeconds",
      ${ALIVE} AS alive
    FROM (SELECT * FROM process_heartbeat WHERE seen_at > now() - interval '1 hour' ORDER BY ${ALIVE} DESC, seen_at DESC LIMIT ${MAX_LISTED}) AS latest
    ORDER BY started_at`,
};
const WORKERS: Statement = {
  name: 'heartbeat-workers',
  text: `SELECT count(*)::int AS alive FROM process_heartbeat WHERE role = 'workers' AND ${ALIVE}`,
};

export interface Heartbeat {
  /** Names this process in what it claims: others see by its signs of life whether it still works on it. */
  readonly processId: string;
  /** Stops, and takes the row away: a process that ends in order is gone at once. */
  close(): Promise<void>;
}

export interface HeartbeatDeps {
  /** Best with a connection of its own: a sign of life must not wait behind the work of the process. */
  readonly db: Sql;
  readonly role: ProcessRole;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** Beats from now on; the first row is there when it resolves, unless the database is away. */
export async function startHeartbeat({ db, role, version, onError }: HeartbeatDeps): Promise<Heartbeat> {
  const processId = randomUUID();
  let beating: Promise<unknown> | undefined;
  const beat = (): void => {
    // One that is late is not made up for.
    beating ??= db
      .query(BEAT, [processId, role, version, hostname(), process.pid])
      .catch(onError)
      .finally(() => (beating = undefined));
  };
  beat();
  await beating;
  await db.query(FORGET, []).catch(onError);
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    processId,
    async close() {
      clearInterval(timer);
      await beating;
      await db.query(GONE, [processId]).catch(onError);
    },
  };
}

export interface ProcessState {
  readonly role: ProcessRole;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly silentSeconds: number;
  readonly alive: boolean;
}

/**
 * Processes that were seen in the last hour and did not end in order, the oldest first; when there are more than a
 * hundred, those that are alive and the last ones to have gone. @throws {ApiError} E6002
 */
export function readProcesses(db: Sql): Promise<ProcessState[]> {
  return db.query<ProcessState>(READ, []);
}

/** Worker processes that are alive. @throws {ApiError} E6002 */
export async function workersAlive(db: Sql): Promise<number> {
  const [row] = await db.query<{ alive: number }>(WORKERS, []);
  return row?.alive ?? 0;
}

/** Adds the gauge; asked when somebody asks, and absent while the database is away. */
export function watchWorkers(registry: Registry, db: Sql): void {
  new Gauge({
    name: 'custos_workers_alive',
    help: `Worker processes that wrote their sign of life within the last ${ALIVE_WITHIN_SECONDS} seconds`,
    registers: [registry],
    async collect() {
      const alive = await workersAlive(db).catch(() => undefined);
      if (alive === undefined) this.remove();
      else this.set(alive);
    },
  });
}
