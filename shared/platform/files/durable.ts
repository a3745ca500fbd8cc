// Writes files so that they are on disk when that is said.
import { open } from 'node:fs/promises';

/** Writes a new file with mode 0600. Resolves when its content is durable; its name is when its folder is (`syncFolder`). @throws the file system's error */
export async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable. @throws the file system's error */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
