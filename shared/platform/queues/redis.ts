// Queues in Redis: one client for all producers, one for all consumers, and a blocking one for each worker.
import { Queue, type Telemetry, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { type Backend, JOB_OPTIONS, openedQueue, STORE_TIMEOUT_MS, within, wrapWorker } from './backend.ts';
import type { RedisStore } from './installation.ts';

const CONNECT_TIMEOUT_MS = 1_500;
/** Attempts to read a waiting job while workers empty the queue. */
const READ_ATTEMPTS = 3;

const retryStrategy = (times: number): number => Math.min(times * 100, 1_000);

/** A producer fails instead of waiting while Redis is away: the client queues, resends and repeats nothing. */
const PRODUCER: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: STORE_TIMEOUT_MS,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy,
};

/** A consumer waits without a limit; BullMQ refuses any other value. */
const CONSUMER: RedisOptions = { maxRetriesPerRequest: null, connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy };

/**
 * @param onError called with every error of a client, queue or worker
 * @param telemetry makes a span of each run of a job
 */
export function createRedisBackend(
  { url, prefix }: RedisStore,
  onError: (error: unknown) => void,
  telemetry?: Telemetry,
): Backend {
  const common = { prefix, ...(telemetry === undefined ? {} : { telemetry }) };

  let producer: Redis | undefined;
  let consumer: Redis | undefined;

  const client = (options: RedisOptions): Redis => {
    // ioredis would read its version from its package's folder, which is not beside the bundle.
    const made = new Redis(url, { disableClientInfo: true, ...options });
    made.on('error', onError);
    return made;
  };

  /** The producers' client, connected. BullMQ's first command on an unconnected client would never be answered. */
  const ready = async (): Promise<Redis> => {
    producer ??= client(PRODUCER);
    const { status } = producer;
    if (status === 'wait') await producer.connect();
    else if (status !== 'ready') await readyAgain(producer);
    return producer;
  };

  return {
    async openQueue(name) {
      const connection = await within(ready(), STORE_TIMEOUT_MS, 'connecting to Redis');
      // For each queue, its check would print the eviction policy as plain text; `evictionProblem` reports it once.
      const queue = new Queue(name, { connection, defaultJobOptions: JOB_OPTIONS, skipVersionCheck: true, ...common });
      return openedQueue(queue, 'Redis', onError);
    },
    createWorker(name, process, settings) {
      consumer ??= client(CONSUMER);
      const worker = new Worker(name, process, { ...settings, ...common, connection: consumer });
      return wrapWorker(worker, onError);
    },
    async nextDatedMs(_name, queue) {
      // It reads several, because a worker may take and remove a job between listing and reading it.
      for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
        const [next] = await queue.getJobs(['waiting'], 0, 9, true);
        if (next !== undefined) return next.timestamp;
        if (((await queue.getJobCounts('waiting'))['waiting'] ?? 0) === 0) return undefined;
      }
      throw new Error('the waiting jobs change too fast to read one');
    },
    async nextDelayedMs(_name, queue) {
      // Sorted by the time at which they are due. A worker may have taken it since it was listed.
      const [next] = await queue.getJobs(['delayed'], 0, 0, true);
      return next === undefined ? undefined : next.timestamp + next.delay;
    },
    connections: () => undefined,
    async close() {
      producer?.disconnect();
      consumer?.disconnect();
    },
  };
}

/** Resolves when the client, which reconnects by itself, is connected. */
function readyAgain(client: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners = { ready: () => settle(resolve), end: () => settle(() => reject(new Error('Redis is closed'))) };
    // Fails at once instead of after the time-out.
    const failed = (error: Error): void => settle(() => reject(error));
    const settle = (then: () => void): void => {
      client.off('ready', listeners.ready).off('end', listeners.end).off('error', failed);
      then();
    };
    client.on('ready', listeners.ready).on('end', listeners.end).on('error', failed);
  });
}

/**
 * The problem of a Redis that may evict keys, because its queues would lose jobs silently. Undefined: there is none.
 * @throws when Redis does not answer within about two seconds.
 */
export async function evictionProblem(redisUrl: string): Promise<string | undefined> {
  const client = new Redis(redisUrl, { ...PRODUCER, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await within(client.connect(), STORE_TIMEOUT_MS, 'connecting to Redis');
    // INFO, because hosted Redis services forbid CONFIG GET.
    const policy = /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1];
    if (policy === undefined || policy === 'noeviction') return undefined;
    return `Redis drops keys when its memory is full (maxmemory-policy ${policy}), and jobs with them: set maxmemory-policy noeviction`;
  } finally {
    client.disconnect();
  }
}
