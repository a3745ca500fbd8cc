// The lock of a data folder: one supervisor at a time. The next start takes over the lock of a dead holder.
import { OperatorError } from '../../kernel/operator-error.ts';
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answersAt, type Beacon, lightBeacon } from './beacon.ts';
import { isAlive, startOf } from './processes.ts';

/** Another live process uses the data folder. */
export class AlreadyRunning extends OperatorError {
  readonly pid: number;

  /** @param isElsewhere whether its id is that of another container, which shares the folder */
  constructor(pid: number, folder: string, isElsewhere = false) {
    super(`already running: process ${pid} ${isElsewhere ? 'of another container ' : ''}uses ${folder}.`);
    this.pid = pid;
  }
}

export interface Lock {
  /** Whether an earlier holder ended without releasing. Some of its processes may still run. */
  readonly afterCrash: boolean;
  release(): void;
}

const NAME = 'supervisor.lock';

/** The process that holds the lock of a data folder, or undefined; also when it is one of another container. */
export function holderOf(folder: string): number | undefined {
  const noted = notedIn(readText(path.join(folder, NAME)));
  return noted !== undefined && isHere(noted) ? noted.pid : undefined;
}

/**
 * Takes the lock of a data folder, also from a dead holder.
 * @throws {AlreadyRunning} when a live process holds it, of this container or another one
 */
export async function takeLock(folder: string): Promise<Lock> {
  const file = path.join(folder, NAME);
  // Processes of two containers may have the same id.
  const id = randomBytes(6).toString('hex');
  const mine = `${file}.${id}`;
  // Before the lock is there: whoever reads its name can connect.
  const beacon = await lightBeacon(folder, `${NAME}.${id}.socket`);
  const content = `${process.pid} ${startOf(process.pid)}\n${beacon?.name ?? ''}\n`;
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
      await refuseLive(seen, folder);
      await removeStale(file, seen, folder);
      afterCrash = true;
    }
  } catch (error) {
    beacon?.close();
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
  return { afterCrash, release: () => release(file, content, beacon) };
}

function release(file: string, content: string, beacon: Beacon | undefined): void {
  if (readText(file) === content) rmSync(file, { force: true });
  beacon?.close();
}

/** Two starts may find the same dead lock. What was moved away is checked again, and the lock of a live holder is restored. */
async function removeStale(file: string, seen: string | undefined, folder: string): Promise<void> {
  const aside = `${file}.stale.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readText(aside);
  try {
    if (moved !== seen) await refuseLive(moved, folder);
    const beacon = notedIn(moved)?.beacon;
    if (beacon !== undefined) rmSync(path.join(folder, beacon), { force: true });
  } catch (error) {
    linkSync(aside, file);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** What a lock says about its holder. */
interface Noted {
  readonly pid: number;
  /** Of the process, as `startOf` gives it. */
  readonly start: string;
  /** File name of its socket (beacon.ts). */
  readonly beacon: string | undefined;
}

function notedIn(content: string | undefined): Noted | undefined {
  const match = /^(\d+) (.*)(?:\n(supervisor\.lock\.[0-9a-f]+\.socket))?$/m.exec(content ?? '');
  return match === null ? undefined : { pid: Number(match[1]), start: match[2] ?? '', beacon: match[3] };
}

/** Whether the holder is a live process whose id can be seen from here. The id may belong to another process by now. */
const isHere = ({ pid, start }: Noted): boolean => isAlive(pid) && startOf(pid) === start;

/** @throws {AlreadyRunning} when the holder lives */
async function refuseLive(content: string | undefined, folder: string): Promise<void> {
  const noted = notedIn(content);
  if (noted === undefined) return;
  if (isHere(noted)) throw new AlreadyRunning(noted.pid, folder);
  if (noted.beacon !== undefined && (await answersAt(folder, noted.beacon)))
    throw new AlreadyRunning(noted.pid, folder, true);
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
