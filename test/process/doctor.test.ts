// `custos doctor` on correct set-ups, and on set-ups with one problem each.
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Diagnosis } from '../../cli/doctor/check.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ensureSecretFingerprint } from '../../shared/platform/db/fingerprints.ts';
import { type ProcessRole, startHeartbeat } from '../../shared/platform/process/heartbeat.ts';
import { createQueues } from '../../shared/platform/queues/queues.ts';
import { runCommand } from '../support/command.ts';
import { createEmptyDatabase, createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { testKeyFiles } from '../support/keys.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { bootstrap, SHIPPED_POLICIES } from '../support/service.ts';
import { describeUnless } from '../support/skip.ts';
import { sealAll } from '../support/seals.ts';

interface Examined {
  readonly code: number;
  readonly checks: readonly Diagnosis[];
}

/** Runs the command with only this environment. */
async function doctor(env: Readonly<Record<string, string>>): Promise<Examined> {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], env);
  expect(stderr).to.equal('');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Diagnosis[] };
  expect(code, '`ok` agrees with the exit code').to.equal(ok ? 0 : 1);
  return { code: ok ? 0 : 1, checks };
}

const problems = ({ checks }: Examined): string[] =>
  checks.filter(({ verdict }) => verdict === 'problem').map(({ check, detail }) => `${check}: ${detail}`);
const warnings = ({ checks }: Examined): string[] =>
  checks.filter(({ verdict }) => verdict === 'warning').map(({ check, detail }) => `${check}: ${detail}`);

