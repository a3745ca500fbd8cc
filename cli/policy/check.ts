// `custos policy check`: lists everything that is wrong with a policy folder, before the service reads it.
import { EXIT, exitWith } from '../exit.ts';
import { counted, paint, printFindings, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { BROKEN, type CheckedFolder, checkFolder } from './findings.ts';
import { FOLDER_HELP, policyDirOf } from './place.ts';
import { watchFolder } from './watch.ts';

interface CheckOptions {
  readonly strict?: true;
  readonly json?: true;
}

export const checkPoliciesCommand: CommandBody = {
  exitCodes: { [EXIT.ok]: 'There are no errors. There may be warnings.', ...BROKEN },
  define: (command) =>
    command
      .argument('[folder]', FOLDER_HELP)
      .option('--strict', 'treat warnings as errors')
      .option('--json', 'print JSON; with --watch one line for each check')
      .option('--watch', 'check again whenever a file changes, until Ctrl-C')
      .action(
        exitWith(async (folder, { watch, ...options }) => {
          const dir = policyDirOf(folder);
          if (watch) {
            await watchFolder(dir, (checked, at) => show(checked, options, at));
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

/** @param at the time of the check, with --watch */
function show(checked: CheckedFolder, options: CheckOptions, at?: Date): void {
  const { digest, policies, tests, findings } = checked;
  const ok = !isBroken(checked, options);
  if (options.json) {
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
