// Checking a folder again whenever it changes: one check at a time, and never without a last one after the last write.
import { setTimeout as delay } from 'node:timers/promises';
import { stampOfFolder } from '../../shared/domain/policy-sets/folder.ts';
import { say } from '../frame.ts';
import { type CheckedFolder, checkFolder } from './findings.ts';
import { testsDirOf } from './folder.ts';
import { EXIT, UsageError } from '../frame.ts';
import { type ExitCode } from './exit-codes.ts';

/** How often the folder is looked at; reading its names and times costs little. */
const LOOK_EVERY_MS = 250;

/** What the file system says of the folder and its tests; undefined while it can't tell, and then the files are read. */
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
 * Shows the check of a folder at once, and after every change that has settled (two equal readings, so that half a write
 * is not shown), until SIGINT or SIGTERM. A stamp that was taken before a reading stands for what was read; files that are
 * so new that their times do not tell are read again until they do.
 */
export async function watchFolder(dir: string, show: (checked: CheckedFolder, at: Date) => void): Promise<ExitCode> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  let stampRead: string | undefined;
  let lastRead: string | undefined;
  let lastShown: string | undefined;
  /** One look: what it found is a fingerprint, or the sentence of why there is none. */
  const look = async (): Promise<void> => {
    const stamp = await stampOf(dir);
    if (stamp !== undefined && stamp === stampRead) return;
    const checked = await checkFolder(dir).catch((error: unknown) => {
      // An editor may put a new folder in the place of the old one: said once, and looked for again.
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
      await look();
      await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
  return EXIT.ok;
}
