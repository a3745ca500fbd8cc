// Counts what functions execute. Unlike time it is the same on every machine, however busy that is.
import { Session } from 'node:inspector/promises';

export interface WorkCounter {
  /** How often each block of code was entered while a function ran, all together: calls, branches and rounds of loops. */
  workOf(run: () => void): Promise<number>;
  stop(): void;
}

/** Starts to count. That slows all code down until it is stopped. */
export async function startCounting(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const counted = async (): Promise<number> => {
    // What was counted since the last time.
    const { result } = await session.post('Profiler.takePreciseCoverage');
    let sum = 0;
    for (const { url, functions } of result)
      if (url.startsWith('file:')) for (const { ranges } of functions) for (const { count } of ranges) sum += count;
    return sum;
  };
  return {
    async workOf(run) {
      await counted();
      run();
      return counted();
    },
    stop: () => session.disconnect(),
  };
}
