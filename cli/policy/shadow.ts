// `custos policy shadow`: shows what the draft in shadow mode would have changed so far.
import type { ShadowStatus } from '../../shared/domain/drafts/reports.ts';
import { readShadowStatus } from '../../shared/domain/drafts/shadow-store.ts';
import { runAdmin } from '../admin.ts';
import { EXIT, exitWith } from '../exit.ts';
import { paint, printFindings, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { differenceLines } from './replay-text.ts';

export const shadowStatusCommand: CommandBody = {
  exitCodes: {
    [EXIT.ok]: 'The command succeeded, also when decisions would have changed or shadow mode is off.',
    [EXIT.broken]: 'The draft is broken.',
  },
  define: (command) =>
    command.option('--json', 'print JSON, with all drafts that were evaluated').action(
      exitWith(({ json }) =>
        runAdmin(async ({ db }) => {
          const status = await readShadowStatus(db);
          if (json) printJson(status);
          else show(status);
          return status.findings.length > 0 ? EXIT.broken : EXIT.ok;
        }),
      ),
    ),
};

function show({ running, draft, share, findings, drafts }: ShadowStatus): void {
  if (!running) printLine('Shadow mode is off: no worker evaluates a draft now (CUSTOS_SHADOW_POLICY_DIR).');
  else if (draft === null) printLine('Shadow mode evaluates nothing: the draft is broken.');
  else printLine(`Shadow mode evaluates ${draft.digest} for ${(share ?? 0) * 100} % of live decisions.`);
  printFindings(findings.map((finding) => ({ ...finding, severity: 'error' as const })));
  const [last, ...earlier] = drafts;
  if (last === undefined) return printLine('No decision has been evaluated yet.');
  printLine();
  printLine(`Draft ${last.digest}, ${last.policies} policies, from ${last.since} to ${last.until}.`);
  if (last.skipped > 0) printLine(`${last.skipped} records were skipped, because the worker was too far behind.`);
  for (const line of differenceLines(last)) printLine(line);
  if (earlier.length > 0) printLine(paint().dim(`${earlier.length} earlier drafts: --json shows them.`));
}
