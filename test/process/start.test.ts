// `custos start` from a user's point of view: first start, second start, stop, and recovery when any process is killed.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { commandOf } from '../../shared/platform/embedded/processes.ts';
import { addressesOf } from '../../shared/platform/embedded/roles.ts';
import { createClient } from '../support/client.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { createEmptyDatabase, queryOnce } from '../support/database.ts';
import { SILENT_MS, STOPPED_MS } from '../../cli/supervisor/silence.ts';
import { temporaryDataDir, temporaryFolder } from '../support/folders.ts';
import { testKeyFiles } from '../support/keys.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { newKey } from '../service/audit-setup.ts';
import { runProcess, startCustos, TEST_PEPPER, type TestCustos, untilGone } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

/** The superuser's connection URL of its database. */
function databaseOf(custos: TestCustos): string {
  const read = (name: string): string => readFileSync(path.join(custos.dataDir, name), 'utf8').trim();
  return addressesOf(read('postgres-password'), Number(new URL(read('postgres.address')).port)).adminUrl;
}

async function healthOf(custos: TestCustos): Promise<number> {
  return (await fetch(`${custos.address}/health`)).status;
}

/** Stops the service and checks that no process is left. */
async function stopAll(custos: TestCustos, name: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const all = custos.processIds();
  expect(all.length, 'supervisor, ingress, workers, database').to.be.at.least(4);
  const { code } = await custos.stop(name);
  await untilGone(all);
  return code;
}

/** The processes whose command line contains a text. */
function running(pids: readonly number[], text: string): number[] {
  return pids.filter((pid) => commandOf(pid).includes(text));
}

/** The one process of the service that runs a program. */
function childOf(custos: TestCustos, program: string): number {
  const [found] = running(custos.processIds(), program);
  if (found === undefined) throw new Error(`no process of the service runs ${program}`);
  return found;
}

const DATABASE = 'bin/postgres -D';
const FEW_WORDS = { CUSTOS_POLICY_DIR: folderWithFewWords() };

