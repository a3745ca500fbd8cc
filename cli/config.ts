// `custos config`: every setting, its variable, unit, default and meaning.
import type { Command } from 'commander';
import { fileVariableOf, SETTING_TABLE } from '../shared/platform/config/table.ts';
import { printJson, printLine } from './output.ts';

export function registerConfig(program: Command): void {
  program
    .command('config')
    .description('list every setting with its environment variable, unit, default and meaning')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) => {
      if (json === true) {
        const settings = SETTING_TABLE.map(({ name, unit, fallback, description, secret }) => ({
          name,
          ...(secret && { file: fileVariableOf(name) }),
          unit,
          default: fallback ?? null,
          description,
        }));
        return printJson(settings);
      }
      for (const { name, unit, fallback, description, secret } of SETTING_TABLE) {
        printLine(
          `${secret ? `${name} or ${fileVariableOf(name)}` : name} (${unit}; ${fallback === undefined ? 'no default' : `default ${fallback}`})`,
        );
        printLine(`    ${description}`);
      }
    });
}
