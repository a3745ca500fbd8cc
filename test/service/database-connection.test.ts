// A server that ends a session while the pool hands it out: the answer is E6002, and the process survives.
import net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { createGate } from '../support/gate.ts';

/** ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\u0000\u0000\u0000\u0005I', 'latin1');

/** ErrorResponse: FATAL 57P01, which a server sends to every session at shutdown. */
function shutdownMessage(): Buffer {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
    'latin1',
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a session that the server ends while the pool hands it out', () => {
  let database: TestDatabase;
  let db: Database;
  let proxy: net.Server;
  let isShuttingDown = false;
  const sockets = new Set<net.Socket>();

  before(async () => {
    database = await createTestDatabase();
    const target = new URL(database.url);
    proxy = net.createServer((client) => {
      const server = net.connect(Number(target.port), target.hostname);
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server);
      server.on('data', (chunk) => {
        if (!isShuttingDown || !chunk.subarray(-READY.length).equals(READY)) return void client.write(chunk);
        // In one packet, so that the driver reads both before anything else runs.
        client.end(Buffer.concat([chunk, shutdownMessage()]));
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as net.AddressInfo).port);
    db = await openTestDatabase(url.href);
  });
  after(async () => {
    isShuttingDown = false;
    await db?.close();
    for (const socket of sockets) socket.destroy();
    proxy?.close();
    await database?.drop();
  });

  it('fails only the transaction that asked for it, and the next one gets another session', async () => {
    const PING = 'SELECT 1 AS one';
    isShuttingDown = true;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 3 }, () => db.transaction((sql) => sql.query(PING, []))),
    );
    isShuttingDown = false;
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // A transaction that already had a session was answered before the session ended.
    expect(reasons.length).to.be.within(2, 3);
    for (const reason of reasons) expect(reason).to.include({ code: 'E6002' });
    expect(await db.transaction((sql) => sql.query(PING, []))).to.deep.equal([{ one: 1 }]);
  });
});

describe('idle connections', () => {
  it('are opened before the first request, and further ones on demand', async () => {
    const database = await createTestDatabase();
    const looker = await openTestDatabase(database.url);
    const db = await openTestDatabase(database.url, { applicationName: 'keeper', poolSize: 6, kept: 4 });
    const COUNT = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'keeper'";
    expect(await looker.query(COUNT, [])).to.deep.equal([{ n: 4 }]);
    let begun = 0;
    const all = createGate();
    const hold = (): Promise<void> => {
      begun += 1;
      if (begun === 6) all.open();
      return all.opened;
    };
    await Promise.all(Array.from({ length: 6 }, () => db.transaction(hold)));
    expect(await looker.query(COUNT, [])).to.deep.equal([{ n: 6 }]);
    await db.close();
    await looker.close();
    await database.drop();
  });
});

describe('a process that is frozen within a transaction', () => {
  it('keeps its locks for a bounded time, and its transaction gets E6002 when it goes on', async () => {
    const database = await createTestDatabase();
    const frozen = await openTestDatabase(database.url, { idleInTransactionMs: 100 });
    const other = await openTestDatabase(database.url);
    const LOCK = 'SELECT pg_advisory_xact_lock(7)';
    const locked = createGate();
    const woken = createGate();
    const outcome = frozen
      .transaction(async (sql) => {
        await sql.query(LOCK, []);
        locked.open();
        await woken.opened;
        await sql.query(LOCK, []);
      })
      .catch((error: unknown) => error);
    await locked.opened;
    await other.transaction((sql) => sql.query(LOCK, []));
    woken.open();
    expect(await outcome).to.include({ code: 'E6002' });
    await Promise.all([frozen.close(), other.close()]);
    await database.drop();
  });
});

/** A value that fails while pg makes a parameter of it. */
const UNPRINTABLE = {
  toPostgres: (): never => {
    throw new TypeError('has no text');
  },
};

/** Longer than a pool lets a statement wait for a session that may never end. */
const ENDING_MS = 300;

/** A proxy through which the end of a session takes a while, as on a busy machine. */
async function startSlowlyEndingProxy(target: URL): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer({ allowHalfOpen: true }, (client) => {
    const server = net.connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => undefined));
    client.pipe(server);
    server.pipe(client, { end: false });
    server.on('close', () => setTimeout(() => client.end(), ENDING_MS));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as net.AddressInfo).port,
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a connection that becomes free', () => {
  it('serves the next statement, after thousands that stopped waiting for it', async () => {
    const database = await createTestDatabase();
    const db = await openTestDatabase(database.url, { patient: false, poolSize: 1 });
    const gate = createGate();
    const holding = db.transaction(() => gate.opened);
    const late = await Promise.allSettled(Array.from({ length: 5_000 }, () => db.query('SELECT 1 AS one', [])));
    expect(new Set(late.map(({ status }) => status))).to.deep.equal(new Set(['rejected']));
    const next = db.query('SELECT 2 AS two', []);
    gate.open();
    await holding;
    expect(await next).to.deep.equal([{ two: 2 }]);
    await db.close();
    await database.drop();
  });

  it('is closed when a statement failed while its values were prepared, which the server and pg would remember differently', async () => {
    const database = await createTestDatabase();
    const db = await openTestDatabase(database.url, { poolSize: 1 });
    const STATEMENT = 'SELECT $1::text AS given';
    for (const work of [
      db.query,
      (...given: Parameters<typeof db.query>) => db.transaction((sql) => sql.query(...given)),
    ]) {
      const error: unknown = await work(STATEMENT, [UNPRINTABLE]).catch((reason: unknown) => reason);
      expect(error).to.be.an('error').with.property('message', 'has no text');
      expect(await work(STATEMENT, ['fine'])).to.deep.equal([{ given: 'fine' }]);
    }
    await db.close();
    await database.drop();
  });

  it('does not refuse a statement because the server is slow to end the session of a broken one', async () => {
    const database = await createTestDatabase();
    const proxy = await startSlowlyEndingProxy(new URL(database.url));
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const db = await openTestDatabase(url.href, { poolSize: 1 });
    await db.query('SELECT $1::text AS given', [UNPRINTABLE]).catch(() => undefined);
    expect(await db.query('SELECT 1 AS one', [])).to.deep.equal([{ one: 1 }]);
    await db.close();
    proxy.close();
    await database.drop();
  });
});

describe('a process that stands still', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { patient: false, poolSize: 1, queryTimeoutMs: 400 });
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const standStill = (ms: number): void => {
    const untilMs = performance.now() + ms;
    while (performance.now() < untilMs);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('reads the answers that came meanwhile instead of failing, also of statements that wait for a connection', async () => {
    // Beyond the time for a statement and for a connection.
    await db.query('SELECT 1', []);
    const answers = Array.from({ length: 5 }, (_, i) => db.query('SELECT $1::int AS i', [i]));
    // The statement has been sent.
    await turn();
    standStill(900);
    expect(await Promise.all(answers)).to.deep.equal(answers.map((_, i) => [{ i }]));
  });

  it('fails with E6002 when a statement really takes too long', async () => {
    const failure = await db.query('SELECT pg_sleep(5)', []).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'E6002');
  });
});
