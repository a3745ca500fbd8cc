// The largest tree head that was ever signed, kept outside the database: what a restored backup can't take back.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

/** Where signed checkpoints are kept, one file a log. Shared by all workers (CUSTOS_CHECKPOINT_DIR). */
export interface CheckpointKeeper {
  /** The note that was kept last for this origin, or undefined. @throws the file system's error */
  read(origin: string): Promise<string | undefined>;
  /** Resolves when the note will be found after a crash of the machine. @throws the file system's error */
  keep(origin: string, note: string): Promise<void>;
}

/** `custos.local/acme/live/2` is kept in `acme/live/2.checkpoint` below the host's folder; no part of an origin can be `..`. */
function fileOf(dir: string, origin: string): string {
  const parts = origin.split('/').map((part) => encodeURIComponent(part));
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error(`not an origin: ${origin}`);
  return `${path.join(dir, ...parts)}.checkpoint`;
}

export function createCheckpointKeeper(dir: string): CheckpointKeeper {
  return {
    async read(origin) {
      try {
        return await readFile(fileOf(dir, origin), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async keep(origin, note) {
      const file = fileOf(dir, origin);
      const folder = path.dirname(file);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Workers of several machines share the folder, and in containers their process ids are equal.
      const temporary = `${file}.${randomUUID()}.new`;
      const handle = await open(temporary, 'w', 0o600);
      try {
        await handle.writeFile(note);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
      // The rename is durable only when its folder is.
      const folderHandle = await open(folder, 'r');
      try {
        await folderHandle.sync();
      } finally {
        await folderHandle.close();
      }
    },
  };
}
