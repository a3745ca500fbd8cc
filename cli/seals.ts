// `custos seals check`: lists every row that grants authority and is refused, by its table and primary key.
import { printable } from '../shared/core/proof/encoding.ts';
import { checkSealedRows, type RefusedRow } from '../shared/platform/db/seals/check.ts';
import { runAdmin } from './admin.ts';
import { EXIT, exitWith } from './exit.ts';
import { printJson, printLine } from './output.ts';
import type { CommandBody } from './program.ts';

const checkSealsCommand: CommandBody = {
  exitCodes: { [EXIT.failed]: 'At least one row is refused, or the command failed.' },
  define: (command) =>
    command.option('--json', 'print JSON').action(
      exitWith(({ json }) =>
        runAdmin(
          async ({ db }) => {
            const { checked, refused } = await checkSealedRows(db);
            if (json) printJson({ ok: refused.length === 0, checked, refused });
            else {
              for (const line of refusedLines(refused)) printLine(line);
              printLine(`${checked} rows checked, ${refused.length} refused`);
            }
            return refused.length === 0 ? EXIT.ok : EXIT.failed;
          },
          // The result lists the refused rows, so they are not printed a second time.
          { onRefused: () => undefined },
        ),
      ),
    ),
};

/** One line for each row: the table and the primary key, never a value. */
export function refusedLines(rows: readonly RefusedRow[]): string[] {
  return rows.map(({ table, id, missing }) => `${table}  ${printable(id.join(' / '))}${missing ? '  (deleted)' : ''}`);
}

export const commands = {
  check: checkSealsCommand,
};
