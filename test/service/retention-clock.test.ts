// The clock of PostgreSQL is set forward for some seconds: nothing is deleted that is young by another clock.
import { expect } from 'chai';
import pino from 'pino';
import type { BudgetCharge } from '../../shared/core/policy/types.ts';
import type { EvaluatedQuestion } from '../../shared/domain/decisions/approval-naming.ts';
import { createBudgetStore } from '../../shared/domain/decisions/budget-store.ts';
import { type DatabaseClock, startDatabaseClock } from '../../shared/platform/db/clock.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { type JobDeps, handlersOf } from '../../workers/jobs/list.ts';
import { adminUrlOf, openTestDatabase, queryOnce } from '../support/database.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;
const KEPT_MS = 90 * DAY_MS;
/** What the jobs delete for its age: tables, and conditions on rows that lose something. */
const RETAINED = [
  'decision',
  'decision WHERE facts IS NOT NULL',
  'intent_parse',
  'intent',
  'trust_signal WHERE evidence IS NOT NULL',
  'dead_job',
];
const FORGOTTEN = [
  'webhook_delivery',
  'idempotency',
  'change',
  'request_count',
  'recent_parse',
  'budget_charge',
  'replay',
];

const CHARGE = {
  name: 'refunds',
  per: ['agent'],
  window: '1h',
  windowMs: 3_600_000,
  limit: 10_000_000,
  amount: 1_000_000,
} satisfies BudgetCharge;

