// Reads folders again whenever they change: one reading at a time, and always one after the last write.
import { setTimeout as delay } from 'node:timers/promises';
import { stampOfFolder } from '../../shared/domain/policy-sets/folder.ts';
import { say, UsageError } from '../exit.ts';

/** Polling interval. Reading names and times of the files costs little. */
const POLL_MS = 250;

/** One reading of the watched folders. */
export interface WatchedState {
  /** Changes whenever a byte of a file does. */
  readonly fingerprint: string;
  readonly show: (at: Date) => void | Promise<void>;
}

/** Names and times of the files of the folders; undefined while they are too new to tell a change. */
async function stampOf(dirs: readonly string[]): Promise<string | undefined> {
  const stamps = await Promise.all(
    dirs.map((dir, i) =>
      stampOfFolder(dir, Date.now()).catch((error: NodeJS.ErrnoException) =>
        i > 0 && error.code === 'ENOENT' ? 'none' : undefined,
      ),
    ),
  );
  return stamps.includes(undefined) ? undefined : stamps.join('\n');
}

/**
 * Shows the state of folders at once, and after every change, until SIGINT or SIGTERM. A change is shown when two
 * successive readings are equal, so that a half-written file is not. The stamp is taken before the files are read, so a
 * write during the reading changes the next stamp; without a stamp the files are read again.
 * @param dirs all but the first one may be absent
 * @param read throws a UsageError for folders that can't be read now
 */
export async function watchFolders(dirs: readonly string[], read: () => Promise<WatchedState>): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  let stampRead: string | undefined;
  let lastRead: string | undefined;
  let lastShown: string | undefined;
  const poll = async (): Promise<void> => {
    const stamp = await stampOf(dirs);
    if (stamp !== undefined && stamp === stampRead) return;
    const state = await read().catch((error: unknown) => {
      // An editor may replace the folder: its absence is reported once, and the folder is read again.
      if (error instanceof UsageError) return error;
      throw error;
    });
    const found = state instanceof UsageError ? state.message : state.fingerprint;
    const isSettled = found === lastRead || lastRead === undefined;
    lastRead = found;
    if (!isSettled) return;
    if (found !== lastShown) {
      if (state instanceof UsageError) say(`custos: ${state.message}`);
      else await state.show(new Date());
      lastShown = found;
    }
    stampRead = state instanceof UsageError ? undefined : stamp;
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
