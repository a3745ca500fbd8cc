// The first organisation and its key; processes with other secrets do not start.
import { expect } from 'chai';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../shared/platform/db/database.ts';
import { BOOTSTRAP_FILE, BootstrapError, ensureBootstrap } from '../../shared/domain/keys/bootstrap.ts';
import { ensureSecretFingerprint, SecretMismatchError } from '../../shared/platform/db/fingerprints.ts';
import { formatKey, generateKey, parseKey } from '../../shared/domain/keys/format.ts';
import { loadKey } from '../../shared/domain/keys/lookup.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import { revokeKey } from '../../shared/domain/keys/store.ts';
import { createSecretHasher } from '../../shared/domain/keys/secrets.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryDataDir } from '../support/folders.ts';

const PEPPER = 'a pepper for tests, of no use elsewhere';
const clock = { nowMs: () => Date.now() };

describe('the first key', () => {
  let database: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const run = (more: { bootstrapKey?: string; dataDir?: string } = {}, on: Database = db) =>
    ensureBootstrap({ db: on, pepper: PEPPER, clock, ...more });
  const keys = () => db.query<{ key_id: string }>('SELECT key_id FROM api_key', []);
  const isStored = async (key: string) => {
    const parts = parseKey(key);
    const hasher = createSecretHasher(PEPPER);
    return hasher.matches(hasher.hash(parts?.secret ?? ''), (await loadKey(db, parts?.keyId ?? ''))?.secretHmac);
  };
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: unknown) => error as Error,
    );

  it("is a live admin key of the operator's organisation, in a file that only its owner can read", async () => {
    const dataDir = temporaryDataDir();
    const { generatedKey = '', file = '', organisation } = await run({ dataDir });
    expect(organisation).to.include({ slug: 'default', isOperator: true, tier: 7 });
    expect(file).to.equal(path.join(dataDir, BOOTSTRAP_FILE));
    expect(readFileSync(file, 'utf8').trim()).to.equal(generatedKey);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const parts = parseKey(generatedKey);
    expect(parts?.environment).to.equal('live');
    const stored = await loadKey(db, parts?.keyId ?? '');
    expect(stored?.key).to.deep.include({
      scopes: new Set(['admin:*']),
      agentIds: null,
      tier: 7,
      environment: 'live',
      expiresAtMs: null,
    });
    expect(stored !== undefined && isOperatorsKey(stored.key)).to.equal(true);
    expect(await isStored(generatedKey)).to.equal(true);
  });

  it('is made once: a second start prints nothing and changes nothing', async () => {
    const dataDir = temporaryDataDir();
    const first = await run({ dataDir });
    const second = await run({ dataDir });
    expect(second.generatedKey).to.equal(undefined);
    expect(second.organisation.id).to.equal(first.organisation.id);
    expect(await keys()).to.have.lengthOf(1);
    expect(readFileSync(first.file ?? '', 'utf8').trim()).to.equal(first.generatedKey);
  });

  it('is made once by concurrent starts, and the printed key is the valid one', async () => {
    const dataDir = temporaryDataDir();
    const others = await Promise.all([1, 2, 3].map(() => openTestDatabase(database.url)));
    const results = await Promise.all([db, ...others].map((on) => run({ dataDir }, on)));
    await Promise.all(others.map((other) => other.close()));
    const generated = results.flatMap((result) => result.generatedKey ?? []);
    expect(generated).to.have.lengthOf(1);
    expect(await keys()).to.have.lengthOf(1);
    expect(await isStored(generated[0] ?? '')).to.equal(true);
    expect(readFileSync(path.join(dataDir, BOOTSTRAP_FILE), 'utf8').trim()).to.equal(generated[0]);
  });

  it('is recovered after a crash between the file and the row', async () => {
    const dataDir = temporaryDataDir();
    const crashing: Database = {
      ...db,
      transaction: (work) =>
        db.transaction(async (sql) => {
          await work(sql);
          throw new Error('killed before the commit');
        }),
    };
    expect((await failure(run({ dataDir }, crashing))).message).to.contain('killed');
    expect(await keys()).to.have.lengthOf(0);
    const left = readFileSync(path.join(dataDir, BOOTSTRAP_FILE), 'utf8').trim();
    const { generatedKey } = await run({ dataDir });
    expect(generatedKey).to.equal(left);
    expect(await isStored(left)).to.equal(true);
  });

  it('is not stored from a damaged file', async () => {
    const dataDir = temporaryDataDir();
    const { file = '' } = await run({ dataDir });
    await db.query('DELETE FROM api_key', []);
    writeFileSync(file, 'cst_live_oops');
    const error = await failure(run({ dataDir }));
    expect(error).to.be.instanceOf(BootstrapError);
    expect(error.message).to.contain(file);
    expect(await keys()).to.have.lengthOf(0);
  });

  it('needs no folder: then the returned text is the only copy', async () => {
    const { generatedKey = '', file } = await run();
    expect(file).to.equal(undefined);
    expect(await isStored(generatedKey)).to.equal(true);
  });

  it('is CUSTOS_BOOTSTRAP_KEY when that is set: at the first start, at every later one, and next to other keys', async () => {
    const dataDir = temporaryDataDir();
    const given = generateKey('live').key;
    for (let start = 0; start < 2; start += 1) {
      expect((await run({ bootstrapKey: given, dataDir })).generatedKey).to.equal(undefined);
      expect(await keys()).to.have.lengthOf(1);
    }
    expect(existsSync(path.join(dataDir, BOOTSTRAP_FILE))).to.equal(false);
    const other = generateKey('live').key;
    await run({ bootstrapKey: other });
    expect([await isStored(given), await isStored(other)]).to.deep.equal([true, true]);
  });

  it('stays revoked after a restart', async () => {
    const bootstrapKey = generateKey('live');
    await run({ bootstrapKey: bootstrapKey.key });
    const owner = (await loadKey(db, bootstrapKey.keyId))?.key;
    if (owner === undefined) throw new Error('the key is not stored');
    const change = { by: null, nowMs: Date.now() };
    await db.transaction((sql) => revokeKey(sql, owner, bootstrapKey.keyId, change));
    await run({ bootstrapKey: bootstrapKey.key });
    expect((await loadKey(db, bootstrapKey.keyId))?.revoked).to.equal(true);
    expect((await run()).generatedKey, 'no other key replaces it').to.equal(undefined);
  });

  const good = generateKey('live');
  for (const [what, text] of [
    ['with a wrong checksum', good.key.slice(0, -1) + (good.key.endsWith('0') ? '1' : '0')],
    ['of another environment', generateKey('test').key],
    ['that is not a key', 'secret'],
  ] as const)
    it(`refuses a CUSTOS_BOOTSTRAP_KEY ${what}, without printing it`, async () => {
      const error = await failure(Promise.resolve().then(() => run({ bootstrapKey: text })));
      expect(error).to.be.instanceOf(BootstrapError);
      expect(error.message).to.contain('CUSTOS_BOOTSTRAP_KEY').and.not.contain(text);
      expect(await keys()).to.have.lengthOf(0);
    });

  it('refuses a CUSTOS_BOOTSTRAP_KEY whose id belongs to another key', async () => {
    await run({ bootstrapKey: good.key });
    const other = formatKey({ ...generateKey('live'), keyId: good.keyId });
    expect(await failure(run({ bootstrapKey: other }))).to.be.instanceOf(BootstrapError);
    expect(await isStored(good.key)).to.equal(true);
  });
});

describe("a process's secrets", () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('must equal those of the first start', async () => {
    await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', PEPPER);
    await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', PEPPER);
    await ensureSecretFingerprint(db, 'CUSTOS_SIGNING_KEY_FILE', Buffer.from('another secret'));
    const error = await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', `${PEPPER}!`).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(SecretMismatchError);
    expect(String(error)).to.contain('CUSTOS_PEPPER is not the one').and.not.contain(PEPPER);
    const stored = await db.query('SELECT name, fingerprint FROM secret_fingerprint', []);
    expect(stored).to.have.lengthOf(2);
    expect(JSON.stringify(stored)).to.not.contain(PEPPER);
  });

  it('are accepted from one of two concurrent first starts; the other refuses', async () => {
    const outcomes = await Promise.allSettled(
      ['one', 'two', 'three', 'four'].map((secret) => ensureSecretFingerprint(db, 'RACE', secret)),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.lengthOf(1);
  });
});
