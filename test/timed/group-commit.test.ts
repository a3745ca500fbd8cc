// Tests of group commit on a real PostgreSQL: an invalid row fails alone; a lost connection fails the group but not the store.
import { expect } from 'chai';
import { factsText } from '../support/stored-facts.ts';
import { recordText } from '../support/stored-records.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { createDecisionStore, type DecisionRow } from '../../shared/domain/decisions/decision-store.ts';
import { createTestDatabase, openTestDatabase, PATIENCE, type TestDatabase } from '../support/database.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

describe('decisions written in groups', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, {
      patient: false,
      connectTimeoutMs: PATIENCE.connectTimeoutMs,
      poolSize: 3,
    });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const row = (decisionId: string, more: Partial<DecisionRow> = {}): DecisionRow => ({
    decisionId,
    organisationId: 'org',
    environment: 'live',
    agentId: `agent of ${decisionId}`,
    keyId: 'AAAAAAAA',
    verdict: 'ALLOW',
    evaluatedAt: new Date().toISOString(),
    record: `{"record":"of ${decisionId} \\n \\\\N \\u0000 é 🤖"`,
    facts: `{"facts":"of ${decisionId}"}`,
    factsSalt: '00112233445566778899aabbccddeeff',
    reasons: null,
    ...more,
  });
  const stored = async (prefix: string): Promise<string[]> =>
    (
      await db.query<{ decision_id: string }>('SELECT decision_id FROM decision WHERE decision_id LIKE $1 ORDER BY 1', [
        `${prefix}%`,
      ])
    ).map((one) => one.decision_id);
  const settle = (added: readonly Promise<void>[]): Promise<string[]> =>
    Promise.all(
      added.map((one) =>
        one.then(
          () => 'ok',
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    );

  it('are not stored when they were evaluated long ago, and whoever asked gets E6002', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    const ago = (ms: number) => ({ evaluatedAt: new Date(Date.now() - ms).toISOString() });
    expect(await settle([store.append(row('late-1', ago(25_000)))])).to.deep.equal(['E6002']);
    expect(await settle([store.append(row('late-2', ago(15_000)))])).to.deep.equal(['ok']);
    expect(await stored('late-')).to.deep.equal(['late-2']);
  });

  it('are each stored with their own columns, byte for byte', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    const rows = Array.from({ length: 300 }, (_, i) => row(`own-${i}`, { verdict: i % 2 === 0 ? 'ALLOW' : 'DENY' }));
    await Promise.all(rows.map((one) => store.append(one)));
    const [read] = await db.query<{ facts: Buffer; record: Buffer }>(
      "SELECT agent_id, verdict, process_id, record, facts, encode(facts_salt, 'hex') AS salt FROM decision WHERE decision_id = $1",
      ['own-137'],
    );
    const expected = rows[137];
    expect({ ...read, record: recordText(read?.record), facts: factsText(read?.facts) }).to.deep.equal({
      agent_id: expected?.agentId,
      verdict: 'DENY',
      process_id: 'p',
      record: expected?.record,
      facts: expected?.facts,
      salt: expected?.factsSalt,
    });
    expect(await stored('own-')).to.have.lengthOf(300);
  });

  for (const [what, poison, code] of [
    ['NUL in a text', { agentId: 'a\u0000b' }, '22021'],
    ['a verdict that there is not', { verdict: 'MAYBE' as 'ALLOW' }, '23514'],
    ['a time that there is not', { evaluatedAt: '2026-13-01T00:00:00Z' }, '22008'],
    ['an id that is taken', { decisionId: 'taken' }, '23505'],
  ] as const)
    it(`lose only the row that Postgres refuses: ${what}`, async () => {
      const store = createDecisionStore({ db, processId: 'p' });
      await store.append(row('taken', {})).catch(() => undefined);
      const name = `poison-${code}-`;
      const added = ['0', '1', '2', '3', '4'].map((i) => store.append(row(name + i, i === '2' ? poison : {})));
      expect(await settle(added)).to.deep.equal(['ok', 'ok', code, 'ok', 'ok']);
      expect(await stored(name)).to.deep.equal(['0', '1', '3', '4'].map((i) => name + i));
    });

  it('lose only the row that would shift the rows after it', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    const added = ['0', '1', '2'].map((i) => store.append(row(`shift-${i}`, i === '1' ? { agentId: 'a\nb' } : {})));
    const [first, shifted, last] = await settle(added);
    expect([first, shifted === 'ok', last]).to.deep.equal(['ok', false, 'ok']);
    expect(await stored('shift-')).to.deep.equal(['shift-0', 'shift-2']);
  });

  it('all fail with E6002 when their connection is cut: none is stored, and the next group is', async () => {
    // A long statement timeout: with the default one the insert would fail within a second, before the connection is cut.
    const patient = await openTestDatabase(database.url);
    const store = createDecisionStore({ db: patient, processId: 'p' });
    await db.transaction(async (sql) => {
      // Holds the table, so that the flush is in flight when its connection is cut.
      await sql.query('LOCK TABLE decision IN ACCESS EXCLUSIVE MODE', []);
      const added = ['0', '1', '2'].map((i) => store.append(row(`cut-${i}`)));
      const outcome = settle(added);
      // Read on another connection, because pg_stat_activity is a snapshot within a transaction.
      await waitFor(
        async () =>
          (
            await db.query(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO decision (%'",
              [],
            )
          ).length > 0,
        { timeoutMs: PATIENCE.queryTimeoutMs, intervalMs: 5, what: 'the insert to wait for the lock' },
      );
      expect(await outcome).to.deep.equal(['E6002', 'E6002', 'E6002']);
    });
    expect(await stored('cut-')).to.deep.equal([]);
    await store.append(row('cut-again'));
    expect(await stored('cut-')).to.deep.equal(['cut-again']);
    await patient.close();
  });

  it('all fail with E6002 within 1.5 s while the table is locked: a request never hangs', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    await db.transaction(async (sql) => {
      await sql.query('LOCK TABLE decision IN ACCESS EXCLUSIVE MODE', []);
      const refused = async (): Promise<number> => {
        const startedMs = performance.now();
        expect(await settle([store.append(row('slow-0')), store.append(row('slow-1'))])).to.deep.equal([
          'E6002',
          'E6002',
        ]);
        return performance.now() - startedMs;
      };
      expect(await leastMs(1_500, refused)).to.be.below(1_500);
      // The statement is cancelled in Postgres as well: no session keeps waiting, and nothing is written later.
      const STILL_WAITING =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await waitFor(async () => (await db.query<{ n: number }>(STILL_WAITING, []))[0]?.n === 0, {
        what: 'Postgres to cancel the statement',
      });
    });
    expect(await stored('slow-')).to.deep.equal([]);
  });

  it('fail with E6002 and no other error in a transaction whose connection is cut between two statements', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    const outcome = await db
      .transaction(async (sql) => {
        await store.insert(sql, [row('torn-0')]);
        const [me] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
        await db.query('SELECT pg_terminate_backend($1, 1000)', [me?.pid]);
        await store.insert(sql, [row('torn-1')]);
      })
      .then(
        () => 'committed',
        (error: unknown) => (error as { code: string }).code,
      );
    expect(outcome).to.equal('E6002');
    expect(await stored('torn-')).to.deep.equal([]);
    await store.append(row('torn-again'));
    expect(await stored('torn-')).to.deep.equal(['torn-again']);
  });
});
