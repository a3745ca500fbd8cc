// `custos policy check`: lists everything that is wrong with a policy folder, before the service reads it.
import { setFlagsFromString } from 'node:v8';
import { EXIT, exitWith, UsageError } from '../exit.ts';
import { counted, paint, printFindings, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { type Format, formatOf, formatOption, printReport } from './formats/format.ts';
import { type Report, suiteOfFiles } from './formats/report.ts';
import { BROKEN, type CheckedFolder, checkFolder } from './findings.ts';
import { testsDirOf } from './folder.ts';
import { FOLDER_HELP, policyDirOf } from './place.ts';
import { watchFolders } from './watch.ts';

/**
 * Lets a function run nine times as long as by default (66 kB of bytecode) before V8 optimises it. A check ends before most optimised code
 * pays: with the default, the compiler took a third of the processor time for 100 policies, and a sixth for 1,000.
 */
const LATE_OPTIMISATION = '--interrupt-budget=600000';

interface CheckOptions {
  readonly strict?: true | undefined;
  readonly format: Format;
}

export const checkPoliciesCommand: CommandBody = {
  exitCodes: { [EXIT.ok]: 'There are no errors. There may be warnings.', ...BROKEN },
  define: (command) =>
    command
      .argument('[folder]', FOLDER_HELP)
      .option('--strict', 'treat warnings as errors')
      .addOption(formatOption())
      .option('--json', 'print JSON; with --watch one line for each check')
      .option('--watch', 'check again whenever a file changes, until Ctrl-C')
      .action(
        exitWith(async (folder, { watch, strict, ...chosen }) => {
          setFlagsFromString(LATE_OPTIMISATION);
          const dir = policyDirOf(folder);
          const options: CheckOptions = { strict, format: formatOf(chosen) };
          if (watch) {
            if (!['text', 'json'].includes(options.format))
              throw new UsageError('--watch prints text or JSON: its output has no end.');
            await watchFolders([dir, testsDirOf(dir)], async () => {
              const checked = await checkFolder(dir);
              return { fingerprint: checked.fingerprint, show: (at) => show(checked, options, at) };
            });
            return EXIT.ok;
          }
          const checked = await checkFolder(dir);
          show(checked, options);
          return isBroken(checked, options) ? EXIT.broken : EXIT.ok;
        }),
      ),
};

function isBroken({ findings }: CheckedFolder, { strict }: CheckOptions): boolean {
  return findings.some(({ severity }) => severity === 'error' || strict);
}

/** A warning that is treated as an error is one in every format. */
function reportOf({ files, findings }: CheckedFolder, { strict }: CheckOptions): Report {
  const name = 'custos policy check';
  const counted = findings.map((finding) => (strict ? { ...finding, severity: 'error' as const } : finding));
  return { name, suites: [suiteOfFiles(name, files, counted)] };
}

/** @param at the time of the check, with --watch */
function show(checked: CheckedFolder, options: CheckOptions, at?: Date): void {
  const { digest, policies, tests, findings } = checked;
  const ok = !isBroken(checked, options);
  if (printReport(options.format, () => reportOf(checked, options))) return;
  if (options.format === 'json') {
    const result = { ok, digest: digest ?? null, policies, tests, findings };
    return at === undefined ? printJson(result) : printLine(JSON.stringify({ at: at.toISOString(), ...result }));
  }
  printFindings(findings);
  if (findings.length > 0) printLine();
  const { red, green, dim } = paint();
  const count = (severity: string): number => findings.filter((finding) => finding.severity === severity).length;
  const files = `${counted(policies, 'policy file')}, ${counted(tests, 'test file')}`;
  const counts = `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}`;
  const rest = digest === undefined ? '' : dim(` Digest ${digest.slice(0, 12)}.`);
  const time = at === undefined ? '' : dim(`${at.toTimeString().slice(0, 8)} `);
  printLine(`${time}${ok ? green('ok') : red('broken')} ${files}: ${counts}.${rest}`);
}
