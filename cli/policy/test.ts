// `custos policy test`: the cases beside the policies, each asked and held against the answer that it expects.
import type { Command } from 'commander';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { type CaseResult, type Difference, explainFailure, runCase } from '../../shared/core/policy/testing/run.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { TESTED_HELP, TESTS_HELP } from './folder.ts';
import { EXIT, UsageError } from '../frame.ts';
import { type Paint, paint, printFindings, printJson, printLine } from '../output.ts';
import { POLICY_EXIT_CODES, type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { type PreparedRun, prepareRun } from './test-files.ts';

interface TestOptions {
  readonly policies?: string;
  readonly filter?: string;
  readonly json?: boolean;
}

interface Failure {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The file's own name, and the case's. */
  readonly test: string;
  readonly case: string;
  readonly differences: readonly Difference[];
  readonly question: { readonly agent: string; readonly intent: string; readonly environment: string };
  readonly rules: readonly {
    readonly policy: string;
    readonly rule: string;
    readonly note: string;
    /** `file:line:column`; absent for the service's own and for rules that do not exist. */
    readonly at?: string;
  }[];
}

interface FileResult {
  readonly file: string;
  readonly name: string;
  passed: number;
  failed: number;
  readonly failures: Failure[];
}

export function registerPolicyTest(policy: Command): void {
  policy
    .command('test')
    .description('run test cases against policies: facts in, verdict and reasons out')
    .argument('[folder]', TESTS_HELP)
    .option('--policies <folder>', TESTED_HELP)
    .option('--filter <text>', 'only cases whose file or name has this text in it')
    .option('--json', 'print JSON')
    .addHelpText('after', POLICY_EXIT_CODES)
    .action((folder: string | undefined, options: TestOptions) => runPolicyCommand(() => run(folder, options)));
}

async function run(folder: string | undefined, options: TestOptions): Promise<ExitCode> {
  const prepared = await prepareRun(folder, options);
  if ('findings' in prepared) {
    const { findings } = prepared;
    if (options.json === true) printJson({ ok: false, passed: 0, failed: 0, findings, files: [] });
    else {
      printFindings(findings);
      printLine(`\n${paint().red('broken')} Nothing was run.`);
    }
    return EXIT.broken;
  }
  const files = await runCases(prepared, options.filter);
  const count = (what: 'passed' | 'failed'): number => files.reduce((sum, file) => sum + file[what], 0);
  const [passed, failed] = [count('passed'), count('failed')];
  if (passed + failed === 0) {
    const { filter } = options;
    throw new UsageError(
      filter === undefined ? 'The test files hold no cases.' : `No case has "${filter}" in its name.`,
    );
  }
  if (options.json === true) {
    printJson({ ok: failed === 0, passed, failed, digest: prepared.set.digest, findings: [], files });
  } else show(files, passed, failed);
  return failed === 0 ? EXIT.ok : EXIT.negative;
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
      result = { file, name: content.name, passed: 0, failed: 0, failures: [] };
      results.set(file, result);
    }
    const outcome = await runCase(test, evaluator);
    if (outcome.differences.length === 0) {
      result.passed += 1;
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

/** More than these say no more to a person; --json has all. */
const MAX_SHOWN = 50;

function show(files: readonly FileResult[], passed: number, failed: number): void {
  const style = paint();
  const { red, green, dim, bold } = style;
  let shown = 0;
  for (const { file, name, passed: fine, failed: wrong, failures } of files) {
    const state = wrong === 0 ? green('ok') : red('failed');
    const counts = wrong === 0 ? `${fine} passed` : `${fine} passed, ${red(`${wrong} failed`)}`;
    printLine(`${state} ${bold(printable(name))} ${dim(printable(file))} ${counts}`);
    for (const failure of failures) {
      if (shown < MAX_SHOWN) for (const line of failureLines(failure, style)) printLine(line);
      shown += 1;
    }
  }
  printLine();
  if (shown > MAX_SHOWN) printLine(dim(`${shown - MAX_SHOWN} more failures are not shown; --json has them.`));
  printLine(
    `${failed === 0 ? green(`${passed} passed`) : `${passed} passed`}, ${failed === 0 ? '0 failed' : red(`${failed} failed`)}`,
  );
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
