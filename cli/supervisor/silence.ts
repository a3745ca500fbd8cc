// Measures for how long a process has been silent while the supervisor itself was running.

/** A process that is silent for this long is killed and started again. Its pulse comes every second. */
export const SILENT_MS = 10_000;
/** The same for a process that is stopped by a signal. It can not be one that is only slow, so it need not be given time. */
export const STOPPED_MS = 2_000;
export const CHECK_MS = 500;
/**
 * At most this much of the time between two checks counts. When the supervisor was frozen itself, or the machine slept, it
 * checks before it has read the pulses that arrived meanwhile.
 */
const MOST_BETWEEN_CHECKS_MS = 2 * CHECK_MS;

export interface Silence {
  /** Call it for each pulse, and when the process is ready. */
  heard(): void;
  /** Call it regularly, with a monotonic time. @returns the silence in milliseconds; 0 while the process starts */
  check(nowMs: number): number;
  /** The process stops, or has no pulse any more: it is not measured until its next pulse. */
  suspend(): void;
}

export function createSilence(): Silence {
  let silentMs: number | undefined;
  let checkedAtMs: number | undefined;
  return {
    heard: () => (silentMs = 0),
    suspend: () => (silentMs = undefined),
    check(nowMs) {
      const betweenMs = nowMs - (checkedAtMs ?? nowMs);
      checkedAtMs = nowMs;
      if (silentMs === undefined) return 0;
      return (silentMs += Math.min(betweenMs, MOST_BETWEEN_CHECKS_MS));
    },
  };
}
