// `custos seals check`: every row that gives authority and is refused, by its table and primary key.
import type { Command } from 'commander';
import { printable } from '../shared/core/proof/encoding.ts';
import { checkSealedRows, type RefusedRow } from '../shared/platform/db/seals/check.ts';
import { runAdmin } from './admin.ts';
import { printJson } from './output.ts';

export function registerSeals(program: Command): void {
  const seals = program.command('seals').description('the seals of rows that give authority');
  seals
    .command('check')
    .description(
      'look at every row that gives authority, and list those that are refused because Custos did not write them as they are. Exit code 1 when there are any',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await runAdmin(
        async ({ db }) => {
          const { checked, refused } = await checkSealedRows(db);
          if (json === true) printJson({ ok: refused.length === 0, checked, refused });
          else
            process.stdout.write(
              `${[...refusedLines(refused), `${checked} rows looked at, ${refused.length} refused`].join('\n')}\n`,
            );
          if (refused.length > 0) process.exitCode = 1;
        },
        {},
        () => undefined,
      );
    });
}

/** One line each: the table and the primary key, never a value. */
export function refusedLines(rows: readonly RefusedRow[]): string[] {
  return rows.map(({ table, id, missing }) => `${table}  ${printable(id.join(' / '))}${missing ? '  (deleted)' : ''}`);
}
