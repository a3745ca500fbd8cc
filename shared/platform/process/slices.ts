// Runs a long computation without keeping the process from answering.
import { setImmediate as others } from 'node:timers/promises';
import type { Sliced } from '../../kernel/slices.ts';

/** How long one slice may keep the event loop, in milliseconds. */
const SLICE_MS = 5;

/** Computes in slices of about five milliseconds; the process does its other work between them. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const endMs = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endMs);
    await others();
  }
}
