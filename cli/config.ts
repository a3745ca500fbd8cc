// `custos config`: every setting with its environment variable, unit, default and meaning.
import { fileVariableOf, SETTING_TABLE } from '../shared/platform/config/table.ts';
import { printJson, printLine } from './output.ts';
import type { CommandBody } from './program.ts';

export const configCommand: CommandBody = {
  define: (command) =>
    command.option('--json', 'print JSON').action(({ json }) => {
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
        const names = secret ? `${name} or ${fileVariableOf(name)}` : name;
        printLine(`${names} (${unit}; ${fallback === undefined ? 'no default' : `default ${fallback}`})`);
        printLine(`    ${description}`);
      }
    }),
};
