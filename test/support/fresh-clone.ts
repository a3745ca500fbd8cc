// What somebody has who cloned the repository and ran `npm ci && npm start`: no more is built than the command builds by itself.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../shared/platform/config/root.ts';
import { fastRoot, temporaryFolder } from './folders.ts';
import { cleanEnv } from './process.ts';

const COPIED = [
  'bin',
  'cli',
  'clients/typescript',
  'examples',
  'ingress',
  'shared',
  'workers',
  'package.json',
  'tsconfig.json',
];
/** Nothing is built from them. Go compiles them anew in another folder. */
const LINKED = ['node_modules', 'policies', 'clients/go', 'clients/python'];
const NOT_IN_A_CLONE = ['dist', 'node_modules'];

/** @returns the folder */
export async function freshClone(): Promise<string> {
  const root = findRoot();
  const clone = temporaryFolder('clone', fastRoot());
  for (const name of COPIED) {
    const filter = (from: string): boolean => !NOT_IN_A_CLONE.includes(path.basename(from));
    cpSync(path.join(root, name), path.join(clone, name), { recursive: true, filter });
  }
  mkdirSync(path.join(clone, 'clients'), { recursive: true });
  for (const name of LINKED) symlinkSync(path.join(root, name), path.join(clone, name));
  await promisify(execFile)(process.execPath, ['bin/custos.js', '--version'], { cwd: clone, env: cleanEnv({}) });
  return clone;
}
