// Pepper rotation: all rows are sealed again or none, keys keep working, and refused rows stay refused.
import { expect } from 'chai';
import { type RunningIngress, startIngress } from '../../ingress/service.ts';
import { countWaitingKeys } from '../../shared/domain/keys/previous-pepper.ts';
import { readSealedDrops, writeSealedDrop } from '../../shared/domain/retention/dropped.ts';
import { readConfig, requireIngress } from '../../shared/platform/config/config.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { compareSecretFingerprint, PEPPER, SecretMismatchError } from '../../shared/platform/db/fingerprints.ts';
import {
  BUDGET_CHARGE,
  BUDGET_USE,
  type BudgetChargeRow,
  type BudgetUseRow,
  chargeSeal,
  isChargeGenuine,
  isUseGenuine,
  useSeal,
} from '../../shared/platform/db/seals/budgets.ts';
import { checkSealedRows } from '../../shared/platform/db/seals/check.ts';
import { type Peppers, rotatePepper } from '../../shared/platform/db/seals/rotate.ts';
import { createSeals } from '../../shared/platform/db/seals/seals.ts';
import { isSubmissionGenuine, SUBMISSION, type SubmissionRow } from '../../shared/platform/db/seals/submissions.ts';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import { createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { signIn } from '../support/dashboard.ts';
import { createTestDatabase, openTestDatabase, PATIENCE, type TestDatabase } from '../support/database.ts';
import { approve, escalate, ESCALATING } from '../support/escalations.ts';
import { testKeyFiles } from '../support/keys.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { sealAll } from '../support/seals.ts';
import { type Service, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';

const NEXT = 'the next pepper of tests, of as little use';
const PEPPERS: Peppers = { previous: TEST_PEPPER, next: NEXT };
/** A repeated request that has a stored answer: a 401 instead would be a key that does not work. */
const REPEATED = { 'idempotency-key': 'before the rotation' };

const DROP = { what: 'decisions', beforeId: 'dec_1', before: '', setting: '', keepSeconds: 86_400 } as const;

type UseRow = BudgetUseRow & { readonly id: string; readonly count_seal: Buffer | null };
type WaitingRow = SubmissionRow & { readonly submission_seal: Buffer | null };
type ChargeRow = BudgetChargeRow & { readonly charge_seal: Buffer | null };

/** A count with one charge, as a decision leaves them. */
async function chargeBudget(db: Database): Promise<void> {
  const [use] = await db.query<UseRow>(
    `INSERT INTO budget_use AS u (organisation_id, environment, name, counted_for, counted_for_digest, window_ms, limit_amount, expires_at)
      VALUES ('o', 'live', 'refunds', '{}', sha256('{}'), 60000, 5, now() + interval '1 hour') RETURNING id, ${BUDGET_USE}`,
    [],
  );
  if (use === undefined) throw new Error('no count was made');
  const next = { ...use, version: 1, buckets: [1, 5] };
  await db.query('UPDATE budget_use SET version = 1, buckets = $2::bigint[], count_seal = $3 WHERE id = $1', [
    use.id,
    next.buckets,
    useSeal(db.seals, next),
  ]);
  const charge = { decision_id: 'd', budget_use_id: use.id, amount: 5, ends_at_ms: 1, expires_ms: 60_001 };
  await db.query(
    `INSERT INTO budget_charge (decision_id, budget_use_id, amount, ends_at_ms, expires_at, charge_seal)
      VALUES ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6)`,
    [...Object.values(charge), chargeSeal(db.seals, charge)],
  );
}

describe('rotating the pepper', () => {
  let database: TestDatabase;
  let service: Service;
  let owner: Database;
  let oldKey: { key: string; keyId: string };
  let otherKey: { key: string; keyId: string };
  let webhookSecret: string;
  let forged: { key: string; keyId: string };
  let running: RunningIngress | undefined;

  const opened = (url: string, pepper?: string): Promise<Database> =>
    openTestDatabase(url, pepper === undefined ? {} : { seals: createSeals({ pepper }) });
  const sql = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    runSql(owner, text, values);

  before(async () => {
    database = await createTestDatabase();
    owner = await opened(database.adminUrl);
    service = await startService({ policies: ESCALATING, words: 'few', databaseUrl: database.url });
    const { admin } = service;
    await admin.post('/v1/agents', { agentId: 'paused', name: 'x', tags: ['a', 'b'] });
    await admin.patch('/v1/agents/paused', { status: 'PAUSED' });
    await approve(admin, await escalate(await service.client(), { agent_id: 'bot', intent: 'delete:db/asked/1' }));
    await signIn(admin, service.adminKey);
    // More than one batch of rows.
    await sql(
      `INSERT INTO agent (organisation_id, environment, agent_id, name, created_at, updated_at)
       SELECT $1, 'dev', 'many-' || n, 'n', now(), now() FROM generate_series(1, 1500) n`,
      [service.operatorId],
    );
    await sealAll(service.db, 'agent');
    await writeSealedDrop(service.db, DROP);
    await chargeBudget(service.db);
    await admin.post('/v1/intents', { agentId: 'waits', action: 'read', resource: 'db/x' });
    await admin.post('/v1/agents', { agentId: 'once', name: 'x' }, { headers: REPEATED });
    await service.addKey({ environment: 'test', scopes: ['admin:*'] });
    const halting = await service.client({ environment: 'test', scopes: ['admin:*'] });
    await halting.post('/v1/halt', { reason: 'older' });
    const webhook = { url: 'https://receiver.example.com/', events: ['key.created'] };
    ({ secret: webhookSecret } = (await admin.post('/v1/webhooks', webhook)).json);
    oldKey = await service.addKey({ scopes: ['admin:*'] });
    otherKey = await service.addKey({ scopes: ['admin:*'] });
    forged = await service.addKey({ scopes: ['intents:write'] });
    await sql("UPDATE api_key SET scopes = '{admin:*}' WHERE key_id = $1", [forged.keyId]);
  });

  after(async () => {
    await running?.close();
    service.admin.close();
    await service.db.close();
    await owner.close();
    await database.drop();
  });

  /** The rows that a process with this pepper refuses, by table. */
  const refusedUnder = async (pepper: string): Promise<string[]> => {
    const db = await opened(database.url, pepper);
    try {
      const { checked, refused } = await checkSealedRows(db);
      expect(checked).to.be.greaterThan(1500);
      return refused.map(({ table, id }) => `${table} ${id.join('/')}`);
    } finally {
      await db.close();
    }
  };
  const expectAllOld = async (): Promise<void> => {
    expect(await refusedUnder(TEST_PEPPER)).to.deep.equal([`api_key ${forged.keyId}`]);
    expect(await compareSecretFingerprint(owner, PEPPER, TEST_PEPPER)).to.equal('same');
  };
  const failureOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'it did not fail',
      (error: unknown) => String(error),
    );
  const start = async (env: Record<string, string>, end?: () => void): Promise<RunningIngress> => {
    const config = requireIngress(
      readConfig(
        { ...testKeyFiles(), PORT: '0', DATABASE_URL: database.url, CUSTOS_RATE_LIMIT: 'off', ...env },
        { root: findRoot() },
      ),
    );
    running = await startIngress({
      config,
      logger: createLogger({ name: 'test', level: 'silent', pretty: false }),
      root: findRoot(),
      patience: PATIENCE,
      ...(end === undefined ? {} : { end }),
    });
    return running;
  };
  const stop = async (): Promise<void> => {
    await running?.close();
    running = undefined;
  };
  const statusOf = async (ingress: RunningIngress, key: string): Promise<number> => {
    const client = createClient(ingress.address, key);
    try {
      return (await client.get('/v1/agents?limit=1')).status;
    } finally {
      client.close();
    }
  };

  /** The secret of the webhook, decrypted under a pepper. */
  const webhookSecretUnder = async (pepper: string): Promise<string | undefined> => {
    const [row] = await sql<{ id: string; signing_keys: string }>(
      'SELECT endpoint_id AS id, signing_keys FROM webhook_endpoint',
    );
    const [key] = JSON.parse(row?.signing_keys ?? '[]') as { encrypted: string }[];
    return createSeals({ pepper }).decryptText('webhook-key', row?.id ?? '', key?.encrypted ?? '');
  };

  it('is refused while a process is running, and the message names it', async () => {
    expect(await failureOf(rotatePepper(database.ownerUrl, PEPPERS))).to.match(/are alive.*ingress \(process \d+ on /s);
    await service.ingress.close();
    await expectAllOld();
  });

  it('is refused with a wrong current pepper, and for a role that does not own the tables', async () => {
    const wrong = { previous: 'a pepper that was never in force here', next: NEXT };
    expect(await failureOf(rotatePepper(database.ownerUrl, wrong))).to.contain('CUSTOS_PEPPER_PREVIOUS must be');
    expect(await failureOf(rotatePepper(database.url, PEPPERS))).to.contain('Only the owner of the tables');
    await expectAllOld();
  });

  it('changes nothing when it is interrupted just before its end', async () => {
    const holder = await opened(database.adminUrl);
    let failure = '';
    await holder.transaction(async (held) => {
      await held.query('LOCK TABLE change IN EXCLUSIVE MODE', []);
      const rotating = failureOf(rotatePepper(database.ownerUrl, PEPPERS));
      const waiting = `SELECT pid FROM pg_stat_activity WHERE application_name = 'custos-pepper' AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO change%'`;
      await waitFor(async () => (await sql(waiting)).length === 1, {
        what: 'the rotation to reach its last statement',
      });
      await sql(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS one`);
      failure = await rotating;
    });
    await holder.close();
    expect(failure).to.contain('terminating connection');
    await expectAllOld();
  });

  it('seals every row under the new pepper, and lists the refused row, by the command', async () => {
    const env = {
      DATABASE_URL: database.url,
      CUSTOS_MIGRATION_DATABASE_URL: database.ownerUrl,
      CUSTOS_PEPPER: NEXT,
      CUSTOS_PEPPER_PREVIOUS: TEST_PEPPER,
    };
    const first = await runCommand(['pepper', 'rotate'], env);
    expect(first.stderr).to.equal('');
    expect(first.stdout).to.match(/Sealed \d{4} rows under the new pepper/);
    expect(first.stdout).to.contain(`api_key  ${forged.keyId}`);
    const { waiting, lost } = await countWaitingKeys(owner, TEST_PEPPER);
    expect(waiting).to.be.greaterThan(4);
    expect(lost).to.equal(0);
    expect(first.stdout).to.contain(`${waiting} keys will be stored under the new pepper at their first use`);
    expect(await refusedUnder(NEXT)).to.deep.equal([`api_key ${forged.keyId}`]);
    expect(await refusedUnder(TEST_PEPPER)).to.have.length.greaterThan(1500);
    expect(await webhookSecretUnder(NEXT)).to.equal(webhookSecret);
    expect(await webhookSecretUnder(TEST_PEPPER)).to.equal(undefined);
    expect((await runCommand(['pepper', 'rotate'], env)).stdout).to.contain('already in force');
    expect(await refusedUnder(NEXT)).to.deep.equal([`api_key ${forged.keyId}`]);
  });

  it('seals again how far retention has dropped, so that nothing dropped looks deleted', async () => {
    const renewed = await opened(database.url, NEXT);
    try {
      const owner = { organisationId: 'nobody', environment: 'live' } as const;
      expect((await readSealedDrops(renewed, owner))(DROP)).to.equal(DROP.beforeId);
    } finally {
      await renewed.close();
    }
  });

  it('seals again what budgets have used and what was charged to them, and intents that wait', async () => {
    const [use] = await sql<UseRow>(`SELECT ${BUDGET_USE} FROM budget_use u`);
    const [charge] = await sql<ChargeRow>(`SELECT ${BUDGET_CHARGE} FROM budget_charge`);
    if (use === undefined || charge === undefined) throw new Error('nothing was charged');
    const [waiting] = await sql<WaitingRow>(`SELECT ${SUBMISSION} FROM intent WHERE agent_id = 'waits'`);
    if (waiting === undefined) throw new Error('nothing waits');
    for (const [pepper, isGenuine] of [
      [NEXT, true],
      [TEST_PEPPER, false],
    ] as const) {
      const seals = createSeals({ pepper });
      const genuine = [isUseGenuine(seals, use), isChargeGenuine(seals, charge), isSubmissionGenuine(seals, waiting)];
      expect(genuine).to.deep.equal([isGenuine, isGenuine, isGenuine]);
    }
  });

  it('leaves a refused row, which "custos seals check" lists without its values and with exit code 1', async () => {
    const env = { DATABASE_URL: database.url, CUSTOS_PEPPER: NEXT };
    const { code, stdout } = await runCommand(['seals', 'check'], env);
    expect(code).to.equal(1);
    expect(stdout).to.match(new RegExp(`^api_key  ${forged.keyId}\\n\\d+ rows checked, 1 refused\\n$`));
    const { checks } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout) as {
      checks: { check: string; verdict: string; detail: string }[];
    };
    const of = (name: string) => checks.filter(({ check }) => check === name).map((one) => one.detail);
    expect(of('sealed rows').join()).to.contain('1 rows that grant authority are refused: api_key');
    expect(of('previous pepper').join()).to.contain('keys are stored under an unknown pepper and do not work');
  });

  it('prevents a process with the old pepper from starting', async () => {
    const error = await start({ CUSTOS_PEPPER: TEST_PEPPER }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(SecretMismatchError);
  });

  it('makes keys unknown to a process without the previous pepper, which then replays no stored answer', async () => {
    const ingress = await start({ CUSTOS_PEPPER: NEXT });
    for (const { key } of [oldKey, forged]) expect(await statusOf(ingress, key)).to.equal(401);
    await stop();
  });

  it('stores a key under the new pepper once at its first use, also under concurrent requests', async () => {
    const ingress = await start({ CUSTOS_PEPPER: NEXT, CUSTOS_PEPPER_PREVIOUS: TEST_PEPPER });
    const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(ingress, oldKey.key)));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(await sql('SELECT secret_pepper, version FROM api_key WHERE key_id = $1', [oldKey.keyId])).to.deep.equal([
      { secret_pepper: null, version: 2 },
    ]);
    expect(await statusOf(ingress, service.adminKey)).to.equal(200);
    expect(await statusOf(ingress, forged.key), 'a forged row').to.equal(401);
    expect(await statusOf(ingress, `${oldKey.key.slice(0, -7)}AAAAAAA`), 'another secret').to.equal(401);
    const admin = createClient(ingress.address, service.adminKey);
    const repeated = await admin.post('/v1/agents', { agentId: 'once', name: 'x' }, { headers: REPEATED });
    expect(repeated.status, 'answered under the previous pepper').to.equal(201);
    admin.close();
    await stop();
  });

  it('needs the previous pepper no longer for a used key, but still for an unused one', async () => {
    const ingress = await start({ CUSTOS_PEPPER: NEXT });
    expect(await statusOf(ingress, oldKey.key)).to.equal(200);
    expect(await statusOf(ingress, otherKey.key)).to.equal(401);
    const admin = createClient(ingress.address, service.adminKey);
    const repeated = await admin.post('/v1/agents', { agentId: 'once', name: 'x' }, { headers: REPEATED });
    expect([repeated.status, repeated.json.code], 'an answer that cannot be read').to.deep.equal([409, 'E2010']);
    admin.close();
    await stop();
  });

  it('ends a running process that has the old pepper', async () => {
    let ended = 0;
    await start({ CUSTOS_PEPPER: NEXT }, () => (ended += 1));
    expect(ended).to.equal(0);
    await sql('UPDATE secret_fingerprint SET fingerprint = $1 WHERE name = $2', ['another', PEPPER]);
    await sql("INSERT INTO change (kind, subject) VALUES ('pepper', '')");
    await waitFor(() => ended > 0, { what: 'the process to end' });
    await stop();
  });
});
