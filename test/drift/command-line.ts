// Generates the command line reference from the help text of every command.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { COMMANDS } from '../../cli/commands.ts';
import { COMMON_EXIT_CODES } from '../../cli/exit.ts';
import { buildProgram } from '../../cli/program.ts';

/** Columns of the help texts. Without a fixed width they would depend on the terminal. */
const WIDTH = 120;

export async function commandLineText(): Promise<string> {
  const program = await buildProgram({ commands: COMMANDS, version: '', description: '' });
  const exitCodes = Object.entries(COMMON_EXIT_CODES).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return `# Command line

Made from \`cli/commands.ts\` by \`npm run generate\`. Each command prints its part of this page with \`--help\`.

## Exit codes

| code | meaning |
|---|---|
${exitCodes.join('\n')}
| 3 and more | Only some commands have these codes; their help lists them. |
| 130, 143 | The command was stopped by a signal (128 and the number of the signal). |
| 141 | The reader of standard output ended first, as \`head\` does (128 and the number of SIGPIPE). |

Results go to standard output, errors and remarks to standard error. With \`--json\` standard output has only JSON.
${program.commands.flatMap((command) => sectionsOf(command, '##', 'custos')).join('')}`;
}

function sectionsOf(command: CommandUnknownOpts, level: string, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0)
    return [
      `\n${level} \`${name}\`\n\n${sentence(command.description())}\n`,
      ...command.commands.flatMap((child) => sectionsOf(child, `${level}#`, name)),
    ];
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return [`\n${level} \`${name}\`\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
