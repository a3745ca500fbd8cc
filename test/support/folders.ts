// Temporary folders of tests. All are removed at the end of the run, and so are the folders of killed runs.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isAlive, signal, waitForEnd } from '../../shared/platform/embedded/processes.ts';
import { atEnd } from './cleanup.ts';

const PREFIX = 'custos-test-';

/** The in-memory file system of Linux. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES = 8 * 1024 ** 3;

/** A folder for fast writes: in memory if enough space is free there, otherwise the folder for temporary files. */
export function fastRoot(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES ? MEMORY : os.tmpdir();
  } catch {
    return os.tmpdir();
  }
}

/** A new empty folder that PostgreSQL's account can traverse. */
export function temporaryFolder(label = 'dir', root = os.tmpdir()): string {
  const folder = mkdtempSync(path.join(root, `${PREFIX}${process.pid}-${label}-`));
  chmodSync(folder, 0o711);
  atEnd(() => removeFolder(folder));
  return folder;
}

/** A path that does not exist yet, inside a temporary folder. */
export function temporaryDataDir(root = os.tmpdir()): string {
  return path.join(temporaryFolder('data', root), 'custos');
}

/** Names the data folder that `prepareServer` (database.ts) has made, for the processes of one run of the suite. */
export const PREPARED = 'CUSTOS_TEST_PREPARED';

/** A data folder whose database is migrated with the test pepper, if this run has prepared one. Otherwise it does not exist yet. */
export function preparedDataDir(root?: string): string {
  const dataDir = temporaryDataDir(root);
  const prepared = process.env[PREPARED];
  // Node does not copy the owner of a file.
  if (prepared !== undefined) execFileSync('cp', ['-a', prepared, dataDir]);
  return dataDir;
}

const OF_RUN = 'CUSTOS_TEST_RUN';

/** A folder that all processes of one run of the suite share, made by the first that asks: the suite's, or the only one. */
export function folderOfRun(): string {
  return (process.env[OF_RUN] ??= temporaryFolder('run'));
}

/** Stops the databases and removes the folders of runs that were killed before their cleanup. */
export async function removeLeftovers(): Promise<void> {
  const roots = [...new Set([os.tmpdir(), fastRoot()])];
  for (const folder of roots.flatMap((root) => readdirSync(root).map((name) => path.join(root, name)))) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(path.basename(folder))?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    try {
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (path.basename(file) !== 'postmaster.pid') continue;
        const pid = Number(readFileSync(path.join(folder, file), 'utf8').split('\n')[0]);
        if (!Number.isSafeInteger(pid) || pid <= 1 || !isAlive(pid)) continue;
        signal(pid, 'SIGQUIT');
        await waitForEnd(pid, 5_000);
      }
      removeFolder(folder);
    } catch {
      // The folder belongs to another user, or another run has removed it already.
    }
  }
}

function removeFolder(folder: string): void {
  // As root, the database is in another place if PostgreSQL's account cannot enter this folder. It still belongs to this folder.
  const pointer = path.join(folder, 'custos', 'postgres.location');
  if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
