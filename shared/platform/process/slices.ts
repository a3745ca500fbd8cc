// Runs long computations without keeping the process from answering.
import { setImmediate as others } from 'node:timers/promises';
import type { Sliced } from '../../kernel/slices.ts';

/** How long one slice may keep the event loop, in milliseconds. */
const SLICE_MS = 5;

/** The last turn that was asked for. One event loop, one queue: of several computations only one has a slice in each turn. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Ends after the other work of the process has had a turn, and the computations that asked before have had theirs. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => others());
  return lastTurn;
}

export interface SliceOptions {
  readonly monotonicMs?: () => number;
}

/** Made where a computation begins, and called between its parts: waits for a turn when the slice is over. */
export function createPause({ monotonicMs = () => performance.now() }: SliceOptions = {}): () => Promise<void> {
  let endMs = monotonicMs() + SLICE_MS;
  return async () => {
    if (monotonicMs() < endMs) return;
    await ownTurn();
    endMs = monotonicMs() + SLICE_MS;
  };
}

/** Computes in slices of about five milliseconds; the process does its other work between them. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const endMs = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await ownTurn();
  }
}

/**
 * Starts a task for each item, in slices: the part of a task before its first `await` may take long, such as reading a text. The tasks then
 * run together. Never rejects.
 */
export async function settleInSlices<Item, T>(
  items: readonly Item[],
  start: (item: Item, at: number) => Promise<T>,
  options?: SliceOptions,
): Promise<PromiseSettledResult<T>[]> {
  const pause = createPause(options);
  const started: Promise<PromiseSettledResult<T>>[] = [];
  for (const [at, item] of items.entries()) {
    await pause();
    // Settled at once, because a task may fail while others are being started.
    started.push(Promise.allSettled([start(item, at)]).then(([one]) => one));
  }
  return Promise.all(started);
}

/** The same for tasks of which none may fail. @throws what the first one that failed has thrown */
export async function allInSlices<Item, T>(
  items: readonly Item[],
  start: (item: Item, at: number) => Promise<T>,
  options?: SliceOptions,
): Promise<T[]> {
  const settled = await settleInSlices(items, start, options);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
