// `npm test`: prepares a database whose files the tests copy, runs every test file, then prints the files that compute most, the
// number of repeated time measurements, the failures, and one line with the totals. The folder of a test decides when it runs:
// 1. Seven mocha processes in parallel, because many tests wait as much as they compute: two that share the files of `service`; three
//    that share those of `process` and `fault`, which wait most and take longest; and two for `unit`, which only computes, at a lower
//    priority: it must be the last to end, because it is what uses the processors while others wait.
// 2. Three processes that share the files of `timed`: these tests expect an effect within a second or two, and mostly wait. They leave
//    more than half of two processors idle, which `unit` uses: the others have left it little until then.
// 3. `measured`, one file at a time and nothing beside it: these tests limit processor time.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRoot } from '../shared/platform/config/root.ts';
import { cleanUp } from './support/cleanup.ts';
import { prepareServer } from './support/database.ts';
import { folderOfRun, PREPARED } from './support/folders.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface RunResult extends Counts {
  /** One line for each failure. */
  readonly failures: readonly string[];
}

interface RunOptions {
  /** Prints the output as it arrives. Otherwise all of it is printed when the process has ended. */
  readonly isLive?: boolean;
  /** Runs with a lower priority than the other processes. */
  readonly isLowPriority?: boolean;
  /** With V8's own settings, as in production: for tests of durations. */
  readonly isMeasured?: boolean;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOCHA = path.join(path.dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'bin', 'mocha.js');
const REPORTER = path.join(HERE, 'support', 'reporter.js');
/**
 * Fewer collections of new objects, and a compiler that optimises only functions that run for long: both together save a tenth
 * of the processor time of the unit tests.
 */
const V8_OPTIONS = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--interrupt-budget=500000'];
/** Lines of the reporter whose numbers are summed over all processes. */
const TOOK = /^took: (\d+) ms, (\d+) ms of processor time: (.+)$/;
const MEASURED_AGAIN = /^measured again: (\d+)$/;
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
const MOST_SHOWN = 15;
const running = new Set<ChildProcess>();
const measured = new Map<string, { tookMs: number; processorMs: number }>();
let measuredAgain = 0;

/** Runs the files in one mocha process. */
function run(title: string, files: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const startedMs = performance.now();
  const v8Options = options.isMeasured === true ? [] : V8_OPTIONS;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...v8Options, MOCHA, '--reporter', REPORTER, ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    if (options.isLowPriority === true && child.pid !== undefined)
      os.setPriority(child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
    let summary: Counts | undefined;
    const failures: string[] = [];
    let held = '';
    let unfinished = '';
    const print = (text: string): void => {
      if (options.isLive === true) process.stdout.write(text);
      else held += text;
    };
    const take = (line: string): void => {
      const took = TOOK.exec(line);
      if (took?.[3] !== undefined) {
        const known = measured.get(took[3]) ?? { tookMs: 0, processorMs: 0 };
        measured.set(took[3], {
          tookMs: known.tookMs + Number(took[1]),
          processorMs: known.processorMs + Number(took[2]),
        });
        return;
      }
      const again = MEASURED_AGAIN.exec(line);
      if (again !== null) {
        measuredAgain += Number(again[1]);
        return;
      }
      if (line.startsWith('failed: ')) failures.push(`${title}: ${line.slice('failed: '.length)}`);
      const match = SUMMARY.exec(line);
      // The totals are printed once, summed over all processes.
      if (match === null) return print(`${line}\n`);
      summary = { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (unfinished + chunk).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      take(unfinished);
      if (summary === undefined) failures.push(`${title}: ended (${signal ?? code}) without its numbers`);
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      process.stdout.write(`${held}\n${title}: ${files.length} files in ${seconds} s\n`);
      const { passed, failed, skipped } = summary ?? { passed: 0, failed: 0, skipped: 0 };
      // A process that ended early or with an exit code has failed, whatever its totals are.
      const isComplete = code === 0 && summary !== undefined;
      if (!isComplete && failures.length === 0) failures.push(`${title}: ended (${signal ?? code})`);
      resolve({ passed, failed: isComplete ? failed : Math.max(failed, 1), skipped, failures });
    });
  });
}

for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    for (const child of running) child.kill(name);
    process.exitCode = 1;
  });

// The compiler does not delete the output of moved or deleted sources, so only files that still have a source are run.
const SOURCES = path.join(findRoot(), 'test');
const names = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js') && existsSync(path.join(SOURCES, name.replace(/js$/, 'ts'))))
  .map((name) => name.split(path.sep).join('/'))
  .sort();
const FOLDERS = ['service/', 'process/', 'unit/', 'fault/', 'timed/', 'measured/'];
const unscheduled = names.filter((name) => !FOLDERS.some((folder) => name.startsWith(folder)));
if (unscheduled.length > 0) throw new Error(`in no folder of the schedule: ${unscheduled.join(', ')}`);
/** The test files below these folders of `test/`. */
const filesIn = (...folders: string[]): string[] =>
  names.filter((name) => folders.some((folder) => name.startsWith(folder))).map((name) => path.join(HERE, name));

/** Runs the files in several processes: each takes every n-th file, so that all take about as long. */
const inParts = (parts: number, title: string, files: readonly string[], options?: RunOptions): Promise<RunResult>[] =>
  Array.from({ length: parts }, (_, part) =>
    run(
      `${title}, ${part + 1} of ${parts}`,
      files.filter((_, i) => i % parts === part),
      options,
    ),
  );

// The processes inherit the variable that names it.
folderOfRun();
const prepared = await prepareServer();
if (prepared !== undefined) process.env[PREPARED] = prepared;
const unit = inParts(2, 'unit', filesIn('unit/'), { isLowPriority: true });
const results = await Promise.all([
  ...inParts(2, 'service', filesIn('service/')),
  ...inParts(3, 'process and fault', filesIn('process/', 'fault/')),
]);
const isInterrupted = (): boolean => process.exitCode !== undefined;
if (!isInterrupted())
  results.push(...(await Promise.all(inParts(3, 'timed', filesIn('timed/'), { isMeasured: true }))));
results.push(...(await Promise.all(unit)));
for (const file of filesIn('measured/'))
  if (!isInterrupted()) results.push(await run(path.relative(HERE, file), [file], { isLive: true, isMeasured: true }));

await cleanUp();

console.log('\nprocessor time  duration  of the files that compute most');
const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const most = [...measured].sort(([, a], [, b]) => b.processorMs - a.processorMs).slice(0, MOST_SHOWN);
for (const [file, { processorMs, tookMs }] of most)
  console.log(`${inSeconds(processorMs).padStart(14)}  ${inSeconds(tookMs).padStart(8)}  ${file}`);
const processorMs = [...measured.values()].reduce((sum, file) => sum + file.processorMs, 0);
console.log(
  `all files in ${Math.round(performance.now() / 1_000)} s, with ${inSeconds(processorMs)} of processor time`,
);
console.log(`times measured again because of other work on the machine: ${measuredAgain}`);
const total = (name: keyof Counts): number => results.reduce((sum, result) => sum + result[name], 0);
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
for (const line of results.flatMap((result) => result.failures)) console.log(`failed: ${line}`);
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
process.exitCode = total('failed') === 0 && total('passed') > 0 ? (process.exitCode ?? 0) : 1;
