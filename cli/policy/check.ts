// `custos policy check`: everything that is wrong with a policy folder, before the service reads it.
import type { Command } from 'commander';
import { EXIT } from '../frame.ts';
import { counted, paint, printFindings, printJson, printLine } from '../output.ts';
import { POLICY_EXIT_CODES, type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { type CheckedFolder, checkFolder } from './findings.ts';
import { FOLDER_HELP, policyDirOf } from './folder.ts';
import { watchFolder } from './watch.ts';

interface CheckOptions {
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly watch?: boolean;
}

export function registerPolicyCheck(policy: Command): void {
  policy
    .command('check')
    .description('say what is wrong with policies, lexicon and test files, with file, line and column')
    .argument('[folder]', FOLDER_HELP)
    .option('--strict', 'warnings count as errors')
    .option('--json', 'print JSON; with --watch one line for each time')
    .option('--watch', 'check again whenever a file changes, until Ctrl-C')
    .addHelpText('after', POLICY_EXIT_CODES)
    .action((folder: string | undefined, options: CheckOptions) =>
      runPolicyCommand(async () => {
        const dir = policyDirOf(folder);
        if (options.watch === true) return watchFolder(dir, (checked, at) => show(checked, options, at));
        const checked = await checkFolder(dir);
        show(checked, options);
        return exitCodeOf(checked, options);
      }),
    );
}

function exitCodeOf({ findings }: CheckedFolder, { strict }: CheckOptions): ExitCode {
  const isBroken = findings.some(({ severity }) => severity === 'error' || strict === true);
  return isBroken ? EXIT.broken : EXIT.ok;
}

function show(checked: CheckedFolder, options: CheckOptions, at?: Date): void {
  const { digest, policies, tests, findings } = checked;
  const ok = exitCodeOf(checked, options) === EXIT.ok;
  if (options.json === true) {
    const result = { ok, digest: digest ?? null, policies, tests, findings };
    if (at === undefined) printJson(result);
    else printLine(JSON.stringify({ at: at.toISOString(), ...result }));
    return;
  }
  printFindings(findings);
  const { red, green, dim } = paint();
  const count = (severity: string): number => findings.filter((finding) => finding.severity === severity).length;
  const parts = [counted(count('error'), 'error'), counted(count('warning'), 'warning')];
  const what = `${counted(policies, 'policy file')}, ${counted(tests, 'test file')}: ${parts.join(', ')}.`;
  const rest = digest === undefined ? '' : dim(` Digest ${digest.slice(0, 12)}.`);
  const time = at === undefined ? '' : dim(`${at.toTimeString().slice(0, 8)} `);
  if (findings.length > 0) printLine();
  printLine(`${time}${ok ? green('ok') : red('broken')} ${what}${rest}`);
}
