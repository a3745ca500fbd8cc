// A log cannot fork: a database restored from an older backup still records, but signs nothing until its operator forks the log.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import { type Embedded, startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { appendWaiting } from '../../shared/domain/ledger/append.ts';
import { logProblems, readLogStates } from '../../shared/domain/ledger/log-states.ts';
import { exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { ForkError, forkLog } from '../../shared/domain/ledger/fork.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { readInclusionPath } from '../../shared/domain/ledger/nodes.ts';
import { createLogFileAuditor } from '../../shared/core/proof/audit-file.ts';
import { readCheckpoint } from '../../shared/core/proof/checkpoint.ts';
import { publishKey, trustKey } from '../../shared/core/proof/keys.ts';
import { hashLeaf, verifyInclusion } from '../../shared/core/proof/merkle.ts';
import { createLogReader } from '../../shared/domain/ledger/read.ts';
import { accessOf, openTestDatabase, rememberServer } from '../support/database.ts';
import { temporaryDataDir, temporaryFolder } from '../support/folders.ts';
import { bootstrap } from '../support/service.ts';
import { type LogUnderTest, logUnderTest, newKey } from './audit-setup.ts';
import { TEST_PEPPER } from '../support/process.ts';

describe('a log whose database is restored from an older backup', () => {
  const dataDir = temporaryDataDir();
  const backup = path.join(temporaryFolder('backup'), 'copy');
  const key = newKey();
  const keeper = createCheckpointKeeper(temporaryFolder('kept'));
  let embedded: Embedded;
  let db: Database;
  let log: LogUnderTest;
  let organisationId = '';
  let slug: string;

  const start = async (): Promise<void> => {
    embedded = await startEmbedded({ dataDir, say: () => undefined });
    rememberServer(embedded);
    await migrate(accessOf(embedded), TEST_PEPPER);
    db = await openTestDatabase(embedded.url, { queryTimeoutMs: 30_000 });
    // Once, because each new admin key is a record of its own.
    if (organisationId === '') ({ operatorId: organisationId } = await bootstrap(db));
    const [row] = await db.query<{ slug: string }>('SELECT slug FROM organisation', []);
    slug = row?.slug ?? '';
    log = logUnderTest({ db, organisationId, slug, key, keeper });
  };
  const stop = async (): Promise<void> => {
    await db.close();
    await embedded.stop();
  };
  /** The folder of the cluster: root may keep it outside the data folder. */
  const cluster = (): string => {
    const pointer = path.join(dataDir, 'postgres.location');
    return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : path.join(dataDir, 'postgres');
  };
  const round = async (label: string, count = 7): Promise<void> => {
    await log.fill(count, label);
    await log.append();
    await log.publish();
  };
  const checkpoints = async (generation: number) =>
    (await log.sql(
      'SELECT checkpoint.size::integer AS size, note FROM checkpoint JOIN log USING (log_id) WHERE generation = $1 ORDER BY checkpoint.size',
      [generation],
    )) as {
      size: number;
      note: string;
    }[];

  before(async () => {
    await start();
    await log.tamper('DELETE FROM record; DELETE FROM log_inbox');
    await round('first');
    await round('second');
    await stop();
    // The files belong to PostgreSQL's account, and a copy must keep that owner.
    execFileSync('cp', ['-a', cluster(), backup]);
    await start();
    await round('lost');
    await stop();
    const place = cluster();
    rmSync(place, { recursive: true });
    execFileSync('cp', ['-a', backup, place]);
    await start();
  });
  after(() => stop?.());

  it('has nothing to append for an organisation that the backup does not have, whose jobs Redis may still have', async () => {
    const append = { db, nowMs: Date.now, logHost: 'custos.local' };
    expect(await appendWaiting(append, 'org_made_after_the_backup', 'live'), 'whether more waits').to.equal(false);
    expect(await findLog(db, 'org_made_after_the_backup', 'live')).to.equal(undefined);
  });

  it('still records, signs nothing, and reports the reason', async () => {
    expect((await checkpoints(1)).map(({ size }) => size)).to.deep.equal([7, 14]);
    await round('after', 3);
    expect(await findLog(db, organisationId, 'live')).to.include({ size: 17, generation: 1 });
    expect(
      (await checkpoints(1)).map(({ size }) => size),
      'nothing is signed',
    ).to.deep.equal([7, 14]);
    expect(log.halts).to.have.lengthOf(1);
    expect(log.halts[0]?.reason).to.match(/kept outside the database has 21 leaves and the log only 17/);
    expect((await logProblems(db)).join()).to.match(/is halted/);
    const kinds = (await log.findings()).map(({ kind }) => kind);
    expect(kinds, 'the audit finds it, too').to.include('kept-checkpoint');
  });

  it('stays halted when it has grown past the signed size, because its leaves differ', async () => {
    await round('more', 20);
    expect((await checkpoints(1)).map(({ size }) => size)).to.deep.equal([7, 14]);
    expect(log.halts, 'reported once').to.have.lengthOf(1);
  });

  it('continues as .../2 after custos log fork, whose first leaf names the signed head and the current one', async () => {
    // These records are queued before the new log is opened, and still do not become its first leaf.
    await log.fill(4, 'waiting');
    const fork = await forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'live');
    expect(fork).to.deep.include({ origin: `custos.local/${slug}/live/2`, generation: 2 });
    expect(fork.old).to.include({ size: 37, signedSize: 21 });
    await log.append();
    await log.publish();
    const [checkpoint] = await checkpoints(2);
    expect(checkpoint?.size).to.equal(5);
    const trusted = [trustKey(publishKey(key, { origin: fork.origin, use: 'log' }).vkey)];
    const head = readCheckpoint(checkpoint?.note ?? '', trusted);
    const newest = await findLog(db, organisationId, 'live');
    expect(newest).to.include({ origin: fork.origin, size: 5, haltedReason: null });

    const chain = await createLogReader({ db }).chain({ organisationId, environment: 'live' }, 'custos:log', 0, 10);
    expect(chain.map(({ index, event }) => [index, event])).to.deep.equal([[0, 'custos.fork']]);
    const leaf = chain[0]?.record ?? Buffer.alloc(0);
    const { body } = JSON.parse(leaf.toString('utf8')).payload;
    expect(body).to.include({ log: `custos.local/${slug}/live` });
    expect(body.checkpoint.size).to.equal(21);
    expect(body.checkpoint.note).to.equal(await keeper.read(`custos.local/${slug}/live`));
    expect(body.tree.size).to.equal(37);
    const path0 = await readInclusionPath(db, newest?.logId ?? 0, 0, 5);
    expect(verifyInclusion({ index: 0, size: 5, leafHash: hashLeaf(leaf), path: path0, root: head.root })).to.equal(
      true,
    );
    expect(await log.findings()).to.deep.equal([]);
  });

  it('has no open finding after the fork: its leaf names those of the old log, and another one is open again', async () => {
    const [leaf] = await createLogReader({ db }).chain({ organisationId, environment: 'live' }, 'custos:log', 0, 1);
    const { findings } = JSON.parse(leaf?.record?.toString('utf8') ?? '').payload.body;
    expect(findings.map(({ kind }: { kind: string }) => kind)).to.include('kept-checkpoint');
    await log.findings({ full: true });
    expect(await logProblems(db)).to.deep.equal([]);
    const [old] = (await readLogStates(db)).filter(({ generation }) => generation === 1);
    expect(old?.audit).to.include({ ok: true });
    expect(old?.audit?.findings.map(({ kind }) => kind)).to.include('kept-checkpoint');
    await log.tamper(
      "UPDATE checkpoint SET root = sha256('other') WHERE size = 7 AND log_id = (SELECT log_id FROM log WHERE generation = 1)",
    );
    await log.findings({ full: true });
    expect((await logProblems(db)).join()).to.match(/^the audit of the log \S+\/live found a difference/);
  });

  it('continues the chains of its entities, in an export of both logs', async () => {
    const heads = new Map<string, string>();
    for (const generation of [1, 2]) {
      const found = await findLog(db, organisationId, 'live', generation);
      if (found === undefined || found.origin === null) throw new Error('there is no log');
      const auditor = createLogFileAuditor({ heads });
      for await (const line of exportLog(db, { ...found, origin: found.origin })) auditor.next(line.trimEnd());
      const { findings, signedSize, leaves } = auditor.end();
      expect(findings).to.deep.equal([]);
      expect([signedSize, leaves]).to.deep.equal(generation === 1 ? [14, 37] : [5, 5]);
    }
  });

  it('cannot be forked when it is not halted', async () => {
    const error = await forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'live').catch((e: unknown) => e);
    expect(error).to.be.instanceOf(ForkError);
    expect(await findLog(db, organisationId, 'test')).to.equal(undefined);
    expect(
      await forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'test').catch((e: unknown) => e),
    ).to.be.instanceOf(ForkError);
  });

  it('can be forked again as .../3 during concurrent appends: no leaf goes to an old log', async () => {
    await log.sql("UPDATE log SET halted_reason = 'for the test' WHERE generation = 2");
    const sizes = async () =>
      (await log.sql('SELECT generation, size::integer AS size FROM log ORDER BY generation')).map(
        (row) => row['size'],
      );
    const before = await sizes();
    const appending = Array.from({ length: 6 }, async (_, i) => {
      await log.fill(5, `racing-${i}`);
      await appendWaiting({ db, nowMs: Date.now, logHost: 'custos.local' }, organisationId, 'live');
    });
    const [fork] = await Promise.all([forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'live'), ...appending]);
    expect(fork.origin).to.equal(`custos.local/${slug}/live/3`);
    const between = await sizes();
    await round('third');
    const after = await sizes();
    expect(after.slice(0, 2)).to.deep.equal(between.slice(0, 2));
    expect(Number(after[1]) + Number(after[2]) - Number(before[1])).to.equal(30 + 1 + 7);
    const [first] = await log.sql(
      'SELECT event FROM leaf JOIN log USING (log_id) WHERE generation = 3 AND leaf_index = 0',
    );
    expect(first).to.deep.equal({ event: 'custos.fork' });
    expect((await checkpoints(3)).at(-1)?.size).to.equal(after[2]);
    expect(await log.findings()).to.deep.equal([]);
  });

  it('signs nothing of a generation that somebody inserted into the database, until an operator forks it', async () => {
    const origin = `custos.local/${slug}/live/4`;
    await log.sql('INSERT INTO log (organisation_id, environment, generation, origin) VALUES ($1, $2, 4, $3)', [
      organisationId,
      'live',
      origin,
    ]);
    const known = log.halts.length;
    await round('forged');
    // Nor when the reason is cleared.
    await log.sql('UPDATE log SET halted_reason = NULL WHERE generation = 4');
    await log.publish();
    expect(await checkpoints(4)).to.deep.equal([]);
    expect(log.halts.slice(known).map((halt) => halt.origin)).to.deep.equal([origin, origin]);
    expect((await logProblems(db)).join()).to.match(/was not begun by "custos log fork"/);
    const fork = await forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'live');
    expect(fork.old).to.include({ origin, size: 7, signedSize: undefined });
    await round('right');
    expect((await checkpoints(5)).map(({ size }) => size)).to.deep.equal([8]);
  });

  it('can be forked when somebody has inserted a checkpoint that is none', async () => {
    await log.sql(
      "INSERT INTO checkpoint (log_id, size, root, note, signed_at) SELECT log_id, 1000000, sha256('none'), 'none', now() FROM log WHERE generation = 5",
    );
    await round('beside');
    expect((await logProblems(db)).join()).to.match(/is halted/);
    expect((await forkLog({ db, keeper, nowMs: Date.now }, organisationId, 'live')).old.signedSize).to.equal(8);
  });
});
