// Long computations that can be interrupted: a generator that yields where other work may go on. shared/platform/process/slices.ts runs one
// in slices.

/** A computation that can be interrupted at each `yield`. */
export type Sliced<T> = Generator<void, T, void>;

/** Computes without interruption. */
export function inOneGo<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
