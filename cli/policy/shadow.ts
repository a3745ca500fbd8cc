// `custos policy shadow`: what the draft in shadow mode would have changed so far.
import type { Command } from 'commander';
import { runAdmin } from '../admin.ts';
import { readShadowStatus, type ShadowStatus } from '../../shared/domain/drafts/shadow-store.ts';
import { EXIT } from '../frame.ts';
import { paint, printFindings, printJson, printLine } from '../output.ts';
import { runPolicyCommand } from './exit-codes.ts';
import { differenceLines } from './replay-text.ts';

export function registerPolicyShadow(parent: Command): void {
  parent
    .command('shadow')
    .description('show what the draft policies in shadow mode (CUSTOS_SHADOW_POLICY_DIR) would have changed')
    .option('--json', 'print JSON: all drafts that were evaluated')
    .addHelpText(
      'after',
      `
Exit codes: 0, also when decisions would have changed or shadow mode is off; 3 when the draft is broken.
`,
    )
    .action(({ json }: { readonly json?: boolean }) =>
      runPolicyCommand(() =>
        runAdmin(async ({ db, nowMs }) => {
          const status = await readShadowStatus(db, nowMs);
          if (json === true) printJson(status);
          else show(status);
          return status.findings.length > 0 ? EXIT.broken : EXIT.ok;
        }),
      ),
    );
}

function show({ running, draft, share, findings, drafts }: ShadowStatus): void {
  const { dim } = paint();
  if (!running) printLine('Shadow mode is off: no worker evaluates a draft now (CUSTOS_SHADOW_POLICY_DIR).');
  else if (draft !== null)
    printLine(`Shadow mode evaluates ${draft.digest} for ${(share ?? 0) * 100} % of live decisions.`);
  else printLine('Shadow mode evaluates nothing: the draft is broken.');
  printFindings(findings.map((finding) => ({ ...finding, severity: 'error' as const })));
  const [last, ...earlier] = drafts;
  if (last === undefined) {
    printLine('No decision was evaluated yet.');
    return;
  }
  printLine();
  printLine(`Draft ${last.digest}, ${last.policies} policies, from ${last.since} to ${last.until}.`);
  if (last.skipped > 0) printLine(`${last.skipped} records were passed over, because the worker was too far behind.`);
  for (const line of differenceLines(last)) printLine(line);
  if (earlier.length > 0) printLine(dim(`${earlier.length} earlier drafts: --json shows them.`));
}
