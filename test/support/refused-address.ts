// An address that refuses connections for as long as a test needs it.
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';

export interface RefusedAddress {
  readonly url: string;
  /** Gives the port back. */
  close(): Promise<void>;
}

/** Holds a port as the local end of a connection: nothing listens on it, and no other process can be given it, as it can a closed port. */
export async function holdRefusedAddress(): Promise<RefusedAddress> {
  const server = net.createServer((socket) => void socket.on('error', () => undefined).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return {
    url: `http://127.0.0.1:${socket.localPort}`,
    async close() {
      // A reset leaves no TIME_WAIT behind, in which the port could not be taken.
      socket.resetAndDestroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
