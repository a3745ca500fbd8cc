// Connections that a process gets from its supervisor, which listens for several processes.
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type SupervisedProcess, tellSupervisor } from './supervisor-channel.ts';

/** Variable by which the supervisor tells a process that it sends connections. */
export const HANDED_CONNECTIONS = 'HANDED_CONNECTIONS';
/** Variable by which the supervisor tells a process that it counts rate limits for several (shared-counters.ts). */
export const SHARED_COUNTERS = 'SHARED_COUNTERS';

/** Message of the supervisor, with a socket. */
export interface ConnectionMessage {
  readonly type: 'connection';
  readonly id: number;
}

/** Answer of the process: it has taken the connection. */
export interface TakenMessage {
  readonly type: 'taken';
  readonly id: number;
}

export function isTakenMessage(message: unknown): message is TakenMessage {
  const { type, id } = (message ?? {}) as Partial<TakenMessage>;
  return type === 'taken' && typeof id === 'number';
}

function isConnectionMessage(message: unknown): message is ConnectionMessage {
  const { type, id } = (message ?? {}) as Partial<ConnectionMessage>;
  return type === 'connection' && typeof id === 'number';
}

export interface HandedConnections {
  /** Waits until all of them are closed, then closes the remaining ones. Close the server first, which closes the idle ones. */
  close(deadlineMs: number): Promise<void>;
}

/** Serves the connections that the supervisor sends. The server must listen, too: only then it has deadlines against slow clients. */
export function serveHanded(server: Server, host: SupervisedProcess): HandedConnections {
  const open = new Set<Socket>();
  host.on('message', (message: unknown, socket: unknown) => {
    if (!isConnectionMessage(message)) return;
    // Before anything is read: the supervisor hands a connection that was not taken to another process.
    tellSupervisor(host, { type: 'taken', id: message.id } satisfies TakenMessage);
    // Absent when the client closed the connection on the way.
    if (!(socket instanceof Socket)) return;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    server.emit('connection', socket);
  });
  return {
    async close(deadlineMs) {
      const deadline = performance.now() + deadlineMs;
      while (open.size > 0 && performance.now() < deadline) await delay(20);
      for (const socket of open) socket.destroy();
    },
  };
}
