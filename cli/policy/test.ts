// `custos policy test`: runs test cases against policies and compares each answer with the expected one.
import path from 'node:path';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { type CaseResult, type Difference, explainFailure, runCase } from '../../shared/core/policy/testing/run.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { EXIT, exitWith, say, UsageError } from '../exit.ts';
import { type Paint, paint, printJson, printLine, printText, type ShownFinding } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { BROKEN } from './findings.ts';
import { placesOfRun, TESTED_HELP, TESTS_HELP } from './folder.ts';
import { type Format, formatOf, formatOption, printReport } from './formats/format.ts';
import type { Report } from './formats/report.ts';
import { type PreparedRun, prepareRun, printBrokenRun, readRun, type RunFiles } from './test-files.ts';
import { watchFolders } from './watch.ts';

const NAME = 'custos policy test';
/** Clears the terminal with its scrollback, and moves to its first line (ECMA-48, and xterm for the scrollback). */
const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';
/** A terminal shows this many failures; --json has all. */
const MAX_SHOWN = 50;

interface Failure {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The name of the file's tests. */
  readonly test: string;
  readonly case: string;
  readonly differences: readonly Difference[];
  readonly question: { readonly agent: string; readonly intent: string; readonly environment: string };
  readonly rules: readonly {
    readonly policy: string;
    readonly rule: string;
    readonly note: string;
    /** `file:line:column`; absent for built-in rules and for rules that do not exist. */
    readonly at?: string;
  }[];
}

interface FileResult {
  readonly file: string;
  readonly name: string;
  /** The names of the cases that passed. */
  readonly successes: string[];
  passed: number;
  failed: number;
  readonly failures: Failure[];
}

export const testPoliciesCommand: CommandBody = {
  exitCodes: { [EXIT.ok]: 'All cases passed.', ...BROKEN, [EXIT.unmet]: 'At least one case failed.' },
  define: (command) =>
    command
      .argument('[folder]', TESTS_HELP)
      .option('--policies <folder>', TESTED_HELP)
      .option('--filter <text>', 'only cases whose file or name contains this text')
      .addOption(formatOption())
      .option('--json', 'print JSON')
      .option('--watch', 'run the cases again whenever a file changes, until Ctrl-C')
      .action(
        exitWith(async (folder, { policies, filter, watch, ...chosen }) => {
          const format = formatOf(chosen);
          const places = placesOfRun(folder, policies);
          if (watch === undefined) return runOnce(await readRun(places), filter, format);
          if (format !== 'text') throw new UsageError('--watch prints text: its output has no end.');
          await watchFolders([places.policies, watchedFolder(places.tests)], async () => {
            const files = await readRun(places);
            return { fingerprint: files.fingerprint, show: (at) => showAgain(files, filter, at) };
          });
          return EXIT.ok;
        }),
      ),
};

/** Only folders are watched: an editor replaces the file that it saves. */
function watchedFolder(tests: string): string {
  return path.extname(tests) === '.json' ? path.dirname(tests) : tests;
}

/** A run of --watch. A terminal shows the last run only. */
async function showAgain(files: RunFiles, filter: string | undefined, at: Date): Promise<void> {
  if (process.stdout.isTTY) printText(CLEAR_SCREEN);
  printLine(paint().dim(at.toTimeString().slice(0, 8)));
  try {
    await runOnce(files, filter, 'text');
  } catch (error) {
    // The next change may bring cases.
    if (!(error instanceof UsageError)) throw error;
    say(`custos: ${printable(error.message)}`);
  }
}

/** @returns the exit code @throws {UsageError} when no case was run */
async function runOnce(read: RunFiles, filter: string | undefined, format: Format): Promise<number> {
  const prepared = prepareRun(read);
  if ('broken' in prepared) {
    printBrokenRun(prepared.broken, { format, name: NAME, json: { passed: 0, failed: 0, files: [] } });
    return EXIT.broken;
  }
  const files = await runCases(prepared, filter);
  const count = (what: 'passed' | 'failed'): number => files.reduce((sum, file) => sum + file[what], 0);
  const [passed, failed] = [count('passed'), count('failed')];
  if (passed + failed === 0)
    throw new UsageError(
      filter === undefined ? 'The test files hold no cases.' : `No case has "${filter}" in its name.`,
    );
  const { digest } = prepared.set;
  if (format === 'json') {
    const listed = files.map(({ file, name, passed: ok, failed: not, failures }) => ({
      file,
      name,
      passed: ok,
      failed: not,
      failures,
    }));
    printJson({ ok: failed === 0, passed, failed, digest, findings: [], files: listed });
  } else if (!printReport(format, () => reportOf(files))) show(files, passed, failed);
  return failed === 0 ? EXIT.ok : EXIT.unmet;
}

