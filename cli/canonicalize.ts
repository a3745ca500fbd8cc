// `custos canonicalize`: the RFC 8785 bytes of a JSON text, from standard input to standard output.
import type { Command } from 'commander';
import { canonicalize } from '../shared/core/proof/canonical.ts';
import { readJsonInput } from './stdin.ts';

export function registerCanonicalize(program: Command): void {
  program
    .command('canonicalize')
    .description('write the canonical form (RFC 8785) of the JSON on standard input: exactly the bytes that are hashed')
    .addHelpText('after', '\nExit codes: 0, or 2 when the input is not strict JSON.')
    .action(async () => {
      const text = canonicalize(await readJsonInput());
      // A terminal needs the newline; piped bytes must stay exact, because they are hashed.
      process.stdout.write(process.stdout.isTTY ? `${text}\n` : text);
    });
}
