// A TCP proxy that a test makes slow, silent or unreachable: the network between a process and its database.
import { once, setMaxListeners } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from './cleanup.ts';
import { waitFor } from './wait.ts';

/**
 * - `none`: all passes.
 * - `latency`: each answer arrives that much later; requests pass at once.
 * - `stall`: connections are accepted, nothing passes in either direction. What was held passes when the trouble ends.
 * - `stall-new`: the same for connections that are opened now; those that are open go on.
 * - `refuse`: all connections are reset, and new ones are refused.
 */
export type NetworkTrouble =
  | { readonly kind: 'none' | 'stall' | 'stall-new' | 'refuse' }
  | { readonly kind: 'latency'; readonly latencyMs: number };

export interface TcpProxy {
  /** An address of the target, through the proxy. */
  through(url: string): string;
  /** Ends the trouble before, and begins this one. */
  set(trouble: NetworkTrouble): Promise<void>;
  close(): Promise<void>;
}

/** Aborted when a trouble is over; everything that is held listens. */
function newTrouble(): AbortController {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  return over;
}

/** @param target whose host and port are proxied, such as a database address */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<net.Socket>();
  const clients = new Set<net.Socket>();
  let trouble: NetworkTrouble = { kind: 'none' };
  let isOver = newTrouble();

  const open = (client: net.Socket): void => {
    const upstream = net.connect({ host: hostname, port: Number(targetPort), allowHalfOpen: true });
    // Set for as long as the trouble lasts in which the connection was opened.
    const bornIn = trouble;
    const held = async (isAnswer: boolean): Promise<void> => {
      const arrivedMs = performance.now();
      for (;;) {
        const { kind } = trouble;
        const isStalled = kind === 'stall' || (kind === 'stall-new' && bornIn === trouble);
        if (isStalled) await once(isOver.signal, 'abort');
        else if (trouble.kind === 'latency' && isAnswer) {
          const leftMs = arrivedMs + trouble.latencyMs - performance.now();
          if (leftMs <= 0) return;
          // Held no longer than the trouble lasts.
          await delay(leftMs, undefined, { signal: isOver.signal }).catch(() => undefined);
        } else return;
      }
    };
    const pass = (from: net.Socket, to: net.Socket, isAnswer: boolean): void => {
      // One after the other, so that nothing overtakes what was held.
      let last = Promise.resolve();
      const inTurn = (work: () => void): void => {
        const free = held(isAnswer);
        last = last.then(() => free).then(work);
      };
      from.on('data', (chunk: Buffer) => inTurn(() => void (to.destroyed || to.write(chunk))));
      from.on('end', () => inTurn(() => void (to.destroyed || to.end())));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        clients.delete(from);
        inTurn(() => void to.destroy());
      });
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
    }
    clients.add(client);
    pass(client, upstream, false);
    pass(upstream, client, true);
  };

  const server = net.createServer({ allowHalfOpen: true }, open);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  await listen(0);
  // A TCP server has an address with a port.
  const { port } = server.address() as net.AddressInfo;

  const resetAll = (): void => {
    for (const client of clients) client.resetAndDestroy();
  };
  const stopListening = (): void => {
    // Ends when its connections have: nobody waits for that.
    server.close();
  };
  const close = async (): Promise<void> => {
    if (server.listening) stopListening();
    for (const socket of sockets) socket.destroy();
    isOver.abort();
  };
  atEnd(close);

  return {
    through(url) {
      const address = new URL(url);
      address.hostname = '127.0.0.1';
      address.port = String(port);
      return address.href;
    },
    async set(next) {
      const wasRefused = trouble.kind === 'refuse';
      trouble = next;
      isOver.abort();
      isOver = newTrouble();
      if (next.kind === 'refuse') {
        stopListening();
        resetAll();
      } else if (wasRefused)
        // Another process may have been given the port for a moment.
        await waitFor(() => listen(port).then(() => true), { what: `port ${port} to be free` });
    },
    close,
  };
}
