// The data folder: creates it, and describes errors of the file system below it.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../files/folders.ts';
import { fileFailure } from '../files/reasons.ts';
import { SetupError } from './account.ts';

/** A folder of root can be entered by the server's account; each file in it is protected by its own mode. */
export function makeDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return;
  makeFolder(dataDir);
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/** Writes a file atomically and durably: after a crash or a loss of power it is complete, or as before. Mode 0600. */
export function writeWhole(file: string, content: string): void {
  const part = `${file}.new`;
  writeFileSync(part, content, { mode: 0o600, flush: true });
  renameSync(part, file);
  // Windows can't open a folder.
  if (process.platform === 'win32') return;
  const folder = openSync(path.dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** An error of the file system in the data folder or on the path to it as a sentence; any other error unchanged. */
export function describeFileError(error: unknown, dataDir: string): unknown {
  const failure = fileFailure(error);
  if (failure?.reason === undefined) return error;
  const { code, reason, file, syscall } = failure;
  // Node doesn't name the file when it was open already.
  if (file === undefined && syscall === 'write')
    return new SetupError(`A file can't be written: ${reason} (${code}). The data folder is ${dataDir}.`, {
      cause: error,
    });
  if (file === undefined || !(isWithin(file, dataDir) || isWithin(dataDir, file))) return error;
  return new SetupError(
    `The data folder ${dataDir} can't be used: ${reason} (${code}, ${file}). Set CUSTOS_DATA_DIR to a folder that this user can write.`,
    { cause: error },
  );
}

/** Whether a path is a folder or below it. */
export function isWithin(file: string, folder: string): boolean {
  return `${file}${path.sep}`.startsWith(`${folder}${path.sep}`);
}

/** The path without symbolic links, also of what does not exist yet. */
export function realPlace(file: string): string {
  const parent = path.dirname(file);
  if (existsSync(file)) return realpathSync(file);
  return parent === file ? file : path.join(realPlace(parent), path.basename(file));
}
