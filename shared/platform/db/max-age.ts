// What is cached of few rows is read again now and then, though the change feed said nothing: its triggers may be off.
import type { ChangeFeed, ChangeListener } from './changes.ts';

/** The least and the most time after which everything is read again. */
const MAX_AGE_MS = { least: 120_000, most: 240_000 };

export interface AgedFeed extends Pick<ChangeFeed, 'subscribe'> {
  close(): void;
}

/**
 * The feed, whose listeners also hear `reset` every few minutes.
 * @param spread 0 to 1, another in each process: they need not all read at once
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