/** One test for each case; a failed one has one finding with all differences. */
function reportOf(files: readonly FileResult[]): Report {
  const suites = files.map(({ file, name, successes, failures }) => ({
    name,
    cases: [
      ...successes.map((passed) => ({ name: passed, file, findings: [] })),
      ...failures.map((failure) => ({ name: failure.case, file, findings: [findingOf(failure)] })),
    ],
  }));
  return { name: NAME, suites };
}

function findingOf({ file, line, column, case: name, differences, rules }: Failure): ShownFinding {
  const said = differences.map(
    ({ what, expected, actual }) => `${what}: expected ${textOf(expected)}, actual ${textOf(actual)}`,
  );
  const why = rules.map(
    ({ policy, rule, note, at }) => `${policy}/${rule} ${note}${at === undefined ? '' : ` (${at})`}`,
  );
  const message = [`the case "${name}" failed: ${said.join('; ')}`, ...why].join('\n');
  return { file, line, column, severity: 'error', code: 'CASE_FAILED', message };
}

async function runCases({ set, cases, places }: PreparedRun, filter: string | undefined): Promise<FileResult[]> {
  const evaluator = createEvaluator({ set });
  const wanted = filter?.toLowerCase();
  const results = new Map<string, FileResult>();
  const hasRule = (policy: string, rule: string): boolean =>
    policy === 'default' || places.locateRule(policy, rule) !== undefined;
  for (const test of cases) {
    const { path: file, content } = test.source;
    if (wanted !== undefined && !`${file}\n${content.name}\n${test.name}`.toLowerCase().includes(wanted)) continue;
    let result = results.get(file);
    if (result === undefined) {
      result = { file, name: content.name, successes: [], passed: 0, failed: 0, failures: [] };
      results.set(file, result);
    }
    const outcome = await runCase(test, evaluator);
    if (outcome.differences.length === 0) {
      result.passed += 1;
      result.successes.push(test.name);
      continue;
    }
    result.failed += 1;
    const notes = await explainFailure(outcome, evaluator, hasRule);
    const rules = notes.map((note) => {
      const place = places.locateRule(note.policy, note.rule);
      return place === undefined ? note : { ...note, at: `${place.file}:${place.line}:${place.column}` };
    });
    result.failures.push({ ...failureOf(outcome), rules });
  }
  return [...results.values()];
}

function failureOf({ test, facts, differences }: CaseResult): Omit<Failure, 'rules'> {
  const { source, name, pointer } = test;
  return {
    file: source.path,
    ...source.locate(pointer),
    test: source.content.name,
    case: name,
    differences,
    question: { agent: facts.agent.id, intent: facts.intent.normalized, environment: facts.environment },
  };
}

function show(files: readonly FileResult[], passed: number, failed: number): void {
  const style = paint();
  const { red, green, dim, bold } = style;
  let shown = 0;
  for (const { file, name, passed: passedHere, failed: failedHere, failures } of files) {
    const state = failedHere === 0 ? green('ok') : red('failed');
    const counts = failedHere === 0 ? `${passedHere} passed` : `${passedHere} passed, ${red(`${failedHere} failed`)}`;
    printLine(`${state} ${bold(printable(name))} ${dim(printable(file))} ${counts}`);
    for (const failure of failures) {
      if (shown < MAX_SHOWN) for (const line of failureLines(failure, style)) printLine(line);
      shown += 1;
    }
  }
  printLine();
  if (shown > MAX_SHOWN) printLine(dim(`${shown - MAX_SHOWN} more failures are not shown; --json has them.`));
  printLine(failed === 0 ? `${green(`${passed} passed`)}, 0 failed` : `${passed} passed, ${red(`${failed} failed`)}`);
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 0) return 'nothing';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value);
};

function failureLines(failure: Failure, { red, green, bold, dim, yellow }: Paint): string[] {
  const { file, line, column, case: name, differences, question, rules } = failure;
  return [
    '',
    `  ${red('x')} ${bold(printable(name))}`,
    `    ${printable(file)}:${line}:${column}`,
    dim(`    ${printable(question.agent)} asks for ${printable(question.intent)} in ${question.environment}`),
    ...differences.flatMap(({ what, expected, actual }) => [
      `    ${what}`,
      `      ${green(`- expected  ${printable(textOf(expected))}`)}`,
      `      ${red(`+ actual    ${printable(textOf(actual))}`)}`,
    ]),
    ...rules.map(
      ({ policy, rule, note, at }) =>
        `    ${yellow(`${policy}/${rule}`)} ${printable(note)}${at === undefined ? '' : `  ${dim(printable(at))}`}`,
    ),
  ];
}
