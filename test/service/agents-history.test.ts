// The decision history of an agent in one process: its own decisions and those of other processes are counted exactly once.
import { expect } from 'chai';
import type { ChangeListener } from '../../shared/platform/db/changes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { LOAD } from '../../shared/domain/agents/agent-rows.ts';
import { type AgentDirectory, createAgentDirectory } from '../../shared/domain/agents/agents.ts';
import { createDecisionStore } from '../../shared/domain/decisions/decision-store.ts';
import { newId } from '../../shared/kernel/ids.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { createGate } from '../support/gate.ts';

describe('the decision history of an agent in two processes', () => {
  let database: TestDatabase;
  let db: Database;
  const open: AgentDirectory[] = [];
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  afterEach(() => {
    for (const directory of open.splice(0)) directory.close();
  });
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
      async decide(agentId: string, verdict: Verdict, atMs = nowMs()): Promise<void> {
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
        if (statement !== LOAD) return rows;
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

  it('loads the decisions of the last day after a restart, but not older ones', async () => {
    const nowMs = Date.now();
    const earlier = processNamed('earlier');
    for (const [hours, verdict] of [
      [0.001, 'ALLOW'],
      [0.5, 'DENY'],
      [20, 'ESCALATE'],
      [25, 'DEGRADE'],
    ] as const)
      await earlier.decide('old', verdict, nowMs - hours * 3_600_000);
    const later = processNamed('later', () => nowMs);
    const { last_60s, last_1h, last_24h } = await later.counts('old');
    expect(last_60s).to.deep.equal({ ALLOW: 1, DENY: 0, ESCALATE: 0, DEGRADE: 0 });
    expect(last_1h).to.deep.equal({ ALLOW: 1, DENY: 1, ESCALATE: 0, DEGRADE: 0 });
    expect(last_24h).to.deep.equal({ ALLOW: 1, DENY: 1, ESCALATE: 1, DEGRADE: 0 });
  });
});
