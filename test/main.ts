// `npm test`: every test file. Three mocha processes side by side use both cores, as one of them mostly waits; then suites
// that hold the service to times, two files at a time; then those that measure processor time, alone. In the end what
// failed, once more, and one line of numbers.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

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
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
/** They start whole services, browsers and commands, each of which loads a program before it does anything. */
const WHOLE = [
  'browser/',
  'e2e/',
  'integration/approvals-cli',
  'integration/decision-verify',
  'integration/doctor',
  'integration/log-cli',
  'integration/organisations',
  // Not `policies`: those of the commands.
  'integration/policy-',
];
/**
 * They kill processes under load, and half of the time they wait for what the dead held, which costs the others nothing;
 * the properties after them make the three processes end at about the same time.
 */
const KILLED = ['fault/', 'property/'];
/** They expect an effect within a second or two: beside suites that work all the time that would be luck. */
const TIMED = [
  'contract/queues',
  'e2e/start',
  'e2e/story',
  'fault/notify-lost',
  'fault/postgres-away',
  'integration/group-commit',
  'integration/keys-processes',
  'integration/rate-limit',
  'integration/relay',
];
/** They bound what a computation takes, or what four processes and all that they compute take. */
const MEASURED = ['integration/policies-processes', 'property/intent', 'unit/proof/receipt'];

const running = new Set<ChildProcess>();

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

const names = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => name.split(path.sep).join('/'))
  .sort();
const isOf = (prefixes: readonly string[], name: string): boolean => prefixes.some((prefix) => name.startsWith(prefix));
const filesOf = (belongs: (name: string) => boolean): string[] =>
  names.filter(belongs).map((name) => path.join(HERE, name));
const APART = [...WHOLE, ...KILLED, ...TIMED, ...MEASURED];
const outcomes = await Promise.all([
  run(
    'in short',
    filesOf((name) => !isOf(APART, name)),
    'live',
  ),
  run(
    'with whole services',
    filesOf((name) => isOf(WHOLE, name) && !isOf(TIMED, name)),
    'afterwards',
  ),
  run(
    'kills, then properties',
    filesOf((name) => isOf(KILLED, name) && !isOf([...TIMED, ...MEASURED], name)),
    'afterwards',
  ),
]);
/** Each file in a process of its own, `lanes` at a time: what one leaves behind would take time from the next. */
async function runEach(files: string[], lanes: 1 | 2): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let file = files.shift(); file !== undefined && process.exitCode === undefined; file = files.shift())
      outcomes.push(await run(path.relative(HERE, file), [file], lanes === 1 ? 'live' : 'afterwards'));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
const timed = filesOf((name) => isOf(TIMED, name));
const measured = filesOf((name) => isOf(MEASURED, name));
await runEach(timed, 2);
await runEach(measured, 1);
const total = (name: keyof Counts): number => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
for (const line of outcomes.flatMap((outcome) => outcome.failures)) console.log(`failed: ${line}`);
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
process.exitCode = total('failed') === 0 && total('passed') > 0 ? (process.exitCode ?? 0) : 1;
