// An agent with a long history of signals over PostgreSQL: what a statement reads at once, that other work has its turn, and that
// nothing is missed while records move into the log.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database, EntitySql, Sql } from '../../shared/platform/db/database.ts';
import { appendWaiting } from '../../shared/domain/ledger/append.ts';
import { createAuditor } from '../../shared/domain/ledger/audit.ts';
import { auditTrust } from '../../shared/domain/ledger/audit-trust.ts';
import { createChainHeads } from '../../shared/domain/ledger/chain-heads.ts';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import { createSignalStore } from '../../shared/domain/trust/signals.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createTrustHistory, type TrustHistory } from '../../shared/core/verification/trust-history.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootstrap } from '../support/service.ts';
import { begunSeal } from '../../shared/platform/db/seals/audit-progress.ts';
import { TEST_SEALS } from '../support/seals.ts';
import { runSql } from '../support/sql.ts';

const CAP = 10_000;
const SIGNALS = 26_000;

describe('an agent with many signals', () => {
  let database: TestDatabase;
  let db: Database;
  let organisationId: string;
  let organisation: string;
  let sent = 0;
  const chainHeads = createChainHeads();

  const send = async (agentId: string, count: number): Promise<void> => {
    const at = new Date().toISOString();
    for (let i = 0; i < count; i += 500)
      await createSignalStore({ db }).accept(
        Array.from({ length: Math.min(500, count - i) }, () => ({
          organisationId,
          environment: 'live' as const,
          signalId: `signal ${(sent += 1)}`,
          agentId,
          keyId: 'AAAAAAAA',
          type: sent % 9 === 0 ? ('failure' as const) : ('success' as const),
          weight: 100,
          occurredAt: at,
          receivedAt: at,
          source: undefined,
          evidence: undefined,
        })),
        () => '',
      );
    while ((await foldBatch({ db, nowMs: Date.now, dailyCap: CAP, maxSignals: 5_000 })).signals > 0);
  };
  const append = async (): Promise<void> => {
    const deps = { db, nowMs: Date.now, logHost: 'custos.local', chainHeads };
    while (await appendWaiting(deps, organisationId, 'live'));
  };
  before(async () => {
    database = await createTestDatabase();
    const onError = (): void => undefined;
    db = await openTestDatabase(database.url, { poolSize: 4, queryTimeoutMs: 20_000, onError });
    organisationId = (await bootstrap(db)).operatorId;
    const [row] = await runSql<{ slug: string }>(db, 'SELECT slug FROM organisation WHERE id = $1', [organisationId]);
    organisation = row?.slug ?? '';
    await send('a young one', 3);
    await send('old', SIGNALS);
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  /** The database, and the largest number of rows that a statement returned. */
  const counted = () => {
    const seen = { mostRows: 0, statements: 0 };
    const counting = (sql: EntitySql): EntitySql => ({
      ...sql,
      async query<Row extends object>(...given: Parameters<Sql['query']>) {
        const rows = await sql.query<Row>(...given);
        seen.mostRows = Math.max(seen.mostRows, rows.length);
        seen.statements += 1;
        return rows;
      },
    });
    const transaction = <T>(work: (sql: EntitySql) => Promise<T>): Promise<T> =>
      db.transaction((sql) => work(counting(sql)));
    return { seen, db: { ...db, ...counting(db), transaction } };
  };
  const historyOver = (from: Database): TrustHistory => {
    const store = createEvidenceStore({ db: from });
    const owner = { organisationId, environment: 'live', agentId: 'old' };
    return createTrustHistory({
      owner: { organisation, environment: 'live', agentId: 'old' },
      readPage: (after, limit) => store.trustPage(owner, after, limit),
      pause: nextTurn,
    });
  };
  const audit = (from: Database = db) =>
    auditTrust(from, [organisationId, 'live'], { after: '', nowMs: Date.now(), isTimeLeft: () => true });
  const stateOf = async (): Promise<{ score: number; uncertainty: number }> => {
    const [row] = await runSql<{ score: number; uncertainty: string }>(
      db,
      "SELECT score, uncertainty FROM trust_state WHERE agent_id = 'old'",
      [],
    );
    return { score: row?.score ?? 0, uncertainty: Number(row?.uncertainty) };
  };

  it('is audited with at most 100 folds in a statement, while the event loop turns', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const { seen, db: counting } = counted();
    const { compared, findings } = await audit(counting);
    isOver = true;
    expect([...findings]).to.deep.equal([]);
    expect(compared).to.have.members(['a young one', 'old']);
    expect(seen.mostRows).to.equal(100);
    expect(turns, 'after each ten folds').to.be.above(SIGNALS / 200 / 10);
  });

  it('is found to have other evidence than its signals, whichever fold they are of', async () => {
    await runSql(db, "UPDATE trust_bucket SET negative = negative - 100 WHERE agent_id = 'old'", []);
    const { findings } = await audit();
    expect([...findings.keys()]).to.deep.equal(['old']);
    await runSql(db, "UPDATE trust_bucket SET negative = negative + 100 WHERE agent_id = 'old'", []);
    expect([...(await audit()).findings]).to.deep.equal([]);
  });

  it('is left out for five minutes when the process that audited it may have died of it', async () => {
    await append();
    let nowMs = Date.now();
    const auditor = createAuditor({ db, nowMs: () => nowMs, monotonicMs: () => performance.now() });
    const found = async () => {
      const [log] = await auditor.run();
      return log?.findings.map(({ kind }) => kind).filter((kind) => kind === 'trust-altered');
    };
    const begun = async () => (await runSql(db, 'SELECT 1 FROM audit WHERE evidence_begun_at IS NOT NULL', [])).length;
    expect(await found()).to.deep.equal([]);
    expect(await begun(), 'it has ended').to.equal(0);
    const [log] = await runSql<{ log_id: number }>(db, 'SELECT log_id FROM audit', []);
    await runSql(db, 'UPDATE audit SET evidence_begun_at = $1, begun_seal = $2', [
      new Date(nowMs + 1),
      begunSeal(TEST_SEALS, log?.log_id ?? 0, nowMs + 1),
    ]);
    await runSql(db, "UPDATE trust_bucket SET negative = negative - 100 WHERE agent_id = 'old'", []);
    nowMs += 299_001;
    expect(await found()).to.deep.equal([]);
    nowMs += 2_000;
    expect(await found()).to.deep.equal(['trust-altered']);
    await runSql(db, "UPDATE trust_bucket SET negative = negative + 100 WHERE agent_id = 'old'", []);
    for (let i = 0; i < 3 && (await found())?.length !== 0; i += 1);
    expect(await found(), 'audited in turn again').to.deep.equal([]);
    expect(await begun()).to.equal(0);
  });

  it('is read in pages from the log and its inbox, each record once', async () => {
    const { seen, db: counting } = counted();
    const history = historyOver(counting);
    const check = async (signals: number): Promise<void> => {
      await history.read();
      expect(history.problems).to.deep.equal([]);
      expect(history.signals).to.equal(signals);
      const { score, used } = await history.at({ signals, atMs: Date.now() });
      expect(used?.lastN).to.equal(signals);
      expect(score(Math.floor(Date.now() / 86_400_000), CAP)).to.deep.equal(await stateOf());
    };
    await check(SIGNALS);
    await send('old', 600);
    await check(SIGNALS + 600);
    await append();
    await check(SIGNALS + 600);
    expect(seen.mostRows).to.equal(100);
    seen.statements = 0;
    await check(SIGNALS + 600);
    expect(seen.statements, 'nothing is read a second time').to.be.at.most(4);
  });

  it('misses no record that the log takes between two pages', async () => {
    await send('old', 20_500);
    const store = createEvidenceStore({ db });
    const owner = { organisationId, environment: 'live', agentId: 'old' };
    let pages = 0;
    const history = createTrustHistory({
      owner: { organisation, environment: 'live', agentId: 'old' },
      pause: nextTurn,
      async readPage(after, limit) {
        const page = await store.trustPage(owner, after, limit);
        pages += 1;
        if (pages === 3) await append();
        return page;
      },
    });
    await history.read();
    expect(history.problems).to.deep.equal([]);
    expect(history.signals).to.equal(SIGNALS + 600 + 20_500);
  });
});
