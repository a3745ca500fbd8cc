// A TCP proxy between a process and its database that a test can make slow, silent or unreachable.
import { once, setMaxListeners } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from './cleanup.ts';
import { waitFor } from './wait.ts';

/**
 * - `none`: everything is forwarded.
 * - `latency`: each answer is delayed by that time; requests are forwarded at once.
 * - `stall`: connections are accepted, but nothing is forwarded in either direction. Held data is forwarded when the fault ends.
 * - `stall-new`: the same for new connections; open ones keep working.
 * - `refuse`: all connections are reset, and new ones are refused.
 */
export type NetworkTrouble =
  | { readonly kind: 'none' | 'stall' | 'stall-new' | 'refuse' }
  | { readonly kind: 'latency'; readonly latencyMs: number };

export interface TcpProxy {
  /** An address of the target with the host and port of the proxy. */
  through(url: string): string;
  /** Ends the current fault and starts this one. */
  set(trouble: NetworkTrouble): Promise<void>;
  close(): Promise<void>;
}

/** Aborted when a fault ends. All held data waits for it. */
function newTrouble(): AbortController {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  return over;
}

/** @param target the address whose host and port are proxied, such as a database address */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<net.Socket>();
  const clients = new Set<net.Socket>();
  let trouble: NetworkTrouble = { kind: 'none' };
  let isOver = newTrouble();

  const open = (client: net.Socket): void => {
    const upstream = net.connect({ host: hostname, port: Number(targetPort), allowHalfOpen: true });
    // Set while the fault during which the connection was opened lasts.
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
          // Held at most until the fault ends.
          await delay(leftMs, undefined, { signal: isOver.signal }).catch(() => undefined);
        } else return;
      }
    };
    const pass = (from: net.Socket, to: net.Socket, isAnswer: boolean): void => {
      // Chunks are written in sequence, so that none overtakes held data.
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
  // The address of a TCP server always has a port.
  const { port } = server.address() as net.AddressInfo;

  const resetAll = (): void => {
    for (const client of clients) client.resetAndDestroy();
  };
  const stopListening = (): void => {
    // close() completes only when all connections have ended, so it is not awaited.
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
        // Another process may hold the port for a moment.
        await waitFor(() => listen(port).then(() => true), { what: `port ${port} to be free` });
    },
    close,
  };
}
