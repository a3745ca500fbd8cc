// `custos canonicalize`: the RFC 8785 bytes of a JSON text, from standard input to standard output.
import type { Command } from 'commander';
import { canonicalize } from '../shared/core/proof/canonical.ts';
import { exitAsFilter, readJsonInput, runFilter } from './stdin.ts';

export function registerCanonicalize(program: Command): void {
  program
    .command('canonicalize')
    .exitOverride(exitAsFilter)
    .description('write the canonical form (RFC 8785) of the JSON on standard input, exactly: it is what is hashed')
    .addHelpText('after', '\nExit codes: 0, or 2 when the input is not strict JSON.')
    .action(() =>
      runFilter(async () => {
        const text = canonicalize(await readJsonInput());
        // Only a person is helped by a newline; a hash is not.
        process.stdout.write(process.stdout.isTTY ? `${text}\n` : text);
      }),
    );
}
