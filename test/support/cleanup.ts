// Cleanup after the last test of the run, in reverse order of registration.
const works: (() => void | Promise<void>)[] = [];

/** Registers `work` to run after the last test of the whole run. If it throws, the run fails. */
export function atEnd(work: () => void | Promise<void>): void {
  works.push(work);
}

/** Does the registered work now. Outside of mocha, whoever registered work calls it. */
export async function cleanUp(): Promise<void> {
  const errors: unknown[] = [];
  for (let work = works.pop(); work !== undefined; work = works.pop()) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
}

// A mocha hook at the top level of a file is a root hook: it runs after the last test of the run.
if (typeof globalThis.after === 'function') globalThis.after(cleanUp);
