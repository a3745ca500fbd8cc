// Mocha's reporter for `npm test`: the spec reporter, followed by the reasons of skipped suites, the duration and processor time
// of each file, the number of repeated time measurements, one line for each failure, and one line with the totals.
import path from 'node:path';
import Mocha from 'mocha';
import { troubleSince } from './client.ts';
import { processorMs } from './process-tree.ts';
import { skippedSuites } from './skip.ts';
import { measuredAgain } from './undisturbed.ts';

/**
 * How long the process may take to exit after the last test; anything that keeps it alive longer is a leak. Less than the
 * 10 s after which a pool that was not closed drops its idle connections.
 */
const END_TIMEOUT_MS = 9_000;

/** Stands for a file in the table of durations: reading all test files before the first test, and cleaning up after the last. */
const LOADING = 'loading and cleaning up';

export default class CustosReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const unexplained = new Set<string>();
    const failed: string[] = [];
    let startedMs = 0;
    const tookMs = new Map<string, number>();
    const usedMs = new Map<string, number>();
    let measured = { name: LOADING, untilMs: 0 };
    /** Adds the processor time since the last call to the file of that call. */
    const measure = (name: string): void => {
      const untilMs = processorMs(process.pid) ?? 0;
      // The sum falls when processes end whose parent was killed before: nobody waits for them.
      const addedMs = Math.max(0, untilMs - measured.untilMs);
      usedMs.set(measured.name, (usedMs.get(measured.name) ?? 0) + addedMs);
      measured = { name, untilMs };
    };
    const count = ({ file, duration }: Mocha.Runnable): void => {
      if (file === undefined || duration === undefined) return;
      const name = path.relative(process.cwd(), file);
      tookMs.set(name, (tookMs.get(name) ?? 0) + duration);
    };
    runner.on('suite', ({ file }) => {
      const name = file === undefined ? measured.name : path.relative(process.cwd(), file);
      if (name !== measured.name) measure(name);
    });
    runner.on('hook end', count);
    runner.on('test end', count);
    runner.on('hook', () => (startedMs = Date.now()));
    runner.on('test', () => (startedMs = Date.now()));
    runner.on('fail', (test, error: unknown) => {
      const trouble = troubleSince(startedMs);
      const because = trouble === undefined ? '' : ` (${trouble})`;
      failed.push(`${test.titlePath().join(' › ')}: ${String(error).split('\n', 1)[0]}${because}`);
    });
    runner.on('pending', (test) => {
      const titles = test.titlePath();
      if (!titles.some((title) => skippedSuites().has(title))) unexplained.add(titles.join(' › '));
    });
    runner.once('end', () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats as Partial<Mocha.Stats>;
      for (const [title, reason] of skippedSuites()) console.log(`skipped: ${title}: ${reason}`);
      for (const title of unexplained) console.log(`skipped: ${title}: no reason is given`);
      measure(LOADING);
      for (const [file, ms] of usedMs)
        console.log(`took: ${Math.round(tookMs.get(file) ?? 0)} ms, ${ms} ms of processor time: ${file}`);
      if (measuredAgain() > 0) console.log(`measured again: ${measuredAgain()}`);
      for (const line of failed) console.log(`failed: ${line}`);
      let leaks = 0;
      // Printed last, because the final line of the run must be this one.
      process.once('exit', () => {
        console.log(`${passes} passed, ${failures + leaks} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
      });
      setTimeout(() => {
        leaks = 1;
        console.log(
          `failed: the run does not end: something was left open (${process.getActiveResourcesInfo().join(', ')})`,
        );
        // Mocha sets the exit code in its own exit listener, which runs before this one.
        process.once('exit', () => {
          process.exitCode = 1;
        });
        process.exit(1);
      }, END_TIMEOUT_MS).unref();
    });
  }
}
