// The lock of a data folder: one supervisor at a time. The next start takes over the lock of a dead holder.
import { OperatorError } from '../../kernel/operator-error.ts';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive, startOf } from './processes.ts';

/** Another live process uses the data folder. */
export class AlreadyRunning extends OperatorError {
  readonly pid: number;

  constructor(pid: number, folder: string) {
    super(`already running: process ${pid} uses ${folder}.`);
    this.pid = pid;
  }
}

export interface Lock {
  /** Whether an earlier holder ended without releasing. Some of its processes may still run. */
  readonly afterCrash: boolean;
  release(): void;
}

const NAME = 'supervisor.lock';

/** The process that holds the lock of a data folder, or undefined. */
export function holderOf(folder: string): number | undefined {
  return liveHolder(readText(path.join(folder, NAME)));
}

/**
 * Takes the lock of a data folder, also from a dead holder.
 * @throws {AlreadyRunning} when a live process holds it
 */
export function takeLock(folder: string): Lock {
  const file = path.join(folder, NAME);
  const mine = path.join(folder, `${NAME}.${process.pid}`);
  const content = `${process.pid} ${startOf(process.pid)}\n`;
  let afterCrash = false;
  try {
    writeFileSync(mine, content, { mode: 0o600 });
    for (;;) {
      try {
        // A hard link appears with its whole content, and fails when the name exists: no start reads an incomplete lock.
        linkSync(mine, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const seen = readText(file);
      const holder = liveHolder(seen);
      if (holder !== undefined) throw new AlreadyRunning(holder, folder);
      removeStale(file, seen, folder);
      afterCrash = true;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    afterCrash,
    release: () => {
      if (readText(file) === content) rmSync(file, { force: true });
    },
  };
}

/** Two starts may find the same dead lock. What was moved away is checked again, and the lock of a live holder is restored. */
function removeStale(file: string, seen: string | undefined, folder: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readText(aside);
  const holder = moved === seen ? undefined : liveHolder(moved);
  if (holder !== undefined) linkSync(aside, file);
  rmSync(aside, { force: true });
  if (holder !== undefined) throw new AlreadyRunning(holder, folder);
}

function liveHolder(content: string | undefined): number | undefined {
  const match = /^(\d+) (.*)$/m.exec(content ?? '');
  const pid = Number(match?.[1]);
  if (match === null || !isAlive(pid)) return undefined;
  // The id may belong to another process by now, above all in a container, where ids start from 1 again.
  return startOf(pid) === match[2] ? pid : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ENOTDIR: the data folder is a file.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
