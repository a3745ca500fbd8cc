// `npm test`: runs every test file; its folder says when. First three mocha processes side by side, because one alone mostly
// waits: `service/`, `process/`, and `unit/` with `fault/`. Then `timed/`, two files at a time: they expect an effect
// within a second or two. Then `measured/`, one file at a time: they bound processor time. The output ends with the
// slowest files, how often a time was measured again, the failures, and one line of numbers.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRoot } from '../shared/platform/config/root.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Outcome extends Counts {
  /** A line for each thing that failed. */
  readonly failures: readonly string[];
}

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOCHA = path.join(path.dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'bin', 'mocha.js');
const REPORTER = path.join(HERE, 'support', 'reporter.js');
/** Lines of the reporter that this program adds up over all processes. */
const TOOK = /^took: (\d+) ms (.+)$/;
const MEASURED_AGAIN = /^measured again: (\d+)$/;
const SLOWEST_SHOWN = 15;
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
const running = new Set<ChildProcess>();
const tookMs = new Map<string, number>();
let measuredAgain = 0;

/** Runs the files in one process. What it prints is shown as it comes, or all at once when it has ended. */
function run(title: string, files: readonly string[], show: 'live' | 'afterwards'): Promise<Outcome> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MOCHA, '--reporter', REPORTER, ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    let summary: Counts | undefined;
    const failures: string[] = [];
    let held = '';
    let line = '';
    const say = (text: string): void => {
      if (show === 'live') process.stdout.write(text);
      else held += text;
    };
    const take = (text: string): void => {
      const took = TOOK.exec(text);
      if (took?.[1] !== undefined && took[2] !== undefined) return void tookMs.set(took[2], Number(took[1]));
      const again = MEASURED_AGAIN.exec(text);
      if (again !== null) {
        measuredAgain += Number(again[1]);
        return;
      }
      if (text.startsWith('failed: ')) failures.push(`${title}: ${text.slice('failed: '.length)}`);
      const match = SUMMARY.exec(text);
      // The numbers of all processes are said once, together.
      if (match === null) return say(`${text}\n`);
      summary = { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (line + chunk).split('\n');
      line = lines.pop() ?? '';
      for (const text of lines) take(text);
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      take(line);
      if (summary === undefined) failures.push(`${title}: ended (${signal ?? code}) without saying how many passed`);
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      process.stdout.write(`${held}\n${title}: ${files.length} files in ${seconds} s\n`);
      const { passed, failed, skipped } = summary ?? { passed: 0, failed: 0, skipped: 0 };
      // Whatever it counted: a process that ended badly, or early, has failed.
      const ended = code === 0 && summary !== undefined;
      if (!ended && failures.length === 0) failures.push(`${title}: ended (${signal ?? code})`);
      resolve({ passed, failed: ended ? failed : Math.max(failed, 1), skipped, failures });
    });
  });
}

for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    for (const child of running) child.kill(name);
    process.exitCode = 1;
  });

// The compiler leaves the output of files that were moved or deleted: only what has a source is a test.
const SOURCES = path.join(findRoot(), 'test');
const names = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js') && existsSync(path.join(SOURCES, name.replace(/js$/, 'ts'))))
  .map((name) => name.split(path.sep).join('/'))
  .sort();
/** The test files of these folders of `test/`. */
const filesIn = (...folders: string[]): string[] =>
  names.filter((name) => folders.some((folder) => name.startsWith(`${folder}/`))).map((name) => path.join(HERE, name));
const FOLDERS = ['service', 'process', 'unit', 'fault', 'timed', 'measured'];
const unscheduled = names.filter((name) => !FOLDERS.some((folder) => name.startsWith(`${folder}/`)));
if (unscheduled.length > 0) throw new Error(`in no folder of the schedule: ${unscheduled.join(', ')}`);
const outcomes = await Promise.all([
  run('service', filesIn('service'), 'live'),
  run('process', filesIn('process'), 'afterwards'),
  run('unit and fault', filesIn('fault', 'unit'), 'afterwards'),
]);
/** Each file in a process of its own, `lanes` at a time: what one leaves behind would take time from the next. */
async function runEach(files: string[], lanes: 1 | 2): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let file = files.shift(); file !== undefined && process.exitCode === undefined; file = files.shift())
      outcomes.push(await run(path.relative(HERE, file), [file], lanes === 1 ? 'live' : 'afterwards'));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
await runEach(filesIn('timed'), 2);
await runEach(filesIn('measured'), 1);
console.log('\nslowest files:');
const slowest = [...tookMs].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
for (const [file, ms] of slowest) console.log(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
console.log(`times measured again because of other work on the machine: ${measuredAgain}`);
const total = (name: keyof Counts): number => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
for (const line of outcomes.flatMap((outcome) => outcome.failures)) console.log(`failed: ${line}`);
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
process.exitCode = total('failed') === 0 && total('passed') > 0 ? (process.exitCode ?? 0) : 1;
