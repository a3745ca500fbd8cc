// What the run must undo when its last test has ended, the latest first.
import { after } from 'mocha';

const works: (() => void | Promise<void>)[] = [];

/** Has `work` done after the last test of the whole run; an error of it fails the run. */
export function atEnd(work: () => void | Promise<void>): void {
  works.push(work);
}

// At the top of a file mocha's hooks belong to the whole run: this one comes after the last test.
after(async function cleanUp() {
  this.timeout(120_000);
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
});