describe('custos doctor', () => {
  let database: TestDatabase;
  let db: Database;
  let env: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    await bootstrap(db);
    // No worker runs here, so the entries queued by bootstrap would be reported as overdue.
    for (const table of ['log_inbox', 'outbox']) await db.query(`DELETE FROM ${table}`, []);
    env = { DATABASE_URL: database.url, CUSTOS_PEPPER: TEST_PEPPER, CUSTOS_DATA_DIR: temporaryFolder('doctor') };
  });

  after(async () => {
    await db.close();
    await database.drop();
  });

  it('names every invalid setting and exits with 1, without further checks', async () => {
    const examined = await doctor({ CUSTOS_RATE_LIMITT: 'off', PORT: 'http' });
    expect(examined.code).to.equal(1);
    expect(problems(examined)).to.have.length(2);
    expect(problems(examined).join()).to.match(/did you mean CUSTOS_RATE_LIMIT\?.*PORT must be a whole number/);
  });

  it('starts no embedded database: it reports that none is running, and succeeds', async () => {
    const dataDir = path.join(temporaryFolder('doctor-none'), 'data');
    const examined = await doctor({ CUSTOS_DATA_DIR: dataDir });
    expect(examined.code).to.equal(0);
    expect(examined.checks.find(({ check }) => check === 'database')?.verdict).to.equal('skipped');
  });

  it('reports a database that does not answer, without its password', async () => {
    const examined = await doctor({ ...env, DATABASE_URL: 'postgres://custos:hunter2secret@127.0.0.1:1/custos' });
    expect(examined.code).to.equal(1);
    expect(problems(examined).join()).to.match(/^database: does not answer/);
    expect(JSON.stringify(examined)).not.to.include('hunter2secret');
  });

  it('neither reads nor checks a data folder that the processes do not use', async () => {
    // The state after a trial with the embedded database; then a container with a read-only file system.
    const left = temporaryFolder('doctor-left');
    writeFileSync(path.join(left, 'pepper'), `${'left over '.repeat(5)}\n`, { mode: 0o600 });
    writeFileSync(path.join(left, 'signing-key.pem'), readFileSync(testKeyFiles().CUSTOS_PROMISE_KEY_FILE), {
      mode: 0o600,
    });
    await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', TEST_PEPPER);
    await ensureSecretFingerprint(db, 'CUSTOS_SIGNING_KEY_FILE', 'of the real log key');
    const about = /pepper|log key|data folder|disk/;
    const examined = await doctor({ ...env, CUSTOS_DATA_DIR: left });
    expect(problems(examined).filter((text) => about.test(text))).to.deep.equal([]);
    const nowhere = await doctor({ ...env, CUSTOS_DATA_DIR: '/proc/nowhere' });
    expect(problems(nowhere).filter((text) => about.test(text))).to.deep.equal([]);
    const asWorker = { ...env, CUSTOS_DATA_DIR: '/proc/nowhere', ...testKeyFiles() };
    const { checks } = await doctor(asWorker);
    expect(
      checks.map(({ check }) => check),
      'checkpoints are kept there',
    ).to.include('data folder');
    await db.query('DELETE FROM secret_fingerprint', []);
  });

  it('warns of excessive privileges of the database role, without failing', async () => {
    const examined = await doctor({ ...env, DATABASE_URL: database.ownerUrl });
    expect(warnings(examined).join()).to.match(/database role: the role custos_owner owns tables; it may make tables/);
    expect((await doctor(env)).checks.find(({ check }) => check === 'database role')?.verdict).to.equal('ok');
  });

  it('reports a database without a schema', async () => {
    const empty = await createEmptyDatabase();
    const examined = await doctor({ ...env, DATABASE_URL: empty.url });
    await empty.drop();
    expect(problems(examined)).to.deep.equal(['migrations: the database holds no Custos schema']);
  });

  it('reports that no policy set is in force, then that the folder differs from the set in force', async () => {
    const before = await doctor(env);
    expect(problems(before)).to.deep.equal(['policy set: none is in force: every request is refused']);
    await db.query("INSERT INTO policy_set (digest, canonical, created_at) VALUES ($1, '', now())", ['ab'.repeat(32)]);
    await db.query('UPDATE policy_state SET active_digest = $1', ['ab'.repeat(32)]);
    expect(problems(await doctor(env)).join(), 'a row written by hand').to.match(
      /^sealed rows: 1 rows .* policy_state$/,
    );
    await sealAll(db, 'policy_state');
    const after = await doctor(env);
    expect(after.code, 'a warning alone is not a failure').to.equal(0);
    expect(warnings(after).join()).to.include('is not the one in force');
  });

  it('says what a change of policies needs, and which changes are in progress', async () => {
    const detailOf = async (more: Readonly<Record<string, string>>): Promise<string | undefined> =>
      (await doctor({ ...env, ...more })).checks.find(({ check }) => check === 'policy changes')?.detail;
    expect(await detailOf({})).to.contain('need no approval and no signature; the folder is followed');
    expect(await detailOf({ CUSTOS_POLICY_APPROVERS: 'tag:security', CUSTOS_POLICY_QUORUM: '2' })).to.match(
      /^need 2 approvals of named keys or tags .*sets that are staged: 0; changes that wait for approval: 0$/,
    );
  });

  it('names file, line and column of a broken policy, and the set that stays in force', async () => {
    const policies = path.join(temporaryFolder('doctor-policies'), 'policies');
    cpSync(SHIPPED_POLICIES, policies, { recursive: true });
    writeFileSync(path.join(policies, 'broken.json'), '{\n  "id": "broken",,\n}');
    const examined = await doctor({ ...env, CUSTOS_POLICY_DIR: policies });
    expect(problems(examined).join()).to.match(/^policy folder: broken\.json:2:\d+ /);
    expect(warnings(examined).join()).to.include('stays in force');
  });

  it('reports a pepper that is not the one of the database', async () => {
    await db.query('DELETE FROM secret_fingerprint', []);
    expect((await doctor(env)).checks.find(({ check }) => check === 'pepper')?.detail).to.include('none yet');
    await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', TEST_PEPPER);
    const examined = await doctor({ ...env, CUSTOS_PEPPER: `${TEST_PEPPER}, but another` });
    expect(problems(examined).join()).to.match(/^pepper: CUSTOS_PEPPER is not the one/);
  });

  it('reports a key file without a key, and one that other users may read', async () => {
    const file = path.join(temporaryFolder('doctor-key'), 'key.pem');
    writeFileSync(file, 'not a key', { mode: 0o600 });
    expect(problems(await doctor({ ...env, CUSTOS_PROMISE_KEY_FILE: file })).join()).to.include('holds no Ed25519');
    const { CUSTOS_PROMISE_KEY_FILE: promiseKeyFile } = testKeyFiles();
    chmodSync(promiseKeyFile, 0o644);
    const examined = await doctor({ ...env, CUSTOS_PROMISE_KEY_FILE: promiseKeyFile });
    chmodSync(promiseKeyFile, 0o600);
    expect(warnings(examined).join()).to.include('other users can read');
  });

  it('reports waiting work, dead jobs, and that the operator has no admin key left', async () => {
    const late = "now() - interval '5 minutes'";
    const statements = [
      `INSERT INTO outbox (queue, name, payload) VALUES ('intents', 'intent.evaluate', '{}')`,
      `UPDATE outbox SET created_at = ${late}`,
      `INSERT INTO dead_job (queue, name, payload, error, failed_at) VALUES ('trust', 'trust.fold', '{}', 'it failed', now())`,
      'UPDATE api_key SET revoked_at = now()',
    ];
    for (const text of statements) await db.query(text, []);
    await sealAll(db, 'api_key');
    const examined = await doctor(env);
    expect(problems(examined)).to.deep.equal([
      'admin key: the operator has no valid admin key',
      'outbox: the oldest accepted work has waited for 5 min',
    ]);
    expect(warnings(examined).join())
      .to.include('dead jobs: failed for good: 1 in trust')
      .and.to.include('workers: no worker process is alive');
  });

  it('reports as a problem that only one kind of process is alive, and that all of them ended without stopping', async () => {
    const start = (role: ProcessRole) =>
      startHeartbeat({ db, role, version: '', onError: (error) => expect.fail(String(error)) });
    const processes = async (): Promise<string[]> =>
      (await doctor(env)).checks
        .filter(({ check }) => ['ingress', 'workers'].includes(check))
        .map(({ check, verdict }) => `${check} ${verdict}`);
    expect(await processes()).to.deep.equal(['ingress warning', 'workers warning']);
    const ingress = await start('ingress');
    expect(await processes()).to.deep.equal(['ingress ok', 'workers problem']);
    await ingress.close();
    const workers = await start('workers');
    expect(await processes()).to.deep.equal(['ingress problem', 'workers ok']);
    await workers.close();
    expect(await processes(), 'both ended in order').to.deep.equal(['ingress warning', 'workers warning']);
    await db.query(
      `INSERT INTO process_heartbeat (process_id, role, version, host, pid, seen_at)
       VALUES ('killed', 'workers', '', 'here', 1, now() - interval '1 minute')`,
      [],
    );
    expect(await processes()).to.deep.equal(['ingress problem', 'workers problem']);
    await db.query('DELETE FROM process_heartbeat', []);
  });

  it('reports late work of every queue, and the queue that somebody paused as its cause', async () => {
    await db.query(
      `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, queued_at, open_since, submission_seal)
       SELECT 'org_1', 'test', 'int_1', 'a', 'k', 'read', 'file:a', at, at, at, at, 'x' FROM (SELECT now() - interval '12 minutes' AS at) AS begun`,
      [],
    );
    const late = 'intents: the oldest intent has waited for 12 min';
    const examined = await doctor(env);
    expect(problems(examined)).to.include(late);
    const queues = createQueues({ databaseUrl: database.url, onError: () => undefined });
    try {
      const intents = (await queues.opened()).find(({ name }) => name === 'intents');
      await intents?.pause();
    } finally {
      await queues.close();
    }
    const paused = await doctor(env);
    expect(problems(paused)).to.include(late).and.to.include('queues: intents is paused: workers take no job of it');
    expect(paused.checks.find(({ check }) => check === 'intents')?.advice).to.include('resume it');
  });

  describeUnless(whyNoRedis(), 'with Redis', () => {
    let redis: TestRedis;
    before(async () => {
      redis = await startTestRedis();
    });
    after(() => redis.close());

    it('reports a Redis that may evict jobs, one whose memory is full, and one that is unreachable', async () => {
      await redis.configure('maxmemory-policy', 'allkeys-lru');
      expect(problems(await doctor({ ...env, REDIS_URL: redis.url })).join()).to.include(
        'redis eviction: Redis drops keys',
      );
      await redis.configure('maxmemory-policy', 'noeviction');
      // Everything that was accepted waits then, although Redis answers.
      await redis.configure('maxmemory', '1');
      expect(problems(await doctor({ ...env, REDIS_URL: redis.url })).join()).to.include('its memory is full');
      await redis.configure('maxmemory', '0');
      const away = await doctor({ ...env, REDIS_URL: 'redis://127.0.0.1:1' });
      expect(problems(away).join()).to.include('redis: Redis does not answer: connect ECONNREFUSED');
    });
  });
});