describe("deletions while PostgreSQL's clock is wrong", () => {
  let both: ServiceAndWorker;
  /** Reads a clock that the test sets. */
  let db: Database;
  let clock: DatabaseClock;
  let machineMs: () => number;

  /** The service's statements find these functions before those of PostgreSQL. */
  const setClock = (forward: string): Promise<unknown> =>
    queryOnce(
      adminUrlOf(both.service.databaseUrl),
      `CREATE SCHEMA IF NOT EXISTS faked;
       GRANT USAGE ON SCHEMA faked TO PUBLIC;
       CREATE OR REPLACE FUNCTION faked.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.now() + interval '${forward}' $$;
       CREATE OR REPLACE FUNCTION faked.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT pg_catalog.clock_timestamp() + interval '${forward}' $$`,
    );
  /** As the change feed does twice a second. */
  const observe = async (): Promise<void> => {
    const askedAtMs = performance.now();
    const [row] = await db.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
      [],
    );
    clock.observe({ askedAtMs, answeredAtMs: performance.now(), databaseMs: row?.ms ?? 0 });
  };
  const count = async (tables: readonly string[]): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const of of tables)
      counts[of] = (await both.service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${of}`))[0]?.n ?? 0;
    return counts;
  };
  const run = async (jobs: RegExp): Promise<void> => {
    const keepMs = Object.fromEntries(Object.keys(FOR_EVER).map((kind) => [kind, KEPT_MS])) as JobDeps['keepMs'];
    const deps: Partial<JobDeps> = {
      db,
      nowMs: clock.nowMs,
      deletionMs: clock.deletionMs,
      logger: pino({ level: 'silent' }),
      keepMs,
      leastKeepMs: DAY_MS,
      approvalTtlMs: 3_600_000,
      onDropped: () => undefined,
    };
    // The other jobs of the queue need more.
    const handlers = handlersOf('upkeep', deps as JobDeps);
    for (const [name, handler] of Object.entries(handlers)) if (jobs.test(name)) await handler({ v: 1 });
  };

  before(async function () {
    this.timeout(120_000);
    both = await startServiceAndWorker();
    const { service } = both;
    await service.rows(dailyPartitions(12));
    await acceptLateDecisions(service.db);
    const client = await service.client({ scopes: ['intents:write', 'trust:write'] });
    service.advance(-5 * DAY_MS);
    const signal = { signalId: 's', agentId: 'reader', type: 'success', weight: 1, evidence: { day: 1 } };
    const posts = [
      ['/v1/enforce', { agent_id: 'reader', intent: 'data.read.x' }],
      ['/v1/intent', { agent_id: 'reader', raw_intent: 'read the user profile data' }],
      ['/v1/intents', { agentId: 'reader', action: 'read', resource: 'data/x' }],
      ['/v1/trust/signals', { signals: [signal] }],
    ] as const;
    for (const [path, body] of posts) {
      const { status, text } = await client.post(path, body, { headers: { 'idempotency-key': path } });
      expect(status, text).to.be.below(300);
    }
    service.advance(5 * DAY_MS);
    await both.worker.evaluateAll({ organisationId: service.operatorId, environment: 'live' });
    await both.worker.append();
    await service.rows(`INSERT INTO dead_job (queue, name, payload, error, failed_at, state, resolved_at)
      VALUES ('proofs', 'append', '{}', 'x', now(), 'discarded', now())`);
    await service.rows(`INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, state, created_at)
      VALUES ('e', 'm', 't', 's', '{}', 'delivered', now())`);
    await service.rows(`INSERT INTO replay (replay_id, organisation_id, environment, to_at, key_id, draft, draft_digest, total, created_at)
      VALUES ('r', '${service.operatorId}', 'live', now(), 'k', 'draft', 'd', 1, now())`);
    await service.rows("INSERT INTO request_count (seconds, start_at, route, requests) VALUES (10, now(), 'r', '{1}')");
    await service.rows(
      "INSERT INTO budget_charge (decision_id, budget_use_id, amount, ends_at_ms, expires_at, charge_seal) VALUES ('d', 1, 1, 1, now() + interval '1 hour', sha256('x'))",
    );
    await setClock('0 days');
    const url = new URL(service.databaseUrl);
    url.searchParams.set('options', '-c search_path=faked,public,pg_catalog');
    db = await openTestDatabase(url.href);
  });
  beforeEach(async () => {
    machineMs = Date.now;
    await setClock('0 days');
    clock = await startDatabaseClock({
      db,
      monotonicMs: () => performance.now(),
      machineMs: () => machineMs(),
      onProblem: () => undefined,
    });
  });
  after(async () => {
    await db?.close();
    await both?.close();
  });

  it('begins with rows of every kind', async () => {
    const counts = await count([...RETAINED, ...FORGOTTEN]);
    expect(Object.entries(counts).filter(([, rows]) => rows === 0)).to.deep.equal([]);
  });

  const faults = [
    ['before a process has noticed it', async () => undefined],
    ['after it was noticed', observe],
    [
      'when it is on the same machine, whose clock is as wrong',
      async () => {
        machineMs = () => Date.now() + 100 * DAY_MS;
        await observe();
      },
    ],
  ] as const;
  for (const [when, notice] of faults)
    it(`deletes nothing, ${when}`, async () => {
      const before = await count([...RETAINED, ...FORGOTTEN]);
      await setClock('100 days');
      await notice();
      await run(/^(?:retain|forget-.*)$/);
      expect(await count([...RETAINED, ...FORGOTTEN])).to.deep.equal(before);
    });

  for (const [when, notice] of faults)
    it(`forgets nothing that a budget has counted, ${when}`, async () => {
      const one = {
        question: { agentId: when, key: { organisationId: both.service.operatorId, environment: 'live' } },
        answer: { evaluation: { charges: [CHARGE] }, facts: {} },
      } as unknown as EvaluatedQuestion;
      const store = createBudgetStore(clock.deletionMs);
      let decisions = 0;
      /** @returns what was used before */
      const spend = async (): Promise<number | undefined> => {
        await store.ensure(db, [one]);
        return db.transaction(async (sql) => {
          const counting = await store.lock(sql, [one]);
          const { used } = counting.factsOf(one, [CHARGE])['refunds'] ?? {};
          counting.charge(one, `${when} ${(decisions += 1)}`, [CHARGE]);
          await counting.write(sql);
          return used;
        });
      };
      expect([await spend(), await spend(), await spend()]).to.deep.equal([0, 1, 2]);
      await setClock('2 hours');
      await notice();
      expect(await spend(), 'another window').to.equal(0);
      await setClock('0 days');
      expect(await spend(), 'all of them').to.equal(4);
    });

  // Of partitions, PostgreSQL's own clock says that they are too young; other tests drop old ones.
  it('deletes what is old by all clocks', async () => {
    await setClock('100 days');
    // Their conditions read PostgreSQL's own clock, which no test can set.
    for (const table of ['recent_parse', 'budget_charge', 'budget_use'])
      await queryOnce(adminUrlOf(both.service.databaseUrl), `DROP TRIGGER kept_row ON ${table}`);
    clock = await startDatabaseClock({
      db,
      monotonicMs: () => performance.now(),
      machineMs: () => Date.now() + 100 * DAY_MS,
      onProblem: () => undefined,
    });
    await run(/^forget-/);
    expect(Object.entries(await count(FORGOTTEN)).filter(([, rows]) => rows > 0)).to.deep.equal([]);
  });
});
