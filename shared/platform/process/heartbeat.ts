// Heartbeats: each process updates its row every second. An old row means that its process ended or hangs.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Sql } from '../db/database.ts';
import { isAhead, isRecent } from '../db/elapsed.ts';
import { startPulse } from './pulse.ts';

export type ProcessRole = 'ingress' | 'workers';

const INTERVAL_MS = 1_000;
/**
 * A process without a heartbeat for this long counts as dead. Together with the refresh interval of the dashboard it is well
 * below the five seconds within which the end of a worker must show.
 */
export const ALIVE_WITHIN_SECONDS = 3;
/** A process without a heartbeat for this long counts as dead, however late all other heartbeats are. */
const DEAD_AFTER_SECONDS = 10;
/** Limit of the list: a process in a crash loop leaves a row each time. */
const MAX_LISTED = 100;

/** The last value is the time in seconds for which the process has hung: it is as silent as if it had ended then. */
const BEAT = `INSERT INTO process_heartbeat (process_id, role, version, host, pid, health_port, seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, now() - make_interval(secs => $7))
    ON CONFLICT (process_id) DO UPDATE SET seen_at = excluded.seen_at`;
const GONE = 'DELETE FROM process_heartbeat WHERE process_id = $1';
const FORGET = `DELETE FROM process_heartbeat WHERE NOT ${isRecent('seen_at', `interval '1 hour'`)}`;
/**
 * A slow database or a busy machine delays the heartbeats of all processes. So silence counts from the time at which the
 * newest heartbeat was due to be followed by the next one. A row from the future is ignored: the clock was set back, and whoever is alive
 * beats again within a second.
 */
const DUE = `(SELECT least(now(), max(seen_at) + interval '${INTERVAL_MS} ms') FROM process_heartbeat WHERE seen_at <= now())`;
const NOT_AHEAD = `NOT ${isAhead('seen_at', `interval '${ALIVE_WITHIN_SECONDS} seconds'`)}`;
const ALIVE = `seen_at > greatest(coalesce(${DUE}, now()) - interval '${ALIVE_WITHIN_SECONDS} seconds', now() - interval '${DEAD_AFTER_SECONDS} seconds') AND ${NOT_AHEAD}`;
const READ = `SELECT role, version, host, pid, health_port AS "healthPort", started_at AS "startedAt", greatest(0, extract(epoch FROM now() - seen_at))::float8 AS "silentSeconds",
      ${ALIVE} AS alive
    FROM (SELECT * FROM process_heartbeat WHERE ${isRecent('seen_at', `interval '1 hour'`)} ORDER BY ${ALIVE} DESC, seen_at DESC LIMIT ${MAX_LISTED}) AS latest
    ORDER BY started_at`;
const PLACES = `SELECT host, health_port AS "healthPort" FROM process_heartbeat WHERE role = $1 AND ${ALIVE} ORDER BY host, health_port`;

export interface Heartbeat {
  /** Identifies this process in rows that it claims; other processes see from its heartbeat whether it still works on them. */
  readonly processId: string;
  /** Stops and deletes the row, so that a process that ends in order disappears at once. */
  close(): Promise<void>;
}

export interface HeartbeatDeps {
  readonly db: Sql;
  readonly role: ProcessRole;
  readonly version: string;
  /** The port of its health pages and metrics. */
  readonly healthPort?: number | undefined;
  readonly onError: (error: unknown) => void;
  /**
   * Absent: this thread sends all heartbeats over `db`. Else a separate thread with its own connection soon takes over, so
   * that neither long computations nor a pool that is used up delay them.
   */
  readonly apart?: ApartOptions | undefined;
}

export interface ApartOptions {
  readonly databaseUrl: string;
  /** File descriptor of a pipe to the supervisor, which gets a byte with each heartbeat. */
  readonly pulseFd?: number | undefined;
}

/** A heartbeat as a statement, for the thread that sends it. */
export interface Beat {
  readonly statement: string;
  /** All values but the last. */
  readonly values: readonly unknown[];
  readonly intervalMs: number;
}

/** Starts the heartbeat. Resolves when the first row is written, or could not be because the database is away. */
export async function startHeartbeat({
  db,
  role,
  version,
  healthPort,
  onError,
  apart,
}: HeartbeatDeps): Promise<Heartbeat> {
  const processId = randomUUID();
  const beat: Beat = {
    statement: BEAT,
    values: [processId, role, version, hostname(), process.pid, healthPort ?? null],
    intervalMs: INTERVAL_MS,
  };
  let beating: Promise<unknown> | undefined;
  const send = (): void => {
    // A late heartbeat is not repeated.
    beating ??= db
      .query(BEAT, [...beat.values, 0])
      .catch(onError)
      .finally(() => (beating = undefined));
  };
  send();
  await beating;
  await db.query(FORGET, []).catch(onError);
  let timer = setInterval(send, INTERVAL_MS).unref();
  const onFirst = (): void => clearInterval(timer);
  const onLost = (): void => {
    timer = setInterval(send, INTERVAL_MS).unref();
  };
  const pulse = apart && startPulse({ ...apart, beat, onError, onFirst, onLost });
  return {
    processId,
    async close() {
      clearInterval(timer);
      await pulse?.close();
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
  /** Of its health pages and metrics. Null: not known. */
  readonly healthPort: number | null;
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

type ProcessPlace = Pick<ProcessState, 'host' | 'healthPort'>;

/** The live processes of a kind. @throws {ApiError} E6002 */
export function processesAlive(db: Sql, role: ProcessRole): Promise<ProcessPlace[]> {
  return db.query(PLACES, [role]);
}

/** Places that `placesText` names. */
const MAX_NAMED = 10;

/** Their number, and where their health pages and metrics are. */
export function placesText(alive: readonly ProcessPlace[]): string {
  // A process of an older version has no port, nor has an ingress that picked a free one.
  const places = alive.flatMap(({ host, healthPort }) => (healthPort === null ? [] : [`${host}:${healthPort}`]));
  const more = places.length > MAX_NAMED ? ', ...' : '';
  const named = `; metrics at ${places.slice(0, MAX_NAMED).join(', ')}${more}`;
  return `${alive.length} alive${places.length === 0 ? '' : named}`;
}
