// Queues on BullMQ behind one factory: on Redis when there is one, else on BullMQ's own tables in the same PostgreSQL.
import { createPostgresBackend, type Job, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { JobName, JobPayload, QueueName } from './jobs.ts';

export interface QueueOptions {
  readonly databaseUrl: string;
  /** With it queues live in Redis. */
  readonly redisUrl?: string | undefined;
  /** Every queue, worker and client reports here; an `error` event without a listener would end the process. */
  readonly onError: (error: unknown) => void;
}

export interface Scheduler {
  /** Makes sure that a job is made every so often, once for the whole installation. Repeating it changes nothing. */
  every<Q extends QueueName, N extends JobName<Q>>(
    queue: Q,
    name: N,
    everyMs: number,
    payload: JobPayload<Q, N>,
  ): Promise<void>;
}

export type Handlers<Q extends QueueName> = {
  readonly [N in JobName<Q>]: (payload: JobPayload<Q, N>) => Promise<void>;
};

export interface Queues extends Scheduler {
  /** Takes jobs of a queue, one after the other. */
  work<Q extends QueueName>(queue: Q, handlers: Handlers<Q>): void;
  /** Takes no new job, waits for the running ones, and closes every connection. */
  close(): Promise<void>;
}

/** A crash is no attempt for BullMQ; without this a job that ends the process would be started for ever. */
const MAX_STARTED_ATTEMPTS = 5;
/** How long a worker rests after its store failed. BullMQ's own 15 s would also be how long it takes to stop. */
const RETRY_MS = 1_000;
/** Queries and, apart from them, one LISTEN connection of each worker. */
const POSTGRES_CONNECTIONS = 2;
const COMMAND_TIMEOUT_MS = 2_000;
const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: 100,
  removeOnFail: 1_000,
} as const;

/** What is used of a queue and of a worker, whichever backend they have. */
type BullQueue = Pick<Queue, 'upsertJobScheduler' | 'close'>;
type BullWorker = Pick<Worker, 'close'>;

const Postgres = withBackend(createPostgresBackend);

/** Connects when first used. */
export function createQueues({ databaseUrl, redisUrl, onError }: QueueOptions): Queues {
  const queues = new Map<QueueName, Promise<BullQueue>>();
  const workers: BullWorker[] = [];
  const postgres = { connectionString: databaseUrl, max: POSTGRES_CONNECTIONS };
  const clients: Redis[] = [];

  const redis = (url: string, options: object): Redis => {
    const client = new Redis(url, options);
    client.on('error', onError);
    clients.push(client);
    return client;
  };

  const open = async (name: QueueName): Promise<BullQueue> => {
    if (redisUrl === undefined) {
      const queue = new Postgres.Queue(name, { connection: postgres, defaultJobOptions: JOB_OPTIONS });
      queue.on('error', onError);
      return queue;
    }
    // A producer must fail rather than wait while Redis is away, and be connected before BullMQ asks it anything.
    const client = redis(redisUrl, {
      enableOfflineQueue: false,
      commandTimeout: COMMAND_TIMEOUT_MS,
      lazyConnect: true,
    });
    await client.connect();
    const queue = new Queue(name, { connection: client, defaultJobOptions: JOB_OPTIONS });
    queue.on('error', onError);
    return queue;
  };

  const queueOf = (name: QueueName): Promise<BullQueue> => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const opening = open(name);
    queues.set(name, opening);
    opening.catch(() => queues.delete(name));
    return opening;
  };

  return {
    async every(queue, name, everyMs, payload) {
      const opened = await queueOf(queue);
      await opened.upsertJobScheduler(name, { every: everyMs }, { name, data: payload });
    },
    work(queue, handlers) {
      const process = async (job: Job): Promise<void> => {
        const handler = (handlers as Record<string, ((payload: never) => Promise<void>) | undefined>)[job.name];
        if (handler === undefined) throw new Error(`no handler for the job ${job.name} of queue ${queue}`);
        await handler(job.data as never);
      };
      const options = { concurrency: 1, maxStartedAttempts: MAX_STARTED_ATTEMPTS, runRetryDelay: RETRY_MS };
      const worker =
        redisUrl === undefined
          ? new Postgres.Worker(queue, process, { ...options, connection: postgres })
          : new Worker(queue, process, { ...options, connection: redis(redisUrl, { maxRetriesPerRequest: null }) });
      worker.on('error', onError);
      worker.on('failed', (_job, error) => onError(error));
      workers.push(worker);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      const opened = await Promise.allSettled(queues.values());
      await Promise.all(opened.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
      for (const client of clients) client.disconnect();
    },
  };
}
