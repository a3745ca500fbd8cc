// A small file system in memory that the harness can fill. Only root may mount one.
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atEnd } from '../../support/cleanup.ts';
import { temporaryFolder } from '../../support/folders.ts';

export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  /** Removes what `fill` wrote. */
  free(): void;
  close(): void;
}

/** Enough for a new cluster, a gigabyte of its write-ahead log is not: PostgreSQL is told to keep less. */
const SIZE_MB = 640;
export const MAX_WAL = '96MB';
const CHUNK = Buffer.alloc(4 * 1024 * 1024);

/** Mounts the file system. undefined: this process may not, or it is not Linux. */
export function mountSmallDisk(): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = temporaryFolder('disk');
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0711`, 'tmpfs', folder]);
  if (mounted.status !== 0) return undefined;
  const ballast = path.join(folder, 'ballast');
  let isMounted = true;
  const close = (): void => {
    if (!isMounted) return;
    isMounted = false;
    // Lazily: a process that is ending may still have a file open.
    spawnSync('umount', ['--lazy', folder]);
  };
  atEnd(close);
  return {
    folder,
    fill() {
      for (let written = 0; statfsSync(folder).bavail > 0; written += CHUNK.length) {
        const { bavail, bsize } = statfsSync(folder);
        const left = bavail * bsize;
        try {
          writeFileSync(ballast, CHUNK.subarray(0, Math.min(left, CHUNK.length)), { flag: 'a' });
        } catch (error) {
          // Others write, too: what is left may be gone by now.
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
        if (written > 2 * SIZE_MB * 1024 * 1024) throw new Error('the disk does not fill');
      }
    },
    free: () => rmSync(ballast, { force: true }),
    close,
  };
}
