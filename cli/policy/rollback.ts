// `custos policy rollback` and `custos policy follow-folder`: put a stored set, or that of the service's folder, into force.
import { runAdmin } from '../admin.ts';
import { CommandError, EXIT, exitWith, UsageError } from '../exit.ts';
import { readFile } from '../input.ts';
import type { CommandBody } from '../program.ts';
import { checkReason, checkStored, digestOf, printResult, PUT_NOTES, putLocally, putRemotely } from './put.ts';

const FOLDER = 'SELECT folder_digest AS digest FROM policy_state';

/** The line of a signature file, as the service takes it. */
export function signatureOf(file: string | undefined): { readonly signature?: string } {
  return file === undefined ? {} : { signature: readFile(file).toString('utf8').trim() };
}

export const rollBackPoliciesCommand: CommandBody = {
  notes: `"custos policy log" lists the sets. The set stays in force until the next push, rollback or "custos policy follow-folder".
${PUT_NOTES}`,
  exitCodes: { [EXIT.ok]: 'The set is in force, or waits for approval.' },
  define: (command) =>
    command
      .argument('<digest>', 'the set: 64 hex digits')
      .requiredOption('--reason <text>', 'why; it is recorded in every log')
      .option('--dry-run', 'with --url: only check the set and show the difference')
      .option('--signature <file>', 'the line of "custos policy sign --digest", where sets must be signed')
      .option('--url <address>', 'roll back on this running service instead of the database')
      .option('--key-file <path>', 'with --url: a file with an admin key (default: the key in CUSTOS_KEY)')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (named, { signature, dryRun, ...options }) => {
          const digest = digestOf(named);
          if (dryRun && options.url === undefined)
            throw new UsageError('--dry-run needs --url; "custos policy diff active DIGEST" compares in the database.');
          const change = { digest, reason: checkReason(options.reason), ...signatureOf(signature) };
          if (options.url !== undefined)
            printResult(
              await putRemotely(options, 'POST', '/v1/policies/rollback', { ...change, ...(dryRun && { dryRun }) }),
              options,
            );
          else
            await runAdmin(async ({ db, nowMs }) => {
              await checkStored(db, digest);
              printResult(await putLocally(db, nowMs, { ...change, source: 'rollback' }), options);
            });
          return EXIT.ok;
        }),
      ),
};

export const followFolderCommand: CommandBody = {
  notes: PUT_NOTES,
  exitCodes: { [EXIT.ok]: 'The set of the folder is in force, or waits for approval, and later edits follow it.' },
  define: (command) =>
    command
      .requiredOption('--reason <text>', 'why; it is recorded in every log')
      .option('--signature <file>', 'the signature of the set of the folder, where sets must be signed')
      .option('--url <address>', 'follow the folder of this running service instead of the one of the database')
      .option('--key-file <path>', 'with --url: a file with an admin key (default: the key in CUSTOS_KEY)')
      .option('--json', 'print JSON')
      .action(
        exitWith(async ({ signature, ...options }) => {
          const change = { reason: checkReason(options.reason), ...signatureOf(signature) };
          if (options.url !== undefined)
            printResult(await putRemotely(options, 'POST', '/v1/policies/follow-folder', change), options);
          else
            await runAdmin(async ({ db, nowMs }) => {
              const [row] = await db.query<{ digest: string | null }>(FOLDER, []);
              const digest = row?.digest ?? undefined;
              if (digest === undefined)
                throw new CommandError('The policy folder has errors, or no worker has read it yet.');
              printResult(await putLocally(db, nowMs, { ...change, digest, source: 'folder' }), options);
            });
          return EXIT.ok;
        }),
      ),
};
