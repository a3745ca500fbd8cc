// Policy commands that need the database: on it, with refusals that keep the exit codes of policy commands.
import { type AdminStore, runAdmin } from '../admin.ts';
import { EXIT, type ExitCode, UsageError } from './output.ts';

/** Runs `work` on the service's database. @returns its exit code, or 1 when it failed and was explained @throws {UsageError} */
export async function withPolicyStore(work: (store: AdminStore) => Promise<ExitCode>): Promise<ExitCode> {
  let code: ExitCode = EXIT.unexpected;
  let misuse: UsageError | undefined;
  await runAdmin(async (store) => {
    try {
      code = await work(store);
    } catch (error) {
      // runAdmin would take it for something unexpected.
      if (!(error instanceof UsageError)) throw error;
      misuse = error;
    }
  });
  if (misuse !== undefined) throw misuse;
  return code;
}
