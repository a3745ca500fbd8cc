// `custos policy coverage`: what the test cases never showed of the policies, with file, line and column.
import { type Command, InvalidArgumentError } from 'commander';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { createCoverage, type CoverageReport, type Share } from '../../shared/core/policy/testing/coverage.ts';
import { runCase } from '../../shared/core/policy/testing/run.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { TESTED_HELP, TESTS_HELP } from './folder.ts';
import { EXIT, UsageError } from '../frame.ts';
import { paint, printFindings, printJson, printLine, printTable } from '../output.ts';
import { POLICY_EXIT_CODES, type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { type PreparedRun, prepareRun } from './test-files.ts';

interface CoverageOptions {
  readonly policies?: string;
  readonly min?: number;
  readonly json?: boolean;
}

interface Gap {
  readonly kind: 'policy' | 'rule' | 'condition';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly policy: string;
  readonly rule?: string;
  /** Of a gap of kind condition. */
  readonly condition?: string;
  readonly message: string;
}

function percentage(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}(\.\d)?$/.test(text) || value > 100)
    throw new InvalidArgumentError('It must be a percentage from 0 to 100, with at most one decimal.');
  return value;
}

export function registerPolicyCoverage(policy: Command): void {
  policy
    .command('coverage')
    .description('run test cases and say which rules and conditions they never showed')
    .argument('[folder]', TESTS_HELP)
    .option('--policies <folder>', TESTED_HELP)
    .option('--min <percent>', 'exit code 4 when policies, rules or conditions are covered by less', percentage)
    .option('--json', 'print JSON')
    .addHelpText('after', POLICY_EXIT_CODES)
    .action((folder: string | undefined, options: CoverageOptions) => runPolicyCommand(() => run(folder, options)));
}

async function run(folder: string | undefined, options: CoverageOptions): Promise<ExitCode> {
  const prepared = await prepareRun(folder, options);
  if ('findings' in prepared) {
    const { findings } = prepared;
    if (options.json === true) printJson({ ok: false, findings });
    else {
      printFindings(findings);
      printLine(`\n${paint().red('broken')} Nothing was run.`);
    }
    return EXIT.broken;
  }
  if (prepared.cases.length === 0) throw new UsageError('The test files hold no cases.');
  const { report, failed } = await cover(prepared);
  const gaps = gapsOf(report, prepared);
  const isEnough = report.percent >= (options.min ?? 0);
  if (options.json === true) {
    const { policies, rules, conditions, percent } = report;
    const cases = prepared.cases.length;
    const { digest } = prepared.set;
    printJson({ ok: isEnough, cases, failed, digest, percent, policies, rules, conditions, gaps, findings: [] });
  } else show(report, { gaps, cases: prepared.cases.length, failed, min: options.min });
  return isEnough ? EXIT.ok : EXIT.negative;
}

/** A case that fails covers what it asks all the same; how many did is told. */
async function cover({ set, cases }: PreparedRun): Promise<{ report: CoverageReport; failed: number }> {
  const evaluator = createEvaluator({ set });
  const coverage = createCoverage(set);
  let failed = 0;
  for (const test of cases) {
    const { facts, differences } = await runCase(test, evaluator);
    coverage.record(facts);
    if (differences.length > 0) failed += 1;
  }
  return { report: coverage.report(), failed };
}

function gapsOf({ unasked, details }: CoverageReport, { places }: PreparedRun): Gap[] {
  const at = (policy: string, pointer: string): Pick<Gap, 'file' | 'line' | 'column'> =>
    places.locate(policy, pointer) ?? { file: policy, line: 1, column: 1 };
  const gaps: Gap[] = unasked.map((policy) => ({
    kind: 'policy',
    ...at(policy, '/target'),
    policy,
    message: `the policy ${policy} was never a candidate: no case is for its target`,
  }));
  for (const { policy, rule, pointer, matched, conditions } of details) {
    // Of a policy that was never asked nothing more can be said.
    if (unasked.includes(policy)) continue;
    if (!matched) {
      const message = `the rule ${policy}/${rule} never matched`;
      gaps.push({ kind: 'rule', ...at(policy, pointer), policy, rule, message });
    }
    for (const condition of conditions) {
      const never = [...(condition.wasTrue ? [] : ['true']), ...(condition.wasFalse ? [] : ['false'])];
      if (never.length === 0) continue;
      const message = `${condition.text} in ${policy}/${rule} was never ${never.join(' and never ')}`;
      const place = at(policy, condition.pointer);
      gaps.push({ kind: 'condition', ...place, policy, rule, condition: condition.text, message });
    }
  }
  return gaps;
}

interface Shown {
  readonly gaps: readonly Gap[];
  readonly cases: number;
  readonly failed: number;
  readonly min: number | undefined;
}

function show(report: CoverageReport, { gaps, cases, failed, min }: Shown): void {
  const { red, green, yellow, bold } = paint();
  for (const { file, line, column, message } of gaps)
    printLine(`${bold(`${printable(file)}:${line}:${column}`)} ${yellow('uncovered')} ${printable(message)}`);
  if (gaps.length > 0) printLine();
  const row = (name: string, { covered, total, percent }: Share): string[] => [
    name,
    `${covered} of ${total}`,
    percent === 100 ? green('100 %') : yellow(`${percent} %`),
  ];
  printTable(
    ['covered', 'of all', 'share'],
    [
      row('policies that were candidates', report.policies),
      row('rules that matched', report.rules),
      row('outcomes of conditions', report.conditions),
    ],
  );
  const wrong = failed === 0 ? '' : red(`, ${failed} of them failed: run custos policy test`);
  const less = min !== undefined && report.percent < min ? red(`, less than ${min} %`) : '';
  printLine(`\n${report.percent} % covered by ${cases} case${cases === 1 ? '' : 's'}${wrong}${less}`);
}
