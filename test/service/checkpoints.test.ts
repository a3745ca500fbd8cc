// Signing heads across crashes and with changed keys: a crash never halts a log, and each key signs only its own sizes.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createCheckpointer } from '../../shared/domain/ledger/checkpoints.ts';
import { exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { readBacklog } from '../../shared/domain/installation/backlog.ts';
import { createCheckpointKeeper, requireCheckpointFolder } from '../../shared/domain/ledger/kept.ts';
import { RotationError, rotateLogKey } from '../../shared/domain/ledger/rotate-key.ts';
import { ensureSecretFingerprint, SecretMismatchError } from '../../shared/platform/db/fingerprints.ts';
import { createLogFileAuditor } from '../../shared/core/proof/audit-file.ts';
import { peekCheckpoint } from '../../shared/core/proof/checkpoint.ts';
import { keyIdOf } from '../../shared/core/proof/keys.ts';
import { sweep } from '../../workers/sweeper.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type LogUnderTest, logUnderTest, newKey } from './audit-setup.ts';

const BY = { by: 'cli:test', nowMs: Date.now() };

describe('checkpoints', () => {
  let database: TestDatabase;
  let db: Database;
  let log: LogUnderTest;
  const dir = temporaryFolder('kept');
  const keeper = createCheckpointKeeper(dir);

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { queryTimeoutMs: 30_000 });
    const { operatorId } = await bootstrap(db);
    const [row] = await db.query<{ slug: string }>('SELECT slug FROM organisation', []);
    log = logUnderTest({ db, organisationId: operatorId, slug: row?.slug ?? '', keeper });
    await log.tamper('DELETE FROM record; DELETE FROM log_inbox');
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const grow = async (label: string): Promise<void> => {
    await log.fill(5, label);
    await log.append();
  };
  const sizes = async (): Promise<unknown[]> =>
    (await log.sql('SELECT size::integer AS size FROM checkpoint ORDER BY checkpoint.size')).map(({ size }) => size);
  const keptSize = async (): Promise<number> => peekCheckpoint((await keeper.read((await found()).origin)) ?? '').size;
  const found = async () => {
    const row = await findLog(db, log.organisationId, 'live');
    if (row === undefined || row.origin === null) throw new Error('there is no log');
    return { ...row, origin: row.origin };
  };

  it('stored by a process that died before its commit do not halt the log, whether or not it has grown since', async () => {
    const dying = createCheckpointer({
      db,
      key: log.key,
      // The process ends between storing the checkpoint and the commit: its transaction is rolled back.
      keeper: {
        ...keeper,
        keep: async (origin, note) => {
          await keeper.keep(origin, note);
          throw new Error('killed');
        },
      },
      nowMs: Date.now,
      onHalt: (_, reason) => expect.fail(reason),
      onReplaced: () => expect.fail('replaced'),
    });
    const die = async (): Promise<void> => {
      const error = await dying.publish(log.organisationId, 'live').catch((e: unknown) => e);
      expect(String(error)).to.equal('Error: killed');
    };
    await grow('first');
    await die();
    expect([await keptSize(), await sizes()]).to.deep.equal([5, []]);
    expect(await log.findings(), 'no audit findings').to.deep.equal([]);
    await log.publish();
    expect([await keptSize(), await sizes()]).to.deep.equal([5, [5]]);

    await grow('second');
    await die();
    await grow('third');
    expect(await log.findings()).to.deep.equal([]);
    await log.publish();
    expect([await keptSize(), await sizes()]).to.deep.equal([15, [5, 15]]);
    expect(log.halts).to.deep.equal([]);
    expect(await log.findings({ full: true })).to.deep.equal([]);
  });

  it('that are missing count as work that waits, and the sweeper has them signed, but not those of a halted log', async () => {
    const waiting = async (): Promise<boolean> => (await readBacklog(db)).queues.proofs > 0;
    const swept = async (): Promise<unknown> =>
      (await sweep({ db, queues: { oldestWaitingAtMs: async () => undefined } })).queued['proofs.append'];
    expect(await waiting()).to.equal(false);
    // As after a failure to store a checkpoint outside the database, whose job was given up.
    await grow('unsigned');
    await log.tamper("UPDATE leaf SET appended_at = now() - interval '1 minute'");
    expect([await waiting(), await swept()]).to.deep.equal([true, 1]);
    await log.tamper("UPDATE log SET halted_reason = 'a test'");
    expect([await waiting(), await swept()]).to.deep.equal([false, 0]);
    await log.tamper('UPDATE log SET halted_reason = NULL; DELETE FROM outbox');
    await log.publish();
    expect([await waiting(), await swept()]).to.deep.equal([false, 0]);
  });

  for (const [what, make] of Object.entries({
    'is a file': (folder: string) => writeFileSync(folder, ''),
    'is below a file': (folder: string) => writeFileSync(path.dirname(folder), ''),
    'is a loop of links': (folder: string) => symlinkSync(folder, folder),
  }))
    it(`need a folder: a worker does not start with one that ${what}`, async () => {
      const folder = path.join(temporaryFolder('unusable'), 'parent', 'folder');
      if (what !== 'is below a file') mkdirSync(path.dirname(folder));
      make(folder);
      const refused = await requireCheckpointFolder(folder, 'The folder').catch((error: unknown) => String(error));
      expect(refused).to.match(/^OperatorError: The folder can't be used: .*\((?:ENOTDIR|EEXIST|ELOOP), \/.*\)\.$/);
    });

  it('have their folder made', async () => {
    const folder = path.join(temporaryFolder('usable'), 'parent', 'folder');
    await requireCheckpointFolder(folder, 'The folder');
    expect(existsSync(folder)).to.equal(true);
  });

  it('are signed once by concurrent workers, and no log is halted', async () => {
    await grow('several');
    await Promise.all(Array.from({ length: 5 }, () => log.publish()));
    expect(await sizes()).to.deep.equal([5, 15, 20, 25]);
    expect(log.halts).to.deep.equal([]);
  });

  it('continue with another key after custos log rotate-key, and each key may sign only its own sizes', async () => {
    await ensureSecretFingerprint(db, 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(log.key));
    const next = newKey();
    const workers = await openTestDatabase(database.url, { applicationName: 'custos-workers' });
    expect(await rotateLogKey(db, next, BY).catch((e: unknown) => e), 'while workers run').to.be.instanceOf(
      RotationError,
    );
    await workers.close();
    expect(await rotateLogKey(db, log.key, BY).catch((e: unknown) => e), 'the key that is in use').to.be.instanceOf(
      RotationError,
    );
    // A session that was just closed may still be listed for a moment.
    const keyId = await waitFor(() => rotateLogKey(db, next, BY), { what: 'the session that was closed to be gone' });
    expect(keyId).to.equal(keyIdOf(next));
    expect(
      await ensureSecretFingerprint(db, 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(log.key)).catch((e: unknown) => e),
    ).to.be.instanceOf(SecretMismatchError);
    await ensureSecretFingerprint(db, 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(next));

    await grow('rotated');
    const signer = createCheckpointer({
      db,
      key: next,
      keeper,
      nowMs: Date.now,
      onHalt: (_, reason) => expect.fail(reason),
      onReplaced: () => expect.fail('replaced'),
    });
    await signer.publish(log.organisationId, 'live');
    const spans = await log.sql(
      "SELECT key_id, first_size::integer AS first, last_size::integer AS last FROM log_key WHERE use = 'log' ORDER BY first_size",
    );
    expect(spans).to.deep.equal([
      { key_id: keyIdOf(log.key), first: 0, last: 25 },
      { key_id: keyIdOf(next), first: 26, last: null },
    ]);
    expect(await log.findings({ full: true })).to.deep.equal([]);
    const auditor = createLogFileAuditor({});
    for await (const line of exportLog(db, await found())) auditor.next(line.trimEnd());
    expect(auditor.end()).to.deep.include({ checkpoints: 5, signedSize: 31, findings: [] });
    expect(await rotateLogKey(db, log.key, BY).catch((e: unknown) => e), 'a former key is refused').to.be.instanceOf(
      RotationError,
    );
  });
});
