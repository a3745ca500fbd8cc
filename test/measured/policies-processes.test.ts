// One policy set for the whole installation: two ingress processes and two workers over one folder, edited as people edit.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/platform/db/database.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, PATIENCE, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap, SHIPPED_POLICIES } from '../support/service.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import { TEST_SEALS } from '../support/seals.ts';

/** The promised limit from a change of the folder to its effect in every process. */
const EFFECT_MS = 2_000;

describe('one policy folder, two ingress processes and two workers', function suite() {
  this.timeout(120_000);
  let database: TestDatabase;
  let db: Database;
  let key: string;
  let ingress: TestService[];
  let workers: TestService[];
  let clients: Client[];
  const folder = temporaryFolder('policies');
  const reads = path.join(folder, 'reads.json');
  const original = readFileSync(path.join(SHIPPED_POLICIES, 'reads.json'), 'utf8');
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_POLICY_DIR: folder, CUSTOS_LOG_LEVEL: 'info' };

  const start = async (): Promise<void> => {
    const [first, second, ...rest] = await Promise.all([
      startIngress(database.url, env),
      startIngress(database.url, env),
      startWorker(database.url, env),
      startWorker(database.url, env),
    ]);
    ingress = [first, second];
    workers = rest;
    clients = ingress.map(({ address }) => createClient(address, key, { patient: true }));
  };
  const stop = async (): Promise<void> => {
    for (const client of clients) client.close();
    await Promise.all([...ingress, ...workers].map((one) => one.stop()));
  };

  before(async () => {
    cpSync(SHIPPED_POLICIES, folder, { recursive: true });
    database = await createTestDatabase();
    db = await openDatabase({
      seals: TEST_SEALS,
      url: database.url,
      applicationName: 'custos-test',
      ...PATIENCE,
      poolSize: 2,
      onError: () => undefined,
    });
    ({ key } = await bootstrap(db));
    await start();
  });
  after(async () => {
    await stop();
    await db.close();
    await database.drop();
  });

  const verdictOf = async (client: Client): Promise<string> =>
    (await client.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'a' })).json.verdict;
  /** Waits until every ingress process answers so. @returns milliseconds since `sinceMs` */
  const until = async (verdict: string, sinceMs: number): Promise<number> => {
    await Promise.all(
      clients.map((client) =>
        waitFor(async () => (await verdictOf(client)) === verdict, { what: `the verdict ${verdict}` }),
      ),
    );
    return performance.now() - sinceMs;
  };
  const readyOf = (client: Client) => client.get('/ready');
  const readers = async (): Promise<number[]> =>
    (
      await db.query<{ pid: number }>(
        {
          name: 'readers',
          text: "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4237003 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        },
        [],
      )
    ).map((row) => row.pid);
  const denying = original.replaceAll('"ALLOW"', '"DENY"');

  it('follow an edit everywhere within two seconds, there and back', async () => {
    await until('ALLOW', 0);
    const thereAndBack = async (): Promise<number> => {
      const editedMs = performance.now();
      writeFileSync(reads, denying);
      const thereMs = await until('DENY', editedMs);
      const backMs = performance.now();
      writeFileSync(reads, original);
      return Math.max(thereMs, await until('ALLOW', backMs));
    };
    const effectMs = Math.max(await leastMs(EFFECT_MS, thereAndBack), await leastMs(EFFECT_MS, thereAndBack));
    console.log(`      an edit takes effect in both processes after at most ${Math.round(effectMs)} ms`);
    expect(effectMs).to.be.below(EFFECT_MS);
  });

  it('follow a file that is added, renamed and removed', async () => {
    const added = path.join(folder, 'added.json');
    const policy = JSON.parse(denying) as { id: string };
    writeFileSync(added, JSON.stringify({ ...policy, id: 'added' }));
    await until('DENY', 0);
    const { digest } = (await (clients[0] as Client).get('/v1/policies')).json;
    renameSync(added, path.join(folder, 'renamed.json'));
    rmSync(path.join(folder, 'renamed.json'));
    await until('ALLOW', 0);
    expect((await (clients[0] as Client).get('/v1/policies')).json.digest).not.to.equal(digest);
  });

  it('keep the last good set while a file is broken, say so with file and line, also after a restart, until it is repaired', async () => {
    writeFileSync(reads, denying.replace('"rules": [', '"rules": [,'));
    const degraded = async (): Promise<void> => {
      for (const client of clients) {
        const ready = await waitFor(async () => {
          const answer = await readyOf(client);
          return answer.json.degraded.includes('policy-folder') ? answer : undefined;
        });
        expect(ready.status).to.equal(200);
        const check = ready.json.checks.find((one: { name: string }) => one.name === 'policy-folder');
        expect(check.detail).to.contain('reads.json:10 ');
        expect((await client.get('/metrics')).text).to.match(/^custos_policy_folder_ok 0$/m);
        expect(await verdictOf(client)).to.equal('ALLOW');
      }
    };
    await degraded();
    // What a process has written may arrive after what it has stored.
    const logged = (): string => workers.map((worker) => worker.stdout()).join('');
    await waitFor(() => logged().includes('"file":"reads.json","line":10'), {
      what: 'a line of the log with the place',
    });
    await stop();
    await start();
    await degraded();
    const broken = readFileSync(reads, 'utf8');
    const repairing = async (): Promise<number> => {
      if (readFileSync(reads, 'utf8') !== broken) {
        // Once more, from the beginning.
        writeFileSync(reads, original);
        await until('ALLOW', 0);
        writeFileSync(reads, broken);
        await degraded();
      }
      const repairedMs = performance.now();
      writeFileSync(reads, denying);
      return until('DENY', repairedMs);
    };
    expect(await leastMs(EFFECT_MS, repairing)).to.be.below(EFFECT_MS);
    for (const client of clients)
      await waitFor(async () => (await readyOf(client)).json.degraded.length === 0, {
        what: 'a folder that is accepted',
      });
    writeFileSync(reads, original);
    await until('ALLOW', 0);
  });

  it('keep the last good set when the folder disappears, without telling where it was', async () => {
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

  it('have one reader; when it is killed another worker reads', async () => {
    expect(await waitFor(async () => ((await readers()).length > 0 ? readers() : undefined))).to.have.lengthOf(1);
    // Which of the workers reads, only their ends tell: each is killed once while another one is there.
    for (const [text, verdict] of [
      [denying, 'DENY'],
      [original, 'ALLOW'],
    ] as const) {
      await workers.shift()?.kill();
      writeFileSync(reads, text);
      await until(verdict, 0);
      expect(await readers()).to.have.lengthOf(1);
      workers.push(await startWorker(database.url, env));
    }
  });
});
