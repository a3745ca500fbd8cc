// Caches values that many pages read at once, for the longer the more they cost to compute.
import { BoundedCache } from '../../../shared/kernel/bounded-cache.ts';

/** Tenants whose values are cached. */
const MAX_ENTRIES = 200;
/** A costly value is cached for this many times its computation time, so at most 5 % of the time is spent on it. */
const TIMES_ITS_COST = 20;

interface Entry<T> {
  readonly value: T;
  readonly untilMs: number;
}

/**
 * A function whose values are cached by key for `ttlMs`. Concurrent calls share one computation (coalescing); errors are not
 * cached. A `costly` value is cached for longer, and the old value is returned while a new one is computed.
 */
export function memoize<A, T>(options: {
  readonly keyOf: (argument: A) => string;
  readonly load: (argument: A) => Promise<T>;
  readonly ttlMs: number;
  readonly monotonicMs: () => number;
  readonly costly?: boolean;
}): (argument: A) => Promise<T> {
  const { keyOf, load, ttlMs, monotonicMs, costly = false } = options;
  const known = new BoundedCache<Entry<T>>({ max: MAX_ENTRIES });
  const loading = new Map<string, Promise<T>>();

  const start = (key: string, argument: A): Promise<T> => {
    const startedMs = monotonicMs();
    const promise = load(argument)
      .then((value) => {
        const tookMs = monotonicMs() - startedMs;
        known.set(key, { value, untilMs: startedMs + Math.max(ttlMs, costly ? TIMES_ITS_COST * tookMs : 0) });
        return value;
      })
      .finally(() => loading.delete(key));
    loading.set(key, promise);
    return promise;
  };

  return async (argument) => {
    const key = keyOf(argument);
    const entry = known.get(key);
    if (entry !== undefined && monotonicMs() < entry.untilMs) return entry.value;
    const next = loading.get(key) ?? start(key, argument);
    if (!costly || entry === undefined) return next;
    // After an error the next call computes again and throws.
    next.catch(() => known.delete(key));
    return entry.value;
  };
}
