// A server that ends a session while the pool hands it out: the answer is E6002, and the process survives.
import net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
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

describe('statements that travel together', () => {
  let database: TestDatabase;
  let db: Database;
  const COUNT = 'SELECT count(*)::int AS n FROM together';
  const ADD = 'INSERT INTO together (n) VALUES ($1) RETURNING n';
  const FAIL = 'SELECT 1 / $1::int AS n';

  before(async () => {
    database = await createTestDatabase();
    await queryOnce(database.ownerUrl, 'CREATE TABLE together (n integer); GRANT ALL ON together TO PUBLIC');
    // One session, so that what one transaction leaves behind would disturb the next.
    db = await openTestDatabase(database.url, { poolSize: 1 });
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const stored = async (): Promise<number | undefined> => (await db.query<{ n: number }>(COUNT, []))[0]?.n;
  const both = (values: readonly [number, number]) =>
    db.transaction((sql) =>
      sql.together<[{ n: number }, { n: number }]>([
        [ADD, [values[0]]],
        [FAIL, [values[1]]],
      ]),
    );

  it('give the rows of each in their order, and see what the ones before them did', async () => {
    const answers = await db.transaction(async (sql) => [
      await sql.together<[{ n: number }, { n: number }, { n: number }]>([
        [ADD, [1]],
        [COUNT, []],
        [FAIL, [1]],
      ]),
      await sql.together<[{ n: number }]>([[COUNT, []]]),
    ]);
    expect(answers).to.deep.equal([[[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]], [[{ n: 1 }]]]);
    expect(await stored()).to.equal(1);
  });

  it('are rolled back when one of them fails, also one that the session prepares for the first time', async () => {
    const before = await stored();
    for (let i = 0; i < 2; i += 1) {
      expect(await both([2, 0]).catch((error: { code?: string }) => error.code)).to.equal('22012');
      const neverPrepared = db.transaction((sql) =>
        sql.together([
          [ADD, [3]],
          ['SELECT nothing FROM together', []],
          [`SELECT ${i} AS n`, []],
        ]),
      );
      expect(await neverPrepared.catch((error: { code?: string }) => error.code)).to.equal('42703');
    }
    expect(await stored()).to.equal(before);
    expect(await both([4, 2])).to.deep.equal([[{ n: 4 }], [{ n: 0 }]]);
    expect(await db.query('SELECT 0 AS n', [])).to.deep.equal([{ n: 0 }]);
    expect(await stored()).to.equal((before ?? 0) + 1);
  });

  it('are not sent when a value of one of them cannot be, and the session stays usable', async () => {
    const before = await stored();
    const circular: unknown[] = [];
    circular.push({ circular });
    const failure = await db
      .transaction((sql) =>
        sql.together([
          [ADD, [5]],
          [ADD, [{ circular }]],
        ]),
      )
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(await stored()).to.equal(before);
  });

  it('commit with the last one, and nothing can follow it; when it fails, nothing stays', async () => {
    const before = (await stored()) ?? 0;
    const seen: unknown[] = [];
    const after = await db
      .transaction(async (sql) => {
        await sql.query(ADD, [6]);
        seen.push(await sql.finish(ADD, [7]));
        await sql.query(ADD, [8]);
      })
      .catch((error: Error) => error.message);
    expect(seen).to.deep.equal([[{ n: 7 }]]);
    expect(after).to.match(/committed already/);
    expect(await stored()).to.equal(before + 2);
    const failed = db.transaction(async (sql) => {
      await sql.query(ADD, [9]);
      await sql.finish(FAIL, [0]);
    });
    expect(await failed.catch((error: { code?: string }) => error.code)).to.equal('22012');
    expect(await stored()).to.equal(before + 2);
  });

  it('begin with the first one: a transaction without statements is none, and an error of other work undoes those before it', async () => {
    const before = await stored();
    expect(await db.transaction(async () => 'nothing')).to.equal('nothing');
    for (const work of [0, 1])
      expect(
        await db
          .transaction(async (sql) => {
            if (work === 1) await sql.query(ADD, [10]);
            throw new Error('other work');
          })
          .catch((error: Error) => error.message),
      ).to.equal('other work');
    expect(await stored()).to.equal(before);
  });
});
