// `custos policy init`: copies the policies of the package to a folder of the user.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readSetting } from '../../shared/platform/config/config.ts';
import { findPlaces } from '../../shared/platform/config/root.ts';
import { shippedPolicies } from '../../shared/platform/config/settings/policies.ts';
import { SETTINGS } from '../../shared/platform/config/table.ts';
import { CommandError, EXIT, exitWith, UsageError } from '../exit.ts';
import { counted, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { reasonOf, resolved } from './place.ts';

const { name: VARIABLE, fallback: DEFAULT } = SETTINGS.policyDir;

export const initPoliciesCommand: CommandBody = {
  define: (command) =>
    command
      .argument('[folder]', `a folder that does not exist yet or is empty (default: ${VARIABLE}, or ${DEFAULT})`)
      .option('--json', 'print JSON: the folder and the number of files')
      .action(
        exitWith((named, { json }) => {
          const places = findPlaces();
          const folder = named === undefined ? defaultFolder(places) : resolved(named);
          const files = copyNew(shippedPolicies(places), folder);
          if (json) printJson({ folder, files });
          else {
            printLine(`Copied ${counted(files, 'file')} to ${folder}.`);
            if (readSetting('policyDir', process.env, places) !== folder)
              printLine(`The service uses this folder when ${VARIABLE} names it.`);
            else printLine('The service uses this folder from its next start.');
          }
          return EXIT.ok;
        }),
      ),
};

function defaultFolder(places: ReturnType<typeof findPlaces>): string {
  return process.env[VARIABLE] ? readSetting('policyDir', process.env, places) : path.join(places.home, DEFAULT);
}

/**
 * Copies a folder under a temporary name and renames it, so that a service never reads half of a policy set.
 * @returns the number of files
 * @throws {UsageError} when the target has content
 */
function copyNew(from: string, to: string): number {
  const partial = `${to}.new.${process.pid}`;
  try {
    if (!isAbsentOrEmpty(to)) throw taken(to);
    mkdirSync(partial);
    const files = copyFolder(from, partial);
    renameSync(partial, to);
    return files;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another command created the folder after the check.
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw taken(to);
    const parent = path.dirname(to);
    const reason = code === 'ENOENT' && !existsSync(parent) ? `${parent} does not exist` : reasonOf(error);
    if (reason === undefined) throw error;
    throw new CommandError(`The policies can't be copied to ${to}: ${reason}.`, { cause: error });
  } finally {
    if (existsSync(partial)) rmSync(partial, { recursive: true });
  }
}

const taken = (folder: string): UsageError => new UsageError(`${folder} already exists and is not overwritten.`);

function isAbsentOrEmpty(folder: string): boolean {
  // A symbolic link that leads nowhere is in the way.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return true;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && readdirSync(folder).length === 0;
}

/** By content, because the files of an installed package may be read-only, and the copies must not be. */
export function copyFolder(from: string, to: string): number {
  let files = 0;
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target);
      files += copyFolder(source, target);
    } else {
      writeFileSync(target, readFileSync(source));
      files += 1;
    }
  }
  return files;
}
