// Where the policy folder of a command is: the named one, that of the service, or the policies of the package.
import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readSetting } from '../../shared/platform/config/config.ts';
import { findPlaces, findRoot, isCheckout } from '../../shared/platform/config/root.ts';
import { fileFailure } from '../../shared/platform/files/reasons.ts';
import { shippedPolicies } from '../../shared/platform/config/settings/policies.ts';
import { SETTINGS } from '../../shared/platform/config/table.ts';
import { UsageError } from '../exit.ts';

const { name: VARIABLE, fallback: DEFAULT } = SETTINGS.policyDir;
export const DEFAULT_HELP = `${VARIABLE}, or ${DEFAULT}, or the policies of the package`;

/** Help for the argument of commands that take a folder. */
export const FOLDER_HELP = `the policy folder (default: ${DEFAULT_HELP})`;

/**
 * The absolute path of a named file or folder.
 * @throws {UsageError} for an empty name: it comes from an unset variable of a script and must not mean the working folder
 */
export function resolved(named: string): string {
  if (named === '') throw new UsageError('The name of the folder is empty.');
  return path.resolve(named);
}

/** The absolute path of the named policy folder, or of the service's. @throws {UsageError} when the name is empty */
export function policyDirOf(named: string | undefined): string {
  if (named !== undefined) return resolved(named);
  return readSetting('policyDir', process.env, findPlaces());
}

/** @throws {UsageError} for the policies of an installed package: an update of the package would delete the change */
export function refuseShipped(dir: string): void {
  const root = findRoot();
  if (isCheckout(root) || realpathSync(dir) !== realpathSync(shippedPolicies({ root }))) return;
  throw new UsageError(
    `${dir} belongs to the package, whose update replaces it. "npx custos policy init" copies these policies to a folder of yours.`,
  );
}

/** Why a file or folder can't be read or written; undefined for an error that is not of the file system. */
export function reasonOf(error: unknown): string | undefined {
  const failure = fileFailure(error);
  if (failure?.code === 'ENOTDIR' && failure.syscall === 'scandir')
    return 'it is not a folder (policies are checked together, so name their folder)';
  return failure?.reason ?? failure?.code;
}

/** Why the folder can't be read now; undefined when it can be. */
export function folderProblem(dir: string): string | undefined {
  try {
    readdirSync(dir);
    return undefined;
  } catch (error) {
    return reasonOf(error) ?? String(error);
  }
}
