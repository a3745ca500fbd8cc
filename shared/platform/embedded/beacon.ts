// A socket in a data folder that shows that its process lives, also to processes of other containers that share the folder and can't see
// that process. The kernel ends it with the process, and a frozen process keeps it.
import { once } from 'node:events';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';

export interface Beacon {
  /** Of the socket's file in the folder. */
  readonly name: string;
  /** Removes it; once, however often it is called. */
  close(): void;
}

/** The address of a socket is at most 107 bytes long, which the path of a folder may exceed. */
const addressOf = (descriptor: number, name: string): string => `/proc/self/fd/${descriptor}/${name}`;

/**
 * Listens on a new socket of the folder. Undefined where containers don't share folders in this way (only Linux does), and on file systems
 * without sockets.
 */
export async function lightBeacon(folder: string, name: string): Promise<Beacon | undefined> {
  if (process.platform !== 'linux') return undefined;
  const descriptor = openSync(folder, 'r');
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(addressOf(descriptor, name), () => resolve(true));
  });
  if (!listens) {
    closeSync(descriptor);
    return undefined;
  }
  chmodSync(path.join(folder, name), 0o600);
  let isOpen = true;
  return {
    name,
    close() {
      // A second call would close whatever has the number of the descriptor by then.
      if (!isOpen) return;
      isOpen = false;
      // Deletes the file at once.
      server.close();
      closeSync(descriptor);
    },
  };
}

/** Errors of a socket that nobody listens on any more. */
const DARK = new Set(['ECONNREFUSED', 'ENOENT']);

/** Whether a process listens on the socket. Of one that can't be asked this is assumed. */
export async function answersAt(folder: string, name: string): Promise<boolean> {
  const descriptor = openSync(folder, 'r');
  const socket = connect(addressOf(descriptor, name));
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return !DARK.has((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
    closeSync(descriptor);
  }
}
