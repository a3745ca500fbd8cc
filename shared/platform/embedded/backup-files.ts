// Copies files durably, with a digest of each, and lists what was copied.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder, writeDurably } from '../files/durable.ts';
import { SetupError } from './account.ts';
import type { BackupFile } from './backup-manifest.ts';

const CHUNK_BYTES = 256 * 1024;

/** Size and digest of a file's content. */
type Content = Pick<BackupFile, 'bytes' | 'sha256'>;

/**
 * Copies a file into a new one with mode 0600. Resolves when it is durable.
 * @returns the content that was written, also when the file changed meanwhile
 * @throws the file system's error
 */
export async function copyFile(from: string, to: string): Promise<Content> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const content = await copyContent(source, target);
      await target.sync();
      return content;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyContent(source: FileHandle, target: FileHandle): Promise<Content> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await target.writeFile(chunk);
    bytes += bytesRead;
  }
}

/** Copies into a folder, and lists the copies by their paths below it. */
export interface Copier {
  readonly folders: string[];
  readonly files: BackupFile[];
  /** @throws the file system's error, also when the file does not exist */
  file(from: string, to: string): Promise<void>;
  text(text: string, to: string): Promise<void>;
  /**
   * Copies a folder with all below it. Files that are deleted meanwhile are left out.
   * @param isWanted called with each path below the folder, with `/`
   */
  tree(from: string, to: string, isWanted: (name: string) => boolean): Promise<void>;
  /** Makes the copied folders durable. */
  sync(): Promise<void>;
}

/** @param interruption aborted: the copy that is in progress is completed, and the next one fails with the reason */
export function createCopier(root: string, interruption?: AbortSignal): Copier {
  const folders: string[] = [];
  const files: BackupFile[] = [];
  const add = (to: string, content: Content): void => void files.push({ path: to, ...content });
  const file = async (from: string, to: string): Promise<void> => {
    interruption?.throwIfAborted();
    add(to, await copyFile(from, path.join(root, to)));
  };
  return {
    folders,
    files,
    file,
    async text(text, to) {
      await writeDurably(path.join(root, to), text);
      add(to, { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') });
    },
    async tree(from, to, isWanted) {
      const copy = async (name: string): Promise<void> => {
        const [source, target] = [path.join(from, name), name === '' ? to : `${to}/${name}`];
        await mkdir(path.join(root, target), { mode: 0o700 });
        folders.push(target);
        for (const entry of await readdir(source, { withFileTypes: true })) {
          const below = name === '' ? entry.name : `${name}/${entry.name}`;
          if (!isWanted(below)) continue;
          if (entry.isDirectory()) await copy(below);
          else if (entry.isFile()) await file(path.join(from, below), `${to}/${below}`).catch(unlessGone);
          else
            throw new SetupError(
              `${path.join(from, below)} is neither a file nor a folder, and is not backed up. Move it away, or what it links to into its place.`,
            );
        }
      };
      await copy('');
    },
    async sync() {
      for (const folder of folders) await syncFolder(path.join(root, folder));
    },
  };
}

function unlessGone(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
