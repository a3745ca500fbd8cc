// The installation's folder: the one whose package.json has this project's name, for sources and dist alike.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path of the installation's root folder. @throws {Error} when no parent folder has it */
export function findRoot(): string {
  const from = fileURLToPath(import.meta.url);
  for (let dir = path.dirname(from); ; dir = path.dirname(dir)) {
    const file = path.join(dir, 'package.json');
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === 'custos')
      return dir;
    if (dir === path.dirname(dir)) throw new Error(`no parent folder of ${from} is an installation of custos`);
  }
}

/** The version of the installation, from its package.json. */
export function readVersion(root: string): string {
  // npm refuses a package.json whose version is not a string.
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
