// Bounds how many of something are under way at once, fairly over owners (shares.ts); the others wait in order, until their deadline.
import { createShares } from './shares.ts';

export interface Slots {
  /** @returns whether a place became free for this owner before the deadline; then it is given back with `release` */
  take(owner: string, signal: AbortSignal): Promise<boolean>;
  release(owner: string): void;
}

export function createSlots(total: number): Slots {
  const shares = createShares(total);
  /** Those that wait, with their owners. */
  const waiting = new Map<() => void, string>();
  return {
    take(owner, signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (shares.take(owner)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const give = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        };
        const leave = (): void => {
          waiting.delete(give);
          resolve(false);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.set(give, owner);
      });
    },
    release(owner) {
      shares.giveBack(owner);
      for (const [give, next] of waiting) {
        if (!shares.take(next)) continue;
        waiting.delete(give);
        give();
      }
    },
  };
}
