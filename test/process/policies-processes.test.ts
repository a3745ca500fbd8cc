// One policy set for the whole installation: two ingress processes and two workers follow edits of one folder.
// The delay is measured in `timed/story.test.ts`.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap, SHIPPED_POLICIES } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

describe('one policy folder, two ingress processes and two workers', () => {
  let database: TestDatabase;
  let db: Database;
  let key: string;
  let ingress: TestService[] = [];
  let workers: TestService[] = [];
  let clients: Client[] = [];
  const folder = folderWithFewWords();
  const reads = path.join(folder, 'reads.json');
  const original = readFileSync(path.join(SHIPPED_POLICIES, 'reads.json'), 'utf8');
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_POLICY_DIR: folder, CUSTOS_LOG_LEVEL: 'info' };

  const clientOf = ({ address }: TestService): Client => createClient(address, key, { patient: true });

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    ({ key } = await bootstrap(db));
    const [worker, ...others] = await Promise.all([
      startWorker(database.url, env),
      startIngress(database.url, env),
      startIngress(database.url, env),
    ]);
    // The second worker starts in the last test.
    workers = [worker];
    ingress = others;
    clients = ingress.map(clientOf);
  });
  after(async () => {
    for (const client of clients) client.close();
    await Promise.all([...ingress, ...workers].map((one) => one.stop()));
    await db?.close();
    await database?.drop();
  });

  const verdictOf = async (client: Client): Promise<string> =>
    (await client.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'a' })).json.verdict;
  /** Waits until every ingress process returns this verdict. */
  const until = async (verdict: string): Promise<void> => {
    for (const client of clients)
      await waitFor(async () => (await verdictOf(client)) === verdict, { what: `the verdict ${verdict}` });
  };
  const readyOf = (client: Client) => client.get('/ready');
  const readers = async (): Promise<number[]> =>
    (
      await db.query<{ pid: number }>(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4237003 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        [],
      )
    ).map((row) => row.pid);
  const denying = original.replaceAll('"ALLOW"', '"DENY"');

  it('follow an edit and its reversal everywhere', async () => {
    await until('ALLOW');
    writeFileSync(reads, denying);
    await until('DENY');
    writeFileSync(reads, original);
    await until('ALLOW');
  });

  it('follow a file that is added, renamed and removed', async () => {
    const added = path.join(folder, 'added.json');
    const policy = JSON.parse(denying) as { id: string };
    writeFileSync(added, JSON.stringify({ ...policy, id: 'added' }));
    await until('DENY');
    const { digest } = (await (clients[0] as Client).get('/v1/policies')).json;
    renameSync(added, path.join(folder, 'renamed.json'));
    rmSync(path.join(folder, 'renamed.json'));
    await until('ALLOW');
    expect((await (clients[0] as Client).get('/v1/policies')).json.digest).not.to.equal(digest);
  });

  it('keep the last good set while a file is broken, and report file and line, also after a restart, until it is repaired', async () => {
    writeFileSync(reads, denying.replace('"rules": [', '"rules": [,'));
    const degraded = async (): Promise<void> => {
      for (const client of clients) {
        const ready = await waitFor(async () => {
          const answer = await readyOf(client);
          return answer.json.degraded.includes('policy-folder') ? answer : undefined;
        });
        expect(ready.status).to.equal(200);
        const check = ready.json.checks.find((one: { name: string }) => one.name === 'policy-folder');
        expect(check.detail).to.contain('reads.json:7 ');
        expect((await client.get('/metrics')).text).to.match(/^custos_policy_folder_ok 0$/m);
        expect(await verdictOf(client)).to.equal('ALLOW');
      }
    };
    await degraded();
    // Log lines may arrive after the database shows the change.
    const logged = (): string => workers.map((worker) => worker.stdout()).join('');
    await waitFor(() => logged().includes('"file":"reads.json","line":7'), {
      what: 'a log line with file and line',
    });
    // Stops the worker and one ingress process.
    await Promise.all([...workers, ...ingress.splice(0, 1)].map((one) => one.stop()));
    clients.shift()?.close();
    const [started, worker] = await Promise.all([startIngress(database.url, env), startWorker(database.url, env)]);
    ingress.push(started);
    workers = [worker];
    clients.push(clientOf(started));
    await degraded();
    writeFileSync(reads, denying);
    await until('DENY');
    for (const client of clients)
      await waitFor(async () => (await readyOf(client)).json.degraded.length === 0, {
        what: 'a folder that is accepted',
      });
    writeFileSync(reads, original);
    await until('ALLOW');
  });

  it('keep the last good set when the folder disappears, without disclosing its path', async () => {
    const elsewhere = `${folder}-elsewhere`;
    renameSync(folder, elsewhere);
    const [client] = clients as [Client];
    const check = await waitFor(async () => {
      const { json } = await readyOf(client);
      return json.checks.find((one: { name: string; ok: boolean }) => one.name === 'policy-folder' && !one.ok);
    });
    expect(check.detail).to.contain('cannot be read (ENOENT)').and.not.to.contain(path.dirname(folder));
    expect(await verdictOf(client)).to.equal('ALLOW');
    renameSync(elsewhere, folder);
    await waitFor(async () => (await readyOf(client)).json.degraded.length === 0, {
      what: 'a folder that is accepted',
    });
  });

  it('have one reader of the folder; when it is killed another worker takes over', async () => {
    // A worker that runs alone becomes the reader.
    expect(await waitFor(async () => ((await readers()).length > 0 ? readers() : undefined))).to.have.lengthOf(1);
    workers.push(await startWorker(database.url, env));
    expect(await readers()).to.have.lengthOf(1);
    await workers.shift()?.kill();
    writeFileSync(reads, denying);
    await until('DENY');
    expect(await readers()).to.have.lengthOf(1);
  });
});
