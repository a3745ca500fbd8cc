// Queues in BullMQ's own tables in the same PostgreSQL (schema bullmq, which `migrate` creates).
import { createPostgresBackend as bullPostgres, type PgPool, type Telemetry, withBackend } from 'bullmq';
import pg from 'pg';
import { serverAddresses } from '../../kernel/database-servers.ts';
import { poolUse } from '../db/database.ts';
import { boundedClient } from '../db/sessions.ts';
import { type Backend, JOB_OPTIONS, openedQueue, STORE_TIMEOUT_MS, wrapWorker } from './backend.ts';

const WORKER_CONNECT_TIMEOUT_MS = 1_800;
/** For a worker's queries: taking and finishing jobs, locks, stalled jobs. LISTEN uses a further connection. */
const WORKER_CONNECTIONS = 2;
/** BullMQ's statements name no schema. It sets the search path itself only in pools that it creates. */
const SEARCH_PATH = '-c search_path=bullmq';
/** A query may take long on a busy machine, but must not wait for ever on a broken connection. */
const WORKER_QUERY_TIMEOUT_MS = 15_000;

/** In the order in which BullMQ takes jobs (its index job_ready_idx). */
const NEXT = `SELECT added_at_ms::float8 AS at FROM job WHERE queue = $1 AND state = 'waiting' ORDER BY priority, seq LIMIT 1`;
const NEXT_DELAYED = `SELECT process_at_ms::float8 AS at FROM job WHERE queue = $1 AND state = 'delayed' ORDER BY process_at_ms LIMIT 1`;

const Postgres = withBackend(bullPostgres);

/**
 * @param connections most connections of all producers of the process
 * @param onError called with every error of a pool, queue or worker
 * @param telemetry makes a span of each run of a job
 */
export function createPostgresBackend(
  url: string,
  connections: number,
  onError: (error: unknown) => void,
  telemetry?: Telemetry,
): Backend {
  const traced = telemetry === undefined ? {} : { telemetry };

  let producers: pg.Pool | undefined;

  const pool = (): pg.Pool => {
    if (producers !== undefined) return producers;
    producers = new pg.Pool({
      connectionString: url,
      application_name: 'custos-queues',
      max: connections,
      Client: boundedClient(connections),
      // As long as anybody waits for the answer.
      connectionTimeoutMillis: STORE_TIMEOUT_MS,
      query_timeout: STORE_TIMEOUT_MS,
      keepAlive: true,
      options: SEARCH_PATH,
    });
    producers.on('error', onError);
    return producers;
  };

  const first = async (statement: string, name: string): Promise<number | undefined> =>
    (await pool().query<{ at: number }>(statement, [name])).rows[0]?.at;

  return {
    async openQueue(name) {
      const queue = new Postgres.Queue(name, {
        connection: pool() as PgPool,
        defaultJobOptions: JOB_OPTIONS,
        ...traced,
      });
      return openedQueue(queue, 'PostgreSQL', onError);
    },
    createWorker(name, process, settings) {
      const connection = {
        connectionString: url,
        application_name: `custos-worker-${name}`,
        connectionTimeoutMillis: WORKER_CONNECT_TIMEOUT_MS,
        query_timeout: WORKER_QUERY_TIMEOUT_MS,
        keepAlive: true,
      };
      const sized = (max: number) => ({ ...connection, max, Client: boundedClient(max) });
      const options = { ...settings, ...traced };
      if (serverAddresses(url).length === 1) {
        const own = { ...options, connection: sized(WORKER_CONNECTIONS) };
        return wrapWorker(new Postgres.Worker(name, process, own), onError);
      }
      // BullMQ makes the client for LISTEN itself, which knows one server only, unless it gets a pool.
      const shared = new pg.Pool({ ...sized(WORKER_CONNECTIONS + 1), options: SEARCH_PATH });
      const worker = new Postgres.Worker(name, process, { ...options, connection: shared as PgPool });
      worker.once('closed', () => void shared.end().catch(onError));
      return wrapWorker(worker, onError);
    },
    // On PostgreSQL BullMQ lists waiting jobs from the newest, so the oldest one would need a long scan.
    nextDatedMs: (name) => first(NEXT, name),
    nextDelayedMs: (name) => first(NEXT_DELAYED, name),
    connections: () => producers && poolUse(producers),
    close: async () => producers?.end(),
  };
}
