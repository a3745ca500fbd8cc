// Rate limits of keys by tier: two fixed windows, both must have room; counted across processes by Redis or by their supervisor, else per process.
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { CounterSpec, SharedCounter } from '../../shared/platform/process/shared-counters.ts';
import { RATE_LIMIT_TABLE } from '../../shared/kernel/vocabulary.ts';
import { type AnonymousLimiter, createAnonymousLimiter } from './address-limit.ts';
import type { LimitAnswer, Limiter } from './limit.ts';

/** Seconds of the two windows, and their names in the headers. */
const SECOND = { name: 'second', seconds: 1 } as const;
const MINUTE = { name: 'minute', seconds: 60 } as const;
/** `dev` keys have the highest tier's limits times this. */
const DEV_FACTOR = 10;
/** How long what is shared is not used after it failed, so that a hanging Redis or supervisor delays one request a second and not all. */
export const SHARED_PAUSE_MS = 1_000;

export interface LimitRow {
  readonly tier: number;
  readonly perSecond: number;
  readonly perMinute: number;
}

export interface LimiterOptions {
  /** false (CUSTOS_RATE_LIMIT=off): everything is allowed, and no header is sent. */
  readonly enabled: boolean;
  /** One row for each tier 0..7. Default: the published table. */
  readonly limits?: readonly LimitRow[];
  /** With it (redis-client.ts) the limits hold across processes. The limiter closes it. */
  readonly redis?: Redis | undefined;
  /** Counters that several processes share without Redis. */
  readonly counters?: ((spec: CounterSpec) => SharedCounter) | undefined;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

export interface RateLimiter extends Limiter {
  /** Whether Redis answers; undefined without Redis. Limits count per process while it does not. */
  redisOk(): boolean | undefined;
  close(): Promise<void>;
}

/** Units are not given back to a window that ends sooner than this: they could end up in the next window. */
const GIVE_BACK_MS = 100;

const UNLIMITED: LimitAnswer = { allowed: true, retryAfterSeconds: 0, headers: {} };

/** The two counters of one tier in one store. */
interface Windows {
  readonly second: SharedCounter;
  readonly minute: SharedCounter;
}

interface Class {
  readonly perSecond: number;
  readonly perMinute: number;
  readonly policy: string;
  readonly memory: Windows;
  /** Absent: this process counts alone. */
  readonly shared: Windows | undefined;
}

export function createLimiter(options: LimiterOptions): RateLimiter {
  const { monotonicMs, onError } = options;
  const limits = options.limits ?? RATE_LIMIT_TABLE;
  const anonymous: AnonymousLimiter = createAnonymousLimiter({ monotonicMs });
  const redis = options.enabled ? options.redis : undefined;
  const shared = redis === undefined ? options.counters : countersIn(redis);
  const [top = { perSecond: 1, perMinute: 1 }] = [...limits].sort((a, b) => b.tier - a.tier);
  const classes = new Map<number, Class>(
    limits.map((row) => [row.tier, createClass(String(row.tier), row.perSecond, row.perMinute, shared)]),
  );
  const dev = createClass('dev', top.perSecond * DEV_FACTOR, top.perMinute * DEV_FACTOR, shared);
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  const consumeKey = async (key: AuthenticatedKey, cost: number): Promise<LimitAnswer> => {
    const limit = key.environment === 'dev' ? dev : classes.get(key.tier);
    if (limit === undefined) throw new Error(`there is no rate limit for tier ${key.tier}`);
    // At most the burst: a batch that is larger than the window would otherwise never be allowed.
    const units = Math.min(cost, limit.perSecond, limit.perMinute);
    if (limit.shared !== undefined && monotonicMs() >= pausedUntilMs) {
      try {
        return await take(limit, limit.shared, key.keyId, units);
      } catch (error) {
        pausedUntilMs = monotonicMs() + SHARED_PAUSE_MS;
        onError(error);
      }
    }
    return take(limit, limit.memory, key.keyId, units);
  };

  return {
    consume: (key, cost) => (options.enabled ? consumeKey(key, cost) : UNLIMITED),
    consumeAnonymous: (address) => (options.enabled ? anonymous.consume(address) : UNLIMITED),
    peekAnonymous: (address) => (options.enabled ? anonymous.peek(address) : UNLIMITED),
    redisOk: () => (redis === undefined ? undefined : redis.status === 'ready' && monotonicMs() >= pausedUntilMs),
    async close() {
      options.redis?.disconnect();
    },
  };
}

/**
 * Takes the units from both windows, or from neither: a refused request gives back what it took. In between, another
 * request may find a window fuller than it will be; refusing too early is the safe error.
 */
async function take(limit: Class, windows: Windows, keyId: string, units: number): Promise<LimitAnswer> {
  // In parallel: with Redis that is one round trip.
  const [second, minute] = await Promise.all([
    count(windows.second, keyId, units),
    count(windows.minute, keyId, units),
  ]);
  const allowed = second.allowed && minute.allowed;
  if (!allowed)
    await Promise.all([giveBack(windows.second, second, keyId, units), giveBack(windows.minute, minute, keyId, units)]);
  const left = (window: Counted, most: number): number => Math.max(0, most - window.consumed + (allowed ? 0 : units));
  const wait = Math.max(second.allowed ? 0 : second.resetSeconds, minute.allowed ? 0 : minute.resetSeconds);
  return {
    allowed,
    retryAfterSeconds: allowed ? 0 : Math.max(1, wait),
    headers: {
      'RateLimit-Policy': limit.policy,
      RateLimit: `"${SECOND.name}";r=${left(second, limit.perSecond)};t=${second.resetSeconds}, "${MINUTE.name}";r=${left(minute, limit.perMinute)};t=${minute.resetSeconds}`,
    },
  };
}

interface Counted {
  readonly allowed: boolean;
  readonly consumed: number;
  readonly resetMs: number;
  /** Rounded up: a client that waits this long finds a new window. */
  readonly resetSeconds: number;
}

async function count(window: SharedCounter, keyId: string, units: number): Promise<Counted> {
  try {
    return counted(await window.consume(keyId, units), true);
  } catch (refusal) {
    // The library rejects with the counter when it is full, and with an Error when the store failed.
    if (refusal instanceof RateLimiterRes) return counted(refusal, false);
    throw refusal;
  }
}

function counted(result: RateLimiterRes, allowed: boolean): Counted {
  const resetMs = Math.max(0, result.msBeforeNext);
  return { allowed, consumed: result.consumedPoints, resetMs, resetSeconds: Math.ceil(resetMs / 1_000) };
}

/** Not to a shared window that is about to end: its successor would get units that were never taken from it. */
async function giveBack(window: SharedCounter, result: Counted, keyId: string, units: number): Promise<void> {
  if (result.resetMs > GIVE_BACK_MS || window instanceof RateLimiterMemory) await window.reward(keyId, units);
}

function createClass(name: string, perSecond: number, perMinute: number, shared: MakeCounter | undefined): Class {
  const windows = (make: MakeCounter): Windows => {
    const counter = (points: number, { name: window, seconds }: typeof SECOND | typeof MINUTE): SharedCounter =>
      make({ points, duration: seconds, prefix: `custos:limit:${name}:${window}` });
    return { second: counter(perSecond, SECOND), minute: counter(perMinute, MINUTE) };
  };
  return {
    perSecond,
    perMinute,
    policy: `"${SECOND.name}";q=${perSecond};w=${SECOND.seconds}, "${MINUTE.name}";q=${perMinute};w=${MINUTE.seconds}`,
    memory: windows(({ prefix, ...window }) => new RateLimiterMemory({ keyPrefix: prefix, ...window })),
    shared: shared && windows(shared),
  };
}

type MakeCounter = (spec: CounterSpec) => SharedCounter;

const countersIn =
  (redis: Redis): MakeCounter =>
  ({ prefix, ...window }) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: prefix, ...window, rejectIfRedisNotReady: true });
