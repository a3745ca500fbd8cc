// Queues in BullMQ's own tables of the same PostgreSQL (schema bullmq, made by `migrate`).
import { createPostgresBackend as bullPostgres, type PgPool, type Telemetry, withBackend } from 'bullmq';
import pg from 'pg';
import { boundedClient } from '../db/sessions.ts';
import { abandonWorker, type Backend, JOB_OPTIONS, pauseOnTransientErrors, STORE_TIMEOUT_MS, within } from './backend.ts';

const CONNECT_TIMEOUT_MS = 900;
/** Queries of one worker: taking and finishing jobs, locks, stalled jobs. Its LISTEN has a connection of its own. */
const WORKER_CONNECTIONS = 2;
/** A worker's query may take long on a busy machine, but not for ever on a connection that is gone. */
const WORKER_QUERY_TIMEOUT_MS = 15_000;

/** In the order in which BullMQ takes them (its index job_ready_idx). */
const NEXT = `SELECT added_at_ms::float8 AS dated FROM job WHERE queue = $1 AND state = 'waiting' ORDER BY priority, seq LIMIT 1`;

const Postgres = withBackend(bullPostgres);

/**
 * @param connections most connections of all producers of the process together
 * @param onError hears of every error of every pool, queue and worker
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
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STORE_TIMEOUT_MS,
      keepAlive: true,
      // BullMQ's statements name no schema; with a pool of its own making it would do this itself.
      options: '-c search_path=bullmq',
    });
    producers.on('error', onError);
    return producers;
  };

  return {
    async openQueue(name) {
      const queue = new Postgres.Queue(name, {
        connection: pool() as PgPool,
        defaultJobOptions: JOB_OPTIONS,
        ...traced,
      });
      queue.on('error', onError);
      try {
        await within(queue.waitUntilReady(), STORE_TIMEOUT_MS, 'the first answer of PostgreSQL');
      } catch (error) {
        // It remembers that it could not begin, for ever.
        queue.close().catch(onError);
        throw error;
      }
      return queue;
    },
    createWorker(name, process, settings) {
      const connection = {
        connectionString: url,
        application_name: `custos-worker-${name}`,
        max: WORKER_CONNECTIONS,
        Client: boundedClient(WORKER_CONNECTIONS),
        connectionTimeoutMillis: 2 * CONNECT_TIMEOUT_MS,
        query_timeout: WORKER_QUERY_TIMEOUT_MS,
        keepAlive: true,
      };
      const worker = new Postgres.Worker(name, process, { ...settings, ...traced, connection });
      worker.on('error', onError);
      pauseOnTransientErrors(worker, onError);
      return Object.assign(worker, {
        onFailed: (listener: Parameters<typeof worker.on<'failed'>>[1]) => void worker.on('failed', listener),
        abandon: () => abandonWorker(worker, onError),
      });
    },
    async nextDatedMs(name) {
      // BullMQ's own list of waiting jobs begins with the newest here, and counting to the other end takes long.
      const { rows } = await pool().query<{ dated: number }>(NEXT, [name]);
      return rows[0]?.dated;
    },
    close: async () => producers?.end(),
  };
}
