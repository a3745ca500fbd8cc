// `custos canonicalize`: the RFC 8785 bytes of a JSON text, from standard input to standard output.
import { canonicalize } from '../shared/core/proof/canonical.ts';
import { parseJsonInput, readStandardInput } from './input.ts';
import type { CommandBody } from './program.ts';

export const canonicalizeCommand: CommandBody = {
  define: (command) =>
    command.action(async () => {
      const text = canonicalize(parseJsonInput(await readStandardInput(), 'Standard input'));
      // A terminal needs the newline; piped bytes must stay exact, because they are hashed.
      process.stdout.write(process.stdout.isTTY ? `${text}\n` : text);
    }),
};
