// Answers that many pages ask for at once: computed once, and the seldomer the more they cost.
import { LRUCache } from 'lru-cache';

/** Tenants whose answers are kept. */
const MAX_ENTRIES = 200;
/** A costly answer is good for this many times the time it took: at most a twentieth of the time is spent on it. */
const TIMES_ITS_COST = 20;

interface Entry<T> {
  readonly value: T;
  readonly untilMs: number;
}

/**
 * A function whose answers are kept for a while by key. Who asks while an answer is being computed gets that one; an
 * error is not kept. A `costly` answer is kept for longer, and while it is computed anew the old one is given.
 */
export function memoize<A, T>(options: {
  readonly keyOf: (argument: A) => string;
  readonly load: (argument: A) => Promise<T>;
  readonly ttlMs: number;
  readonly monotonicMs: () => number;
  readonly costly?: boolean;
}): (argument: A) => Promise<T> {
  const { keyOf, load, ttlMs, monotonicMs, costly = false } = options;
  const known = new LRUCache<string, Entry<T>>({ max: MAX_ENTRIES });
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
    // Whoever asks next hears of its trouble.
    next.catch(() => known.delete(key));
    return entry.value;
  };
}
