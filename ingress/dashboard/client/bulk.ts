// Runs one request for each of many things, a few at a time, and reports each result. Pure but for the given functions.
import type { Problem } from './api.ts';

/** Requests at once: more would only wait for each other in the service. */
const AT_ONCE = 4;
/** How often a request is repeated that the rate limit refused. */
const MAX_WAITS = 10;

export interface BulkDeps<Thing> {
  readonly work: (thing: Thing) => Promise<unknown>;
  /** Called once for each thing, in the order of the answers; without a problem it is done. */
  readonly onEnd: (thing: Thing, problem: Problem | undefined) => void;
  /** Every error of `work` as a problem. */
  readonly asProblem: (error: unknown) => Problem;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Resolves when every thing has a result; errors never stop the others. @returns the number that succeeded */
export async function runEach<Thing>(things: readonly Thing[], deps: BulkDeps<Thing>): Promise<number> {
  const queue = [...things];
  let done = 0;
  const one = async (thing: Thing): Promise<void> => {
    for (let waits = 0; ; waits += 1) {
      try {
        await deps.work(thing);
        done += 1;
        return deps.onEnd(thing, undefined);
      } catch (error) {
        const problem = deps.asProblem(error);
        if (problem.status !== 429 || waits >= MAX_WAITS) return deps.onEnd(thing, problem);
        await deps.sleep(1_000 * (problem.retryAfter ?? 1));
      }
    }
  };
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await one(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return done;
}
