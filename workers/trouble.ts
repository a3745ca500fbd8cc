// Trouble that comes in floods (a store that is away, reported by every connection at once), told a few times.
import type { Logger } from '../shared/platform/observe/logger.ts';

const QUIET_MS = 10_000;
/** Different messages that are remembered. */
const REMEMBERED = 100;

/** For `onError`: logs an error, and then the same message not again for ten seconds, but how often it came. */
export function reportTrouble(logger: Logger, text: string, monotonicMs: () => number): (error: unknown) => void {
  const told = new Map<string, { atMs: number; times: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const now = monotonicMs();
    const last = told.get(message);
    if (last !== undefined && now - last.atMs < QUIET_MS) {
      last.times += 1;
      return;
    }
    if (told.size >= REMEMBERED) told.clear();
    told.set(message, { atMs: now, times: 0 });
    logger.warn({ err: error, ...(last !== undefined && last.times > 0 ? { repeated: last.times } : {}) }, text);
  };
}
