// How long ago something was, by both clocks of this machine. The monotonic clock may stand still while the machine sleeps; the wall clock
// may be set. Whichever says more counts, so that a sleep is noticed and a clock that jumps only makes something look old.

export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export interface Moments {
  now(): Moment;
  /** Whether the moment is longer ago than this by either clock. A wall clock that was set back says nothing: that counts as long ago. */
  isOlder(moment: Moment, ms: number): boolean;
}

export function createMoments(monotonicMs: () => number, wallMs: () => number = Date.now): Moments {
  return {
    now: () => ({ monotonicMs: monotonicMs(), wallMs: wallMs() }),
    isOlder(moment, ms) {
      const byWallMs = wallMs() - moment.wallMs;
      return byWallMs < 0 || byWallMs > ms || monotonicMs() - moment.monotonicMs > ms;
    },
  };
}
