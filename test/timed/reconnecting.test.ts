// After PostgreSQL was away, all requests of a process need a connection at the same time. A busy server opens many connections at once
// more slowly than any request waits.
import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { createTestDatabase, openTestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';

const LANES = 16;
/** What a server that does nothing else needs to open a connection. Sixteen at once take 1.6 s, and a request waits 0.7 s. */
const OPENING_MS = 100;
const TICK_MS = 10;
const WITHIN_MS = 5_000;

/** A proxy that shares its time among the connections that are being opened, as a machine with one core does. */
async function startBusyServer(target: URL): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<net.Socket>();
  const opening = new Map<net.Socket, number>();
  const forward = (client: net.Socket): void => {
    const server = net.connect(Number(target.port), target.hostname);
    sockets.add(server);
    server.on('error', () => undefined).on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    client.pipe(server).pipe(client);
  };
  const proxy = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined).on('close', () => opening.delete(client));
    opening.set(client, OPENING_MS);
  });
  const timer = setInterval(() => {
    const share = TICK_MS / opening.size;
    for (const [client, left] of opening) {
      if (left > share) opening.set(client, left - share);
      else {
        opening.delete(client);
        forward(client);
      }
    }
  }, TICK_MS);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as net.AddressInfo).port,
    close() {
      clearInterval(timer);
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a process whose connections to PostgreSQL were all lost', () => {
  it('gets them back on a server that opens many at once more slowly than a request waits', async () => {
    const database = await createTestDatabase();
    const server = await startBusyServer(new URL(database.url));
    const url = new URL(database.url);
    url.host = `127.0.0.1:${server.port}`;
    const db = await openTestDatabase(url.href, { patient: false, applicationName: 'reconnecting', poolSize: LANES });
    const looker = await openTestDatabase(database.url);
    const ask = (): Promise<boolean> =>
      db.query('SELECT 1 AS one', []).then(
        () => true,
        () => false,
      );
    try {
      const allAnswered = () =>
        Promise.all(Array.from({ length: LANES }, (_, lane) => waitFor(ask, { what: `lane ${lane} to be answered` })));
      await allAnswered();
      const END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'reconnecting'";
      await looker.query(END, []);
      const startedMs = performance.now();
      await allAnswered();
      expect(performance.now() - startedMs).to.be.below(WITHIN_MS);
    } finally {
      await db.close();
      await looker.close();
      server.close();
      await database.drop();
    }
  });
});
