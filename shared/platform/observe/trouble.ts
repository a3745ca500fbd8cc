// Rate-limits log lines of repeated errors, such as those of all connections to a store that is away.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Logger } from './logger.ts';

const QUIET_MS = 10_000;
/** Most different messages that are remembered. */
const REMEMBERED = 100;

/** For `onError`: logs each message at most once in ten seconds, with the number of repetitions since. */
export function reportTrouble(logger: Logger, text: string, monotonicMs: () => number): (error: unknown) => void {
  const logged = new BoundedCache<{ atMs: number; times: number }>({ max: REMEMBERED });
  return (error) => {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const now = monotonicMs();
    const last = logged.get(message);
    if (last !== undefined && now - last.atMs < QUIET_MS) {
      last.times += 1;
      return;
    }
    logged.set(message, { atMs: now, times: 0 });
    logger.warn({ err: error, ...(last !== undefined && last.times > 0 ? { repeated: last.times } : {}) }, text);
  };
}