/** Checks which backups and targets are refused. The data folder of `run` is in use. */
async function expectRefusals(backup: string, run: (...args: string[]) => Promise<Ran>): Promise<void> {
  const dataDir = temporaryDataDir();
  const restore = (from = backup) => runCommand(['restore', from], { CUSTOS_DATA_DIR: dataDir });
  const expectRefused = async (what: Promise<Ran>, why: RegExp): Promise<void> => {
    const { code, stderr } = await what;
    expect([code, stderr]).to.satisfy(() => code === 1 && why.test(stderr), stderr);
    expect(readdirSync(path.dirname(dataDir)).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
  };
  await expectRefused(run('backup', backup), /exists\. Name a folder that does not exist yet/);
  await expectRefused(run('restore', backup), /is not empty/);
  await expectRefused(runCommand(['backup', `${backup}2`], { CUSTOS_DATA_DIR: dataDir }), /There is no database in /);
  const external = { DATABASE_URL: 'postgres://127.0.0.1:1/x', CUSTOS_PEPPER: TEST_PEPPER, CUSTOS_DATA_DIR: dataDir };
  await expectRefused(runCommand(['backup', `${backup}2`], external), /DATABASE_URL is set.*pg_basebackup/);
  const key = path.join(backup, 'data', 'signing-key.pem');
  appendFileSync(key, ' ');
  await expectRefused(restore(), /The backup is damaged: data\/signing-key\.pem is not the file/);
  rmSync(key);
  await expectRefused(restore(), /The backup is incomplete: data\/signing-key\.pem is missing/);
  rmSync(path.join(backup, 'backup.json'));
  await expectRefused(restore(), /is not a complete backup: it has no backup\.json/);
}

describe('custos start', () => {
  it('stops the database that a command started when the reader of its output closes', async () => {
    const dataDir = temporaryDataDir();
    const unread = runProcess('cli/main.js', ['log', 'list'], { CUSTOS_DATA_DIR: dataDir });
    unread.child.stdout?.destroy();
    expect(await unread.ended, unread.stderr()).to.include({ code: 141 });
    expect(existsSync(path.join(dataDir, 'postgres', 'PG_VERSION')), 'there was a database').to.equal(true);
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    await waitFor(() => !existsSync(pidFile), { what: 'the end of the database' });
  });

  // The tests of a group share one service, because a start takes six seconds of processor time.
  describe('from its first start to its last stop', () => {
    let latest: TestCustos | undefined;
    /** The service that the test before left running. */
    const service = async (): Promise<TestCustos> => (latest ??= await startCustos(FEW_WORDS));
    after(() => latest?.stop());

    it('serves from an empty folder, leaves no process when stopped, and finds its data at the second start', async () => {
      // What a shell has for another PostgreSQL is not meant for the embedded one.
      const others = { PGSSLMODE: 'require', PGOPTIONS: '-c search_path=nowhere', PGHOST: 'db.invalid' };
      const first = await startCustos({ ...FEW_WORDS, ...others, CUSTOS_DATA_DIR: temporaryDataDir() });
      expect(await healthOf(first)).to.equal(200);
      expect(first.stdout()).to.contain(`curl -s ${first.address}/v1/reference/tiers`);
      expect(first.stdout()).to.contain(`Dashboard   ${first.address}/dashboard`);
      const [, metrics = ''] = /^ +(http\S+\/metrics)$/m.exec(first.stdout()) ?? [];
      expect(await (await fetch(metrics)).text(), 'of the workers').to.contain('custos_log_size');
      await queryOnce(databaseOf(first), 'CREATE TABLE kept AS SELECT 42 AS answer');
      expect(await stopAll(first)).to.equal(0);
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: first.dataDir });
      expect(await queryOnce(databaseOf(latest), 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
    });

    it('leaves no ingress or worker running when it is killed, and the next start recovers', async () => {
      const killed = await service();
      const ours = running(killed.processIds(), 'main.js');
      const database = childOf(killed, DATABASE);
      await queryOnce(databaseOf(killed), 'CREATE TABLE before_kill AS SELECT 1');
      expect(ours).to.have.lengthOf(3);
      await killed.kill();
      await untilGone(ours);
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: killed.dataDir });
      expect(await queryOnce(databaseOf(latest), 'SELECT FROM before_kill')).to.have.lengthOf(1);
      await untilGone([database], 100);
    });

    it('lets no other user read the secrets', async () => {
      const custos = await service();
      const names = readdirSync(custos.dataDir).filter((name) => name !== 'postgres');
      expect(names).to.include.members(['pepper', 'postgres-password', 'signing-key.pem', 'promise-key.pem']);
      for (const name of names) expect(statSync(path.join(custos.dataDir, name)).mode & 0o077, name).to.equal(0);
      expect(statSync(path.join(custos.dataDir, 'postgres')).mode & 0o077).to.equal(0);
      expect(statSync(custos.dataDir).mode & 0o066, 'the folder cannot be listed').to.equal(0);
    });

    it('refuses a second supervisor on the same data, naming the first', async () => {
      const custos = await service();
      const second = runProcess('cli/main.js', ['start'], { PORT: '0', CUSTOS_DATA_DIR: custos.dataDir });
      expect(await second.ended).to.deep.equal({ code: 1, signal: null });
      expect(second.stderr()).to.equal(`custos: already running: process ${custos.pid} uses ${custos.dataDir}.\n`);
      expect(await healthOf(custos)).to.equal(200);
    });

    it('replaces workers that are frozen, and no process after it was frozen itself; accepted work is carried out', async () => {
      const custos = await service();
      const workers = childOf(custos, 'workers/main.js');
      const [others] = [running(custos.processIds(), 'ingress/main.js')];
      // Its own address, because a frozen supervisor accepts no connection.
      const [, own = ''] = /^ +Metrics +(http\S+)\/metrics$/m.exec(custos.stdout()) ?? [];
      const unready = async (): Promise<boolean> => {
        const { degraded } = (await (await fetch(`${own}/ready`)).json()) as { degraded: string[] };
        return degraded.includes('workers');
      };
      // Long enough for all pulses to be missed, if the supervisor counted its own pause.
      process.kill(custos.pid, 'SIGSTOP');
      const frozenMs = performance.now();
      process.kill(workers, 'SIGSTOP');
      await waitFor(unready, { what: '/ready to report that no worker is alive' });
      // The guarantee is 5 s on an idle machine; a run of all tests keeps the machine busy.
      expect(performance.now() - frozenMs).to.be.below(15_000);
      const key = readFileSync(path.join(custos.dataDir, 'bootstrap-key'), 'utf8').trim();
      const client = createClient(own, key);
      const { json } = await client.post('/v1/intents', { agentId: 'waits', action: 'read', resource: 'files/report' });
      await waitFor(() => performance.now() - frozenMs > SILENT_MS + 2_000, { what: 'the deadline to pass' });
      process.kill(custos.pid, 'SIGCONT');
      await waitFor(() => custos.stderr().includes('a process does not respond and is killed'), { what: 'the kill' });
      const silentMs = Number(/"silentMs":(\d+)/.exec(custos.stderr())?.[1]);
      // Elsewhere than on Linux a stopped process is not told from a slow one.
      const leastMs = process.platform === 'linux' ? STOPPED_MS : SILENT_MS;
      expect(silentMs, 'measured after the pause').to.be.within(leastMs, leastMs + 2_000);
      await waitFor(async () => !(await unready()), { what: 'other workers' });
      expect(childOf(custos, 'workers/main.js')).not.to.equal(workers);
      expect(running(custos.processIds(), 'ingress/main.js')).to.deep.equal(others);
      await waitFor(async () => (await client.get(`/v1/intents/${json.intentId}`)).json.decision !== null, {
        what: 'the intent to be decided',
      });
      client.close();
    });

    for (const [name, file] of [
      ['ingress', 'ingress/main.js'],
      ['workers', 'workers/main.js'],
    ] as const)
      it(`restarts ${name} when it is killed, at the same address`, async () => {
        const custos = await service();
        const before = childOf(custos, file);
        process.kill(before, 'SIGKILL');
        await waitFor(() => childOf(custos, file) !== before, { what: `another ${name}` });
        await waitFor(async () => (await healthOf(custos)) === 200, { what: 'ingress to answer' });
      });

    it('restarts PostgreSQL when it is killed, at the same address and with its data', async () => {
      const custos = await service();
      const url = databaseOf(custos);
      await queryOnce(url, 'CREATE TABLE before_crash AS SELECT 1');
      const before = childOf(custos, DATABASE);
      process.kill(before, 'SIGKILL');
      await waitFor(async () => (await queryOnce(url, 'SELECT FROM before_crash')).length === 1, {
        what: 'the database',
      });
      expect(childOf(custos, DATABASE)).not.to.equal(before);
      await waitFor(async () => (await fetch(`${custos.address}/ready`)).status === 200, {
        what: 'ingress to reach the database again',
      });
    });

    it('restarts PostgreSQL soon when it is killed during a long statement, and over a lock file that a loss of power left empty', async () => {
      const custos = await service();
      const url = databaseOf(custos);
      const isBack = async (): Promise<boolean> =>
        (await queryOnce(url, 'SELECT 1 AS one').catch(() => [])).length === 1;
      const long = `DO $$ DECLARE begun timestamptz := clock_timestamp(); BEGIN
        WHILE clock_timestamp() < begun + interval '1 hour' LOOP PERFORM 1; END LOOP; END $$`;
      const computing = queryOnce(url, long).catch(() => undefined);
      const active = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'";
      const session = await waitFor(async () => ((await queryOnce(url, active)) as { pid: number }[])[0]?.pid, {
        what: 'the long statement',
      });
      process.kill(childOf(custos, DATABASE), 'SIGKILL');
      // It would compute for an hour.
      await untilGone([session]);
      await computing;
      await waitFor(isBack, { what: 'the database' });
      const all = custos.processIds();
      await custos.kill();
      for (const pid of running(all, DATABASE)) process.kill(pid, 'SIGKILL');
      await untilGone(all);
      writeFileSync(path.join(custos.dataDir, 'postgres', 'postmaster.pid'), '');
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: custos.dataDir });
      expect(await healthOf(latest)).to.equal(200);
    });

    it('is backed up while it answers, and its data are restored whole after they were destroyed', async () => {
      const custos = await service();
      const { dataDir } = custos;
      const backup = path.join(temporaryFolder('backup'), 'first');
      const key = readFileSync(path.join(dataDir, 'bootstrap-key'), 'utf8').trim();
      const client = createClient(custos.address, key);
      const ids: string[] = [];
      const refused: string[] = [];
      let isAsking = true;
      // Earlier tests killed the database, and a slow disk may keep a commit waiting: such a question is asked again.
      const asking = waitFor(
        async () => {
          const answer = await client.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'saved' });
          if (answer.status === 200) ids.push(answer.json.proof.proof_id as string);
          else if (answer.json.code !== 'E6002') refused.push(answer.text);
          return !isAsking;
        },
        { intervalMs: 25, timeoutMs: 240_000, what: 'the end of the backup' },
      );
      const run = (...args: string[]) => runCommand(args, { CUSTOS_DATA_DIR: dataDir });
      await waitFor(() => ids.length > 20, { what: 'decisions' });
      const acknowledged = [...ids];
      const made = await run('backup', backup);
      expect(ids.length, 'it answered during the backup').to.be.above(acknowledged.length);
      isAsking = false;
      await asking;
      client.close();
      expect(refused).to.deep.equal([]);
      expect([made.code, made.stderr], made.stderr).to.deep.equal([0, '']);
      expect(made.stdout).to.match(/^The backup .* is complete: \d+ MiB in \d+ files, \d logs? with \d+ leaves\. /);
      const slots = await queryOnce(databaseOf(custos), 'SELECT FROM pg_replication_slots');
      expect(slots, 'the slot ended with the command').to.deep.equal([]);

      // A database that is still running would write into the folder while it is deleted.
      await custos.stop();
      rmSync(dataDir, { recursive: true });
      const restored = await run('restore', backup);
      expect([restored.code, restored.stderr], restored.stderr).to.deep.equal([0, '']);
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: dataDir });
      const again = createClient(latest.address, key);
      for (const id of acknowledged) {
        const receipt = await waitFor(async () => {
          const answer = await again.get(`/v1/proofs/${id}`);
          return answer.status === 200 ? answer.json : undefined;
        });
        const verified = await again.post('/v1/proofs/verify', receipt);
        expect(verified.json.valid, verified.text).to.equal(true);
      }
      again.close();
      await expectRefusals(backup, run);
    });

    it('treats two simultaneous signals as one (Ctrl-C under npm sends two), and stops restarted processes too', async () => {
      const custos = await service();
      const all = custos.processIds();
      expect(all.length, 'supervisor, ingress, workers, database').to.be.at.least(4);
      process.kill(custos.pid, 'SIGINT');
      expect((await custos.stop('SIGINT')).code).to.equal(0);
      await untilGone(all);
    });

    it('is started as before after another log key was chosen, also when that was interrupted', async () => {
      const { dataDir } = await service();
      await latest?.stop();
      const kept = path.join(dataDir, 'signing-key.pem');
      const before = readFileSync(kept, 'utf8');
      const to = path.join(temporaryFolder('log-key'), 'new.pem');
      writeFileSync(to, newKey().export({ type: 'pkcs8', format: 'pem' }));
      const rotate = () => runCommand(['log', 'rotate-key', '--to', to], { CUSTOS_DATA_DIR: dataDir });
      const first = await rotate();
      expect([first.code, readFileSync(kept, 'utf8')], first.stderr).to.deep.equal([0, readFileSync(to, 'utf8')]);
      // As if it had ended between the database and the file.
      writeFileSync(kept, before);
      expect(await rotate()).to.include({ code: 0, stdout: first.stdout });
      const again = await rotate();
      expect([again.code, again.stderr]).to.deep.equal([1, 'custos: This is the key that the logs have.\n']);
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: dataDir });
      expect(await healthOf(latest)).to.equal(200);
    });
  });

  describe('after an interrupted first start', () => {
    let latest: TestCustos | undefined;
    const service = async (): Promise<TestCustos> => (latest ??= await startCustos(FEW_WORDS));
    after(() => latest?.stop());

    it('starts over when it was killed while creating the database', async () => {
      const dataDir = temporaryDataDir();
      mkdirSync(path.join(dataDir, 'postgres.new', 'base'), { recursive: true });
      writeFileSync(path.join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n');
      writeFileSync(path.join(dataDir, 'postgres.password'), 'left over');
      writeFileSync(path.join(dataDir, 'pepper.new'), 'half');
      latest = await startCustos({ ...FEW_WORDS, CUSTOS_DATA_DIR: dataDir });
      expect(await healthOf(latest)).to.equal(200);
      expect(readdirSync(dataDir)).not.to.include.members(['postgres.new']);
    });

    it('exits at once on the second signal', async () => {
      const custos = await service();
      const all = custos.processIds();
      const frozen = childOf(custos, 'ingress/main.js');
      // A frozen process does not react to SIGTERM.
      process.kill(frozen, 'SIGSTOP');
      const stopped = custos.stop();
      let ended = false;
      void custos.ended.then(() => (ended = true));
      await waitFor(
        () => {
          if (!ended) process.kill(custos.pid, 'SIGTERM');
          return ended;
        },
        // After one signal it would wait 25 s for the frozen process.
        { intervalMs: 300, timeoutMs: 22_000, what: 'a forced end' },
      );
      expect((await stopped).code).to.equal(1);
      await untilGone(all);
    });
  });

  it('names invalid settings, and starts nothing', async () => {
    const dataDir = temporaryDataDir();
    const custos = runProcess('cli/main.js', ['start'], { PORT: 'http', CUSTOS_DATADIR: dataDir });
    expect((await custos.ended).code).to.equal(1);
    expect(custos.stderr()).to.contain(
      'CUSTOS_DATADIR is not a setting of this version; did you mean CUSTOS_DATA_DIR?',
    );
    expect(custos.stderr()).to.contain('PORT must be a whole number');
    expect(() => statSync(dataDir)).to.throw('ENOENT');
  });

  it('reports that the port is in use, and how to choose another', async () => {
    const server = net.createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
    });
    const custos = runProcess('cli/main.js', ['start'], { PORT: String(port), CUSTOS_DATA_DIR: temporaryDataDir() });
    expect((await custos.ended).code).to.equal(1);
    expect(custos.stderr()).to.contain(
      `Port ${port} of 127.0.0.1 is in use by another program. Choose another with PORT`,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it('starts no embedded database when DATABASE_URL is set, and migrates that database to the newest schema', async () => {
    const database = await createEmptyDatabase();
    const custos = await startCustos({
      ...FEW_WORDS,
      DATABASE_URL: database.url,
      CUSTOS_MIGRATION_DATABASE_URL: database.ownerUrl,
      CUSTOS_PEPPER: TEST_PEPPER,
      CUSTOS_DATA_DIR: temporaryDataDir(),
      CUSTOS_CHECKPOINT_DIR: temporaryFolder('checkpoints'),
      ...testKeyFiles(),
    });
    expect(custos.processIds()).to.have.lengthOf(3);
    expect(await queryOnce(database.url, 'SELECT FROM migration')).not.to.have.lengthOf(0);
    expect(() => statSync(custos.dataDir)).to.throw('ENOENT');
    expect((await custos.stop()).code).to.equal(0);
    await database.drop();
  });
});
