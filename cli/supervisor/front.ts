// The port of ingress: the supervisor accepts connections and hands each to the process with the fewest that it has not taken yet. A
// shared listening socket would not spread them: of 64 connections that open at once, one process gets 60. While no process is ready, for
// example while the only one is replaced, connections wait and are not refused.
import type { ChildProcess } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { type ConnectionMessage, isTakenMessage } from '../../shared/platform/process/handed.ts';
import type { Place } from './ports.ts';

/** More connections are closed: their clients would give up before a process is there. */
const MAX_WAITING = 4_096;

/** A connection that waits this long is closed, so that its client is not left without any answer. A process is there in less, usually. */
export const MAX_WAIT_MS = 5_000;

/**
 * Time to read the last messages of a process that ended. Of the connections that it has not taken by then, it has read nothing.
 */
const LAST_MESSAGES_MS = 50;

/** A process that takes connections. */
interface Member {
  readonly child: ChildProcess;
  /** Connections that were sent and not taken yet, by their id: a frozen process takes none. */
  readonly pending: Map<number, Socket>;
  /** Id of the last one that it got. */
  last: number;
}

export interface Front {
  /** Listens. @returns the port in use, or the code of the error */
  listen(place: Place): Promise<number | string>;
  /** The process takes connections from now on, until it ends. */
  add(child: ChildProcess): void;
  /** Accepts no more connections. */
  close(): void;
}

export function createFront(): Front {
  const members = new Set<Member>();
  const waiting = new Set<Socket>();
  let ids = 0;

  const hand = (socket: Socket): void => {
    if (socket.destroyed) return;
    const [member] = [...members]
      .filter(({ child }) => child.connected)
      .sort((a, b) => a.pending.size - b.pending.size || a.last - b.last);
    if (member === undefined) {
      if (waiting.size >= MAX_WAITING) socket.destroy();
      else
        waiting.add(socket.once('close', () => waiting.delete(socket)).setTimeout(MAX_WAIT_MS, () => socket.destroy()));
      return;
    }
    socket.setTimeout(0);
    const id = (ids += 1);
    member.pending.set(id, socket);
    member.last = id;
    // It stays open here until it is taken: Node would leave a connection open for ever whose receiver ended on the way.
    member.child.send({ type: 'connection', id } satisfies ConnectionMessage, socket, { keepOpen: true }, (error) => {
      if (error && member.pending.delete(id)) hand(socket);
    });
  };
  // Paused, so that this process reads nothing of what another one shall read.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    // A client that goes away while it waits.
    socket.on('error', () => undefined);
    hand(socket);
  });
  return {
    listen: ({ host, port }) =>
      new Promise((resolve) => {
        const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
        server.once('error', failed);
        server.listen(port, host, () => {
          server.off('error', failed);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    add(child) {
      const member: Member = { child, pending: new Map(), last: 0 };
      child.on('message', (message) => {
        if (!isTakenMessage(message)) return;
        // Closes the descriptor of this process only.
        member.pending.get(message.id)?.destroy();
        member.pending.delete(message.id);
      });
      const handOn = (): void => {
        const left = [...member.pending.values()];
        member.pending.clear();
        for (const socket of left) hand(socket);
      };
      // Not `disconnect`, which never comes when the process has not acknowledged a socket.
      child.once('exit', () => {
        members.delete(member);
        setTimeout(handOn, LAST_MESSAGES_MS);
      });
      members.add(member);
      const all = [...waiting];
      waiting.clear();
      for (const socket of all) hand(socket);
    },
    close() {
      server.close();
      for (const socket of waiting) socket.destroy();
    },
  };
}
