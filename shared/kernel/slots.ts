// Bounds how many of something are under way at once; the others wait in order, until their deadline.

export type Take = (signal: AbortSignal) => Promise<boolean>;

/** @returns `take`, which resolves to whether a place became free before the deadline, and `release` for a place that was taken */
export function createSlots(max: number): { readonly take: Take; readonly release: () => void } {
  let taken = 0;
  const waiting = new Set<() => void>();
  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (taken < max) {
        taken += 1;
        return Promise.resolve(true);
      }
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
        waiting.add(give);
      });
    },
    release() {
      const [next] = waiting;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      // The place passes to the next one.
      waiting.delete(next);
      next();
    },
  };
}
