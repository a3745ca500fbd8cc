// The decision history of an agent in one process: its own decisions and those of other processes are counted exactly once.
import { expect } from 'chai';
import fc from 'fast-check';
import type { ChangeListener } from '../../shared/platform/db/changes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { COUNT, HISTORY } from '../../shared/domain/agents/agent-rows.ts';
import { type AgentDirectory, createAgentDirectory } from '../../shared/domain/agents/agents.ts';
import { createHistory, HISTORY_MAX } from '../../shared/domain/agents/history.ts';
import { createHistoryCounter } from '../../shared/domain/agents/history-counter.ts';
import { createDecisionStore } from '../../shared/domain/decisions/decision-store.ts';
import { TookTooLong } from '../../shared/platform/db/trouble.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { VERDICTS, type Verdict } from '../../shared/kernel/vocabulary.ts';
import { asSuperuser, createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { createGate } from '../support/gate.ts';

const HOUR_MS = 3_600_000;
const STORED_AT_ONCE = 10_000;

describe('the decision history of an agent in two processes', () => {
  let database: TestDatabase;
  let db: Database;
  const open: AgentDirectory[] = [];
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  afterEach(() => Promise.all(open.splice(0).map((directory) => directory.close())));
  after(async () => {
    await db.close();
    await database.drop();
  });

  const keyOf = (agentId: string) => ({ organisationId: 'org', environment: 'live' as const, agentId });

  /** One process: makes decisions, counts them, and reads the counts. */
  function processNamed(processId: string, nowMs: () => number = Date.now, database: Database = db) {
    const listeners: ChangeListener[] = [];
    const changes = {
      subscribe: (listener: ChangeListener) => void listeners.push(listener),
      refresh: () => Promise.resolve(),
      ensureFresh: () => undefined,
      close: () => Promise.resolve(),
    };
    const directory = createAgentDirectory({
      db: database,
      changes,
      processId,
      nowMs,
      trustDailyCap: 10_000,
      onError: () => undefined,
    });
    open.push(directory);
    const store = createDecisionStore({ db, processId });
    return {
      reset: () => {
        for (const listener of listeners) listener('reset');
      },
      async decide(agentId: string, verdict: Verdict): Promise<void> {
        const atMs = nowMs();
        await store.append({
          decisionId: newId('dec', atMs),
          organisationId: 'org',
          environment: 'live',
          agentId,
          keyId: 'AAAAAAAA',
          verdict,
          evaluatedAt: new Date(atMs).toISOString(),
          record: '{}',
          facts: '{}',
          factsSalt: '00',
          reasons: null,
        });
        directory.count(keyOf(agentId), atMs, verdict);
      },
      async counts(agentId: string) {
        return (await directory.get(keyOf(agentId))).history.counts(nowMs());
      },
    };
  }

  it('counts decisions of the other process once, whether they were made before or after the first query', async () => {
    const here = processNamed('here');
    const there = processNamed('there');
    // Another agent is loaded already, so this process polls for decisions of other processes from now on.
    await here.counts('known');
    for (let i = 0; i < 5; i += 1) await there.decide('shared', 'DENY');
    expect((await here.counts('shared')).last_60s.DENY, 'loaded').to.equal(5);
    await here.decide('shared', 'DENY');
    await there.decide('shared', 'ALLOW');
    await waitFor(async () => (await here.counts('shared')).last_60s.ALLOW === 1, { what: 'the decision made there' });
    for (const window of Object.values(await here.counts('shared')))
      expect(window).to.deep.equal({ ALLOW: 1, DENY: 6, ESCALATE: 0, DEGRADE: 0 });
    // Loaded again from the stored decisions.
    here.reset();
    await there.decide('shared', 'ESCALATE');
    await waitFor(async () => (await here.counts('shared')).last_60s.ESCALATE === 1, {
      what: 'the decision made there',
    });
    expect((await here.counts('shared')).last_24h).to.deep.equal({ ALLOW: 1, DENY: 6, ESCALATE: 1, DEGRADE: 0 });
  });

  /** The database with its first answer about agents delayed: `asked` resolves once Postgres has returned it. */
  function heldBack() {
    const released = createGate();
    const answered = createGate();
    let held: Promise<void> | undefined = released.opened;
    const database: Database = {
      ...db,
      async query(statement, values) {
        const rows = await db.query<never>(statement, values);
        if (statement !== HISTORY) return rows;
        const waitingFor = held;
        held = undefined;
        answered.open();
        await waitingFor;
        return rows;
      },
    };
    return { database, asked: answered.opened, release: released.open };
  }

  it('counts a decision that is recorded while its agent is being loaded', async () => {
    const { database: slow, asked, release } = heldBack();
    const here = processNamed('slow', Date.now, slow);
    const counts = here.counts('busy');
    await asked;
    await here.decide('busy', 'DENY');
    release();
    expect((await counts).last_24h.DENY).to.equal(1);
    expect((await here.counts('busy')).last_24h.DENY).to.equal(1);
  });

  it('returns counts from after a reset to every query made after it', async () => {
    const { database: slow, asked, release } = heldBack();
    const here = processNamed('reset', Date.now, slow);
    const there = processNamed('elsewhere');
    const before = here.counts('reset-agent');
    await asked;
    await there.decide('reset-agent', 'DENY');
    here.reset();
    const after = here.counts('reset-agent');
    release();
    expect([(await before).last_24h.DENY, (await after).last_24h.DENY]).to.deep.equal([0, 1]);
  });

  /** As if nothing of this time had been counted: decisions of the past are stored only by tests. */
  const countFrom = (fromMs: number) =>
    asSuperuser(db, async (sql) => {
      await sql.query('DELETE FROM agent_history', []);
      await sql.query("UPDATE agent_history_to SET counted_to = date_trunc('second', $1::timestamptz)", [
        new Date(fromMs),
      ]);
    });
  /** Stores decisions of an agent, evenly distributed over a time. */
  const store = async (
    agentId: string,
    verdict: Verdict,
    count: number,
    [fromMs, toMs]: readonly [number, number],
  ): Promise<void> => {
    // In steps: on a busy machine one statement of 100,000 rows takes longer than a statement may.
    for (let first = 0; first < count; first += STORED_AT_ONCE)
      await db.query(
        `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, process_id, record)
          SELECT custos_id_at('dec', at) || left(md5($1 || $2 || n), 16), 'org', 'live', $1, 'AAAAAAAA', $2, at, 'other', '' FROM (
            SELECT n, date_trunc('milliseconds', to_timestamp(($4::float8 + n * ($5::float8 - $4::float8) / $3::integer) / 1000)) AS at
            FROM generate_series($6::integer, $7::integer) AS n) AS made`,
        [agentId, verdict, count, fromMs, toMs, first, Math.min(count, first + STORED_AT_ONCE) - 1],
      );
  };

  it('loads the decisions of the last day after a restart, but not older ones', async () => {
    const nowMs = Date.now();
    for (const [hours, verdict] of [
      [0.001, 'ALLOW'],
      [0.5, 'DENY'],
      [20, 'ESCALATE'],
      [25, 'DEGRADE'],
    ] as const)
      await store('old', verdict, 1, [nowMs - hours * HOUR_MS, nowMs - hours * HOUR_MS]);
    await countFrom(nowMs - 25 * HOUR_MS);
    const later = processNamed('later', () => nowMs);
    const { last_60s, last_1h, last_24h } = await later.counts('old');
    expect(last_60s).to.deep.equal({ ALLOW: 1, DENY: 0, ESCALATE: 0, DEGRADE: 0 });
    expect(last_1h).to.deep.equal({ ALLOW: 1, DENY: 1, ESCALATE: 0, DEGRADE: 0 });
    expect(last_24h).to.deep.equal({ ALLOW: 1, DENY: 1, ESCALATE: 1, DEGRADE: 0 });
  });

  it('counts every refusal of the last day, however many permissions follow', async () => {
    const nowMs = Date.now();
    await countFrom(nowMs - 25 * HOUR_MS);
    await store('flooding', 'DENY', 20, [nowMs - 3 * HOUR_MS, nowMs - 2 * HOUR_MS]);
    await store('flooding', 'ALLOW', HISTORY_MAX + 1, [nowMs - HOUR_MS, nowMs - 10_000]);
    const all = { ALLOW: HISTORY_MAX, DENY: 20, ESCALATE: 0, DEGRADE: 0 };
    expect((await processNamed('fresh').counts('flooding')).last_24h).to.deep.equal(all);
  });

  it('loads the same counts, however many of the decisions are counted', async () => {
    let run = 0;
    const ago = (ms: number) => fc.integer({ min: ms, max: ms + 150_000 });
    const decision = fc.record({
      agent: fc.constantFrom('a', 'b'),
      verdict: fc.constantFrom(...VERDICTS),
      // More of them near the ends of the windows.
      agoMs: fc.oneof(fc.integer({ min: 0, max: 25 * HOUR_MS }), ago(0), ago(60_000), ago(HOUR_MS), ago(24 * HOUR_MS)),
    });
    const steps = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(decision, { maxLength: 40 }), steps, async (decisions, seconds) => {
        run += 1;
        const nowMs = Date.now();
        const nameOf = (agent: string) => `random-${run}-${agent}`;
        await countFrom(nowMs - 26 * HOUR_MS);
        for (const { agent, verdict, agoMs } of decisions)
          await store(nameOf(agent), verdict, 1, [nowMs - agoMs, nowMs - agoMs]);
        for (const step of seconds) await db.query(COUNT, [step]);
        const loaded = processNamed('fresh', () => nowMs);
        for (const agent of ['a', 'b']) {
          const expected = createHistory();
          for (const one of decisions) if (one.agent === agent) expected.add(nowMs - one.agoMs, one.verdict, 1);
          expect(await loaded.counts(nameOf(agent))).to.deep.equal(expected.counts(nowMs));
        }
        await Promise.all(open.splice(0).map((directory) => directory.close()));
      }),
      { numRuns: 40 },
    );
  });

  it('counts each decision once when several processes count at the same time', async () => {
    const nowMs = Date.now();
    await countFrom(nowMs - 25 * HOUR_MS);
    await store('busy-everywhere', 'DENY', 2_000, [nowMs - 2 * HOUR_MS, nowMs]);
    await Promise.all([1, 2, 3].map(() => createHistoryCounter(db).count()));
    expect((await processNamed('fresh').counts('busy-everywhere')).last_24h.DENY).to.equal(2_000);
    const [counted] = await db.query<{ n: number }>(
      "SELECT sum(deny)::int AS n FROM agent_history WHERE agent_id = 'busy-everywhere'",
      [],
    );
    expect(counted?.n, 'of two hours, all but the last minute').to.be.within(1_970, 1_995);
  });

  it('counts everything of the last day again after the clock of the database was set back', async () => {
    const nowMs = Date.now();
    await countFrom(nowMs - 25 * HOUR_MS);
    await store('twice', 'DENY', 10, [nowMs - 20 * HOUR_MS, nowMs - 19 * HOUR_MS]);
    await createHistoryCounter(db).count();
    // The clock said six hours more for a while: counts were too old then, and others are of times that come again.
    await asSuperuser(db, async (sql) => {
      await sql.query("DELETE FROM agent_history WHERE agent_id = 'twice'", []);
      await sql.query(
        "INSERT INTO agent_history VALUES ('org', 'live', 'twice', date_trunc('minute', now()), 0, 3, 0, 0)",
        [],
      );
      await sql.query('UPDATE agent_history_to SET counted_to = $1', [new Date(nowMs + 6 * HOUR_MS)]);
    });
    const fresh = async () => (await processNamed('fresh').counts('twice')).last_24h.DENY;
    expect(await fresh(), 'without what is counted').to.equal(10);
    await createHistoryCounter(db).count();
    await store('twice', 'DENY', 7, [nowMs - 30_000, nowMs]);
    expect(await fresh(), 'counted again').to.equal(17);
  });

  it('deletes counts that are older than a day, millions of them in several steps', async () => {
    const left = async (): Promise<number> => {
      const old = "SELECT count(*)::int AS n FROM agent_history WHERE agent_id = 'long-ago'";
      return (await db.query<{ n: number }>(old, []))[0]?.n ?? 0;
    };
    await countFrom(Date.now() - 25 * HOUR_MS);
    await asSuperuser(db, (sql) =>
      sql.query(
        `INSERT INTO agent_history SELECT 'org', 'live', 'long-ago', date_trunc('minute', now()) - interval '26 hours' - n * interval '1 minute', 1, 0, 0, 0
          FROM generate_series(1, 8000) AS n`,
        [],
      ),
    );
    await db.query(COUNT, [1]);
    expect(await left(), 'after one step').to.be.within(1, 3_000);
    await createHistoryCounter(db).count();
    expect(await left()).to.equal(0);
  });

  it('ends a count after its running step when it is closed, and counts nothing afterwards', async () => {
    const asked = createGate();
    const answered = createGate();
    let steps = 0;
    const counter = createHistoryCounter({
      async query() {
        steps += 1;
        asked.open();
        await answered.opened;
        return [{ more: true }] as never[];
      },
    });
    const counting = counter.count();
    await asked.opened;
    const closed = counter.close();
    answered.open();
    await Promise.all([counting, closed]);
    await counter.count();
    expect(steps).to.equal(1);
  });

  it('counts in smaller steps when a statement takes too long, and gives up when the database is away', async () => {
    const asked: number[] = [];
    const counterOn = (most: number) =>
      createHistoryCounter({
        query(_, [seconds]) {
          asked.push(Number(seconds));
          if (Number(seconds) > most) return Promise.reject(new TookTooLong('the query', 1_000));
          return Promise.resolve([{ more: asked.length < 6 }] as never[]);
        },
      });
    await counterOn(10).count();
    expect(asked).to.deep.equal([60, 15, 3, 6, 12, 3]);
    asked.length = 0;
    const error: unknown = await counterOn(0)
      .count()
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TookTooLong);
    expect(asked).to.deep.equal([60, 15, 3, 1]);
  });

  it('loads histories again when the time comes back, or when other processes could not be read for half a minute', async () => {
    for (const stepMs of [-60_000, 60_000]) {
      let nowMs = Date.now();
      let loads = 0;
      let polls = 0;
      const here = processNamed('here', () => nowMs, {
        ...db,
        query(statement, values) {
          if (statement === HISTORY) loads += 1;
          return db.query<never>(statement, values);
        },
        async transaction(work) {
          const result = await db.transaction(work);
          polls += 1;
          return result;
        },
      });
      await here.counts('again');
      await waitFor(() => polls > 0, { what: 'the first poll, which remembers its time' });
      nowMs += stepMs;
      await waitFor(async () => (await here.counts('again'), loads === 2), { what: 'another load' });
    }
  });
});
