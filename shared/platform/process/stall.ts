// Tells a process whose main thread hangs from one that is only slow. Pure.

/**
 * A turn of the event loop that has used this much processor time counts as an endless computation. Compiling a set of 10,000
 * policies, the longest one known, takes 1.4 s.
 */
const HUNG_CPU_MS = 3_000;
/**
 * A turn that takes this long counts as hung, however little processor time it used: the thread waits for something, such as a
 * file system that does not answer. On a machine with 40 busy processes for 2 cores, turns of 9 s were measured.
 */
const HUNG_MS = 60_000;

export interface StallSample {
  /** Counts turns of the main thread's event loop. */
  readonly turns: number;
  /** Monotonic time. */
  readonly atMs: number;
  /** Processor time of the main thread. */
  readonly cpuMs: number;
}

/** @returns a function that takes successive samples and returns for how many milliseconds the main thread has hung; 0: it does not */
export function createStallWatch(): (sample: StallSample) => number {
  let last: StallSample | undefined;
  return (sample) => {
    if (last === undefined || sample.turns !== last.turns) last = sample;
    const stalledMs = sample.atMs - last.atMs;
    return stalledMs >= HUNG_MS || sample.cpuMs - last.cpuMs >= HUNG_CPU_MS ? Math.max(stalledMs, HUNG_CPU_MS) : 0;
  };
}
