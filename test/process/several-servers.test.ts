// A DATABASE_URL with several servers: the service uses the one that accepts writes, and follows when it is another one.
import { expect } from 'chai';
import { openDatabase } from '../../shared/platform/db/database.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { openTestDatabase, startTestServer } from '../support/database.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { runSql } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';

const portOf = (url: string): string => new URL(url).port;

async function configure(server: Embedded, isReadOnly: boolean): Promise<void> {
  const db = await openTestDatabase(server.adminUrl);
  await runSql(db, `ALTER SYSTEM SET default_transaction_read_only = '${isReadOnly ? 'on' : 'off'}'`);
  await runSql(db, 'SELECT pg_reload_conf()');
  await db.close();
}

/** The address of both servers, with the password of the second, which the first gets, too. */
async function addressOfBoth(first: Embedded, second: Embedded): Promise<string> {
  const url = new URL(second.url);
  const db = await openTestDatabase(first.adminUrl);
  const password = decodeURIComponent(url.password);
  await runSql(db, `ALTER ROLE "${url.username}" PASSWORD '${password}'`);
  await db.close();
  return second.url.replace(url.host, `${new URL(first.url).host},${url.host}`);
}

describe('a DATABASE_URL with several servers', () => {
  let first: Embedded;
  let second: Embedded;
  let pair: Pair | undefined;
  before(async () => {
    [first, second] = await Promise.all([startTestServer(), startTestServer()]);
  });
  after(async () => {
    await pair?.close();
    await Promise.all([first, second].map((server) => server?.stop('immediate')));
  });

  it('is answered by the server that accepts writes, also after that changed, and by E6002 while there is none', async () => {
    const url = await addressOfBoth(first, second);
    for (const server of [first, second]) {
      const admin = await openTestDatabase(server.adminUrl);
      await runSql(admin, 'CREATE SEQUENCE custos_test');
      await runSql(admin, 'GRANT USAGE ON SEQUENCE custos_test TO PUBLIC');
      await admin.close();
    }
    await configure(first, true);
    const db = await openDatabase({ url, applicationName: 'test', poolSize: 2, onError: () => undefined });
    const write = () =>
      db.query<{ port: number }>('SELECT inet_server_port() AS port, nextval($1) AS n', ['custos_test']);
    expect(String((await write())[0]?.port)).to.equal(portOf(second.url));
    await configure(second, true);
    const problem = await waitFor(async () =>
      write().then(
        () => false,
        (error: Error) => error,
      ),
    );
    expect(problem).to.include({ code: 'E6002' });
    await configure(first, false);
    const port = await waitFor(
      async () =>
        write().then(
          ([row]) => row?.port,
          () => undefined,
        ),
      {
        what: 'the other server',
      },
    );
    expect(String(port)).to.equal(portOf(first.url));
    await db.close();
    await configure(first, true);
  });

  it('serves every connection of ingress and workers: requests, queues and notifications', async () => {
    pair = await startPair({
      route: async (url) => url.replace('127.0.0.1:', `127.0.0.1:${portOf(first.url)},127.0.0.1:`),
    });
    const { client, rows } = pair;
    const { json } = await client.post('/v1/intents', { agentId: 'a', action: 'read', resource: 'db/open/a' });
    await waitFor(async () => (await client.get(`/v1/intents/${json.intentId}`)).json.decision !== null, {
      what: 'the decision',
    });
    const places = await rows<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE backend_type = 'client backend'`,
    );
    expect(places.map(({ name }) => name)).to.include.members(['custos-ingress', 'custos-workers', 'custos-changes']);
  });
});
