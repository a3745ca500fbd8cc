// The Redis client of the rate limits. A service without Redis does not load this file, which saves 100 ms of its start.
import { Redis } from 'ioredis';
import type { RedisStore } from '../../shared/platform/queues/installation.ts';
import { SHARED_PAUSE_MS } from './key-limit.ts';

/** A Redis that answers slower than this counts as away: waiting longer would cost more than the limit saves. */
const REDIS_TIMEOUT_MS = 250;

/** A client for short commands: it queues nothing while Redis is away, and reconnects by itself. */
export function connectLimits({ url, prefix }: RedisStore, onError: (error: unknown) => void): Redis {
  const client = new Redis(url, {
    keyPrefix: `${prefix}:`,
    enableOfflineQueue: false,
    commandTimeout: REDIS_TIMEOUT_MS,
    connectTimeout: SHARED_PAUSE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, SHARED_PAUSE_MS),
    connectionName: 'custos-limits',
    disableClientInfo: true,
  });
  client.on('error', onError);
  return client;
}
