// The largest tree head that was ever signed, kept outside the database: what a restored backup can't take back.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

/** Where signed checkpoints are kept, one file a log. Shared by all workers (CUSTOS_CHECKPOINT_DIR). */
export interface CheckpointKeeper {
  /** The note that was kept last for this origin, or undefined. @throws the file system's error */
  read(origin: string): Promise<string | undefined>;
  /** Every origin of which a note is kept, sorted. @throws the file system's error */
  origins(): Promise<string[]>;
  /** Resolves when the note will be found after a crash of the machine. @throws the file system's error */
  keep(origin: string, note: string): Promise<void>;
}

const ENDING = '.checkpoint';

/** `custos.local/acme/live/2` is kept in `acme/live/2.checkpoint` below the host's folder; no part of an origin can be `..`. */
function fileOf(dir: string, origin: string): string {
  const parts = origin.split('/').map((part) => encodeURIComponent(part));
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error(`not an origin: ${origin}`);
  return `${path.join(dir, ...parts)}${ENDING}`;
}

/** The origin of a file below the folder; undefined for anything else that lies there. */
function originOf(file: string): string | undefined {
  if (!file.endsWith(ENDING)) return undefined;
  try {
    return file.slice(0, -ENDING.length).split(path.sep).map(decodeURIComponent).join('/');
  } catch {
    return undefined;
  }
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
    async origins() {
      try {
        const files = await readdir(dir, { recursive: true });
        return files.flatMap((file) => originOf(file) ?? []).toSorted();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
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
