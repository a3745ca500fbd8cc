// The folder of the package, for sources, build and installed package alike, and the folders that default paths start from.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Places } from './forms.ts';

/** The absolute path of the package's folder: the nearest one above this file that has a package.json. @throws {Error} when none has */
export function findRoot(): string {
  const from = fileURLToPath(import.meta.url);
  for (let dir = path.dirname(from); ; dir = path.dirname(dir)) {
    if (existsSync(path.join(dir, 'package.json'))) return dir;
    if (dir === path.dirname(dir)) throw new Error(`no parent folder of ${from} has a package.json`);
  }
}

/** Whether the folder is a checkout of the repository: it has a file that the package leaves out. */
export function isCheckout(root: string): boolean {
  return existsSync(path.join(root, 'tsconfig.json'));
}

/**
 * Where a process finds files. Data and policies of an installed package are by default in the folder in which it is started,
 * because an update of the package deletes its folder. A checkout keeps them in its own folder.
 */
export function findPlaces(cwd = process.cwd(), root = findRoot()): Places {
  return { root, cwd, home: isCheckout(root) ? root : cwd };
}

/** The version of the installation, from its package.json. */
export function readVersion(root: string): string {
  // npm refuses a package.json whose version is not a string.
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
