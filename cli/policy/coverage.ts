// `custos policy coverage`: lists the rules and conditions that no test case exercises, with file, line and column.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { createCoverage, type CoverageReport, type Share } from '../../shared/core/policy/testing/coverage.ts';
import { runCase } from '../../shared/core/policy/testing/run.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { EXIT, exitWith, UsageError } from '../exit.ts';
import { counted, paint, printJson, printLine, printTable } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { BROKEN } from './findings.ts';
import { placesOfRun, TESTED_HELP, TESTS_HELP } from './folder.ts';
import { formatOf, formatOption, printReport } from './formats/format.ts';
import { type Report, suiteOfFiles } from './formats/report.ts';
import { type PreparedRun, prepareRun, printBrokenRun, readRun } from './test-files.ts';

const NAME = 'custos policy coverage';

interface Gap {
  readonly kind: 'policy' | 'rule' | 'condition';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly policy: string;
  readonly rule?: string;
  /** Only with the kind `condition`. */
  readonly condition?: string;
  readonly message: string;
}

function percentage(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}(\.\d)?$/.test(text) || value > 100)
    throw new InvalidArgumentError('It must be a percentage from 0 to 100, with at most one decimal.');
  return value;
}

export const policyCoverageCommand: CommandBody = {
  exitCodes: {
    [EXIT.ok]: 'The cases ran, and coverage is not below --min. Cases may have failed.',
    ...BROKEN,
    [EXIT.unmet]: 'Coverage is below --min.',
  },
  define: (command) =>
    command
      .argument('[folder]', TESTS_HELP)
      .option('--policies <folder>', TESTED_HELP)
      .option('--min <percent>', 'the least coverage of policies, rules and conditions', percentage)
      .addOption(formatOption())
      .option('--json', 'print JSON')
      .action(
        exitWith(async (folder, { policies: dir, min, ...chosen }) => {
          const format = formatOf(chosen);
          const prepared = prepareRun(await readRun(placesOfRun(folder, dir)));
          if ('broken' in prepared) {
            printBrokenRun(prepared.broken, { format, name: NAME, json: {} });
            return EXIT.broken;
          }
          if (prepared.cases.length === 0) throw new UsageError('The test files hold no cases.');
          const { report, failed } = await cover(prepared);
          const gaps = gapsOf(report, prepared);
          const isEnough = report.percent >= (min ?? 0);
          const cases = prepared.cases.length;
          if (printReport(format, () => reportOf(gaps, prepared, isEnough))) return isEnough ? EXIT.ok : EXIT.unmet;
          if (format === 'json') {
            const { policies, rules, conditions, percent } = report;
            const { digest } = prepared.set;
            printJson({
              ok: isEnough,
              cases,
              failed,
              digest,
              percent,
              policies,
              rules,
              conditions,
              gaps,
              findings: [],
            });
          } else show(report, { gaps, cases, failed, min });
          return isEnough ? EXIT.ok : EXIT.unmet;
        }),
      ),
};

/** A failed case counts as coverage, because it reached the rules; the number of failures is shown. */
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
    message: `the policy ${policy} was never a candidate: no case matches its target`,
  }));
  for (const { policy, rule, pointer, matched, conditions } of details) {
    // The gap of the policy says it all.
    if (unasked.includes(policy)) continue;
    if (!matched) {
      const message = `the rule ${policy}/${rule} never matched`;
      gaps.push({ kind: 'rule', ...at(policy, pointer), policy, rule, message });
    }
    for (const condition of conditions) {
      const never = [...(condition.wasTrue ? [] : ['true']), ...(condition.wasFalse ? [] : ['false'])];
      if (never.length === 0) continue;
      const named = condition.condition === undefined ? '' : ` (of the condition ${condition.condition})`;
      const message = `${condition.text}${named} in ${policy}/${rule} was never ${never.join(' and never ')}`;
      const place = at(policy, condition.pointer);
      gaps.push({ kind: 'condition', ...place, policy, rule, condition: condition.text, message });
    }
  }
  return gaps;
}

/** Gaps are warnings as long as the coverage is sufficient. */
function reportOf(gaps: readonly Gap[], { policies }: PreparedRun, isEnough: boolean): Report {
  const severity = isEnough ? 'warning' : 'error';
  const findings = gaps.map(({ file, line, column, kind, message }) => {
    const code = `UNCOVERED_${kind.toUpperCase()}`;
    return { file, line, column, severity, code, message } as const;
  });
  return { name: NAME, suites: [suiteOfFiles(NAME, policies, findings)] };
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
  const failures = failed === 0 ? '' : red(`, ${failed} of them failed: run custos policy test`);
  const less = min !== undefined && report.percent < min ? red(`, less than ${min} %`) : '';
  printLine(`\n${report.percent} % covered by ${counted(cases, 'case')}${failures}${less}`);
}
