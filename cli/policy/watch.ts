// Checks a folder again whenever it changes: one check at a time, and always one after the last write.
import { setTimeout as delay } from 'node:timers/promises';
import { stampOfFolder } from '../../shared/domain/policy-sets/folder.ts';
import { say, UsageError } from '../exit.ts';
import { type CheckedFolder, checkFolder } from './findings.ts';
import { testsDirOf } from './folder.ts';

/** Polling interval. Reading names and times of the files costs little. */
const POLL_MS = 250;

/** Names and times of the files of the folder and its tests; undefined while they are too new to tell a change. */
async function stampOf(dir: string): Promise<string | undefined> {
  const stamps = await Promise.all(
    [dir, testsDirOf(dir)].map((one, i) =>
      stampOfFolder(one, Date.now()).catch((error: NodeJS.ErrnoException) =>
        i === 1 && error.code === 'ENOENT' ? 'none' : undefined,
      ),
    ),
  );
  return stamps.includes(undefined) ? undefined : stamps.join('\n');
}

/**
 * Shows the check of a folder at once, and after every change, until SIGINT or SIGTERM. A change is shown when two
 * successive readings are equal, so that a half-written file is not. The stamp is taken before the files are read, so a
 * write during the reading changes the next stamp; without a stamp the files are read again.
 */
export async function watchFolder(dir: string, show: (checked: CheckedFolder, at: Date) => void): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  let stampRead: string | undefined;
  let lastRead: string | undefined;
  let lastShown: string | undefined;
  const poll = async (): Promise<void> => {
    const stamp = await stampOf(dir);
    if (stamp !== undefined && stamp === stampRead) return;
    const checked = await checkFolder(dir).catch((error: unknown) => {
      // An editor may replace the folder: its absence is reported once, and the folder is read again.
      if (error instanceof UsageError) return error;
      throw error;
    });
    const found = checked instanceof UsageError ? checked.message : checked.fingerprint;
    const isSettled = found === lastRead || lastRead === undefined;
    lastRead = found;
    if (!isSettled) return;
    if (found !== lastShown) {
      if (checked instanceof UsageError) say(`custos: ${checked.message}`);
      else show(checked, new Date());
      lastShown = found;
    }
    stampRead = checked instanceof UsageError ? undefined : stamp;
  };
  try {
    while (!stop.signal.aborted) {
      await poll();
      await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
