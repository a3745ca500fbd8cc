// Limits the age of caches of few rows: they are read again periodically even without a change, because the feed's
// triggers may be switched off.
import type { ChangeFeed, ChangeListener } from './changes.ts';

/** The range of the maximum age. */
const MAX_AGE_MS = { least: 120_000, most: 240_000 };

export interface AgedFeed extends Pick<ChangeFeed, 'subscribe'> {
  close(): void;
}

/**
 * The feed, with a `reset` every few minutes.
 * @param spread 0 to 1, different in each process, so that they don't all read at once
 */
export function withMaxAge(
  changes: Pick<ChangeFeed, 'subscribe'>,
  spread: number,
  { least, most } = MAX_AGE_MS,
): AgedFeed {
  const listeners: ChangeListener[] = [];
  const timer = setInterval(
    () => {
      for (const listener of listeners) listener('reset');
    },
    least + spread * (most - least),
  );
  timer.unref();
  return {
    subscribe(listener) {
      changes.subscribe(listener);
      listeners.push(listener);
    },
    close: () => clearInterval(timer),
  };
}
