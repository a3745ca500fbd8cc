// Heartbeats: each process updates its row every second. An old row means that its process ended or hangs.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Sql } from '../db/database.ts';

export type ProcessRole = 'ingress' | 'workers';

const INTERVAL_MS = 1_000;
/**
 * Age of a row from which its process counts as dead. Together with the refresh interval of the dashboard it is well below the
 * five seconds within which the end of a worker must show.
 */
export const ALIVE_WITHIN_SECONDS = 3;
/** Limit of the list: a process in a crash loop leaves a row each time. */
const MAX_LISTED = 100;

const BEAT = `INSERT INTO process_heartbeat (process_id, role, version, host, pid) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (process_id) DO UPDATE SET seen_at = now()`;
const GONE = 'DELETE FROM process_heartbeat WHERE process_id = $1';
const FORGET = `DELETE FROM process_heartbeat WHERE seen_at < now() - interval '1 hour'`;
const ALIVE = `seen_at > now() - interval '${ALIVE_WITHIN_SECONDS} seconds'`;
const READ = `SELECT role, version, host, pid, started_at AS "startedAt", extract(epoch FROM now() - seen_at)::float8 AS "silentSeconds",
      ${ALIVE} AS alive
    FROM (SELECT * FROM process_heartbeat WHERE seen_at > now() - interval '1 hour' ORDER BY ${ALIVE} DESC, seen_at DESC LIMIT ${MAX_LISTED}) AS latest
    ORDER BY started_at`;
const WORKERS = `SELECT count(*)::int AS alive FROM process_heartbeat WHERE role = 'workers' AND ${ALIVE}`;

export interface Heartbeat {
  /** Identifies this process in rows that it claims; other processes see from its heartbeat whether it still works on them. */
  readonly processId: string;
  /** Stops and deletes the row, so that a process that ends in order disappears at once. */
  close(): Promise<void>;
}

export interface HeartbeatDeps {
  /** Best a separate connection: a heartbeat must not wait behind the work of the process. */
  readonly db: Sql;
  readonly role: ProcessRole;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** Starts the heartbeat. Resolves when the first row is written, or could not be because the database is away. */
export async function startHeartbeat({ db, role, version, onError }: HeartbeatDeps): Promise<Heartbeat> {
  const processId = randomUUID();
  let beating: Promise<unknown> | undefined;
  const beat = (): void => {
    // A late heartbeat is not repeated.
    beating ??= db
      .query(BEAT, [processId, role, version, hostname(), process.pid])
      .catch(onError)
      .finally(() => (beating = undefined));
  };
  beat();
  await beating;
  await db.query(FORGET, []).catch(onError);
  const timer = setInterval(beat, INTERVAL_MS);
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
 * Processes of the last hour that have not ended in order, oldest first. Of more than a hundred, those that are alive and the
 * latest of the others. @throws {ApiError} E6002
 */
export function readProcesses(db: Sql): Promise<ProcessState[]> {
  return db.query<ProcessState>(READ, []);
}

/** Number of live worker processes. @throws {ApiError} E6002 */
export async function workersAlive(db: Sql): Promise<number> {
  const [row] = await db.query<{ alive: number }>(WORKERS, []);
  return row?.alive ?? 0;
}
