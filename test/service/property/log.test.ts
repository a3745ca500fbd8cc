// Property: with records in any order and concurrent or killed appenders, the log has no gap and every chain is intact.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Database, EntitySql } from '../../../shared/platform/db/database.ts';
import { createDecisionStore, type DecisionRow } from '../../../shared/domain/decisions/decision-store.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { readVerdictBuckets } from '../../../shared/domain/decisions/verdict-buckets.ts';
import { appendWaiting } from '../../../shared/domain/ledger/append.ts';
import { createChainHeads } from '../../../shared/domain/ledger/chain-heads.ts';
import { createProofStore, type ProofRow } from '../../../shared/domain/ledger/proof-store.ts';
import { recordPrefix } from '../../../shared/core/proof/record.ts';
import { type Environment, type Verdict, VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { COUNTS_OF_DECISIONS } from '../../../shared/platform/db/migrations/0024-decision-counts.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../../support/database.ts';
import { acceptLateDecisions } from '../../support/late-decisions.ts';
import { checkLog } from '../../support/log-check.ts';

interface Log {
  readonly organisationId: string;
  readonly environment: Environment;
}

const at = (nowMs: number): string => new Date(nowMs).toISOString();

function prefixOf(log: Log, entityId: string, event: string, proofId: string, nowMs: number): string {
  return recordPrefix({
    entityId,
    event,
    occurredAt: at(nowMs),
    body: '{"a":"\\u0000é"}',
    environment: log.environment,
    organisationSlug: 'log-test',
    proofId,
  });
}

function proofRow(log: Log, entityId: string, proofId = newId('prf', Date.now())): ProofRow {
  const nowMs = Date.now();
  return {
    ...log,
    proofId,
    entityId,
    event: 'kept',
    occurredAt: at(nowMs),
    record: prefixOf(log, entityId, 'kept', proofId, nowMs),
    requestDigest: 'ab'.repeat(32),
    keyId: 'k1234567',
  };
}

function decisionRow(log: Log, agentId: string, verdict: Verdict = 'DENY', nowMs = Date.now()): DecisionRow {
  const decisionId = newId('dec', nowMs);
  const proofId = `prf${decisionId.slice(3)}`;
  return {
    ...log,
    decisionId,
    agentId,
    keyId: 'k1234567',
    verdict,
    evaluatedAt: at(nowMs),
    record: prefixOf(log, agentId, 'custos.decision', proofId, nowMs),
    facts: '{}',
    factsSalt: '00'.repeat(16),
    reasons: null,
  };
}

describe('the log', () => {
  let database: TestDatabase;
  let db: Database;
  let logs = 0;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { poolSize: 8, queryTimeoutMs: 30_000 });
    await acceptLateDecisions(db);
    await db.query(
      `INSERT INTO organisation (id, slug, name, created_at) SELECT 'org_log_' || n, 'log-' || n, 'log', now() FROM generate_series(1, 1000) AS n`,
      [],
    );
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const newLog = (): Log => {
    logs += 1;
    return { organisationId: `org_log_${logs}`, environment: 'live' };
  };
  /** Of two workers, which append in turns. */
  const heads = [createChainHeads(), createChainHeads()];
  let turn = 0;
  const append = (log: Log, on: Database = db): Promise<boolean> => {
    turn += 1;
    const deps = { db: on, nowMs: () => Date.now(), logHost: 'custos.local', chainHeads: heads[turn % 3] };
    return appendWaiting(deps, log.organisationId, log.environment);
  };
  const check = (log: Log) => checkLog(db, log.organisationId, log.environment);
  const accept = (log: Log, entities: readonly string[]) =>
    createProofStore({ db }).accept(
      entities.map((entityId) => proofRow(log, entityId)),
      () => '',
    );

  /** Rows of decision_count that differ from what counting the appended decisions gives. */
  const wrongCounts = async (): Promise<unknown[]> => {
    const [counted, actual] = ['SELECT * FROM decision_count', COUNTS_OF_DECISIONS];
    return db.query(`((${counted}) EXCEPT (${actual})) UNION ALL ((${actual}) EXCEPT (${counted}))`, []);
  };

  describe('with records that are accepted and appended at once, in any order,', () => {
    const ENTITIES = ['a', 'b', 'é "quoted" \\ 漢', 'B', '😀'];
    const step = fc.record({
      log: fc.nat({ max: 2 }),
      kind: fc.constantFrom('proof', 'proof', 'decision', 'batch', 'decisions', 'append'),
      entities: fc.array(fc.constantFrom(...ENTITIES), { minLength: 1, maxLength: 12 }),
      verdict: fc.constantFrom(...VERDICTS),
      secondsAgo: fc.nat({ max: 100 }),
    });

    it('numbers each record exactly once, without a gap, on intact chains, and counts every decision in its bucket', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 10 }), { maxLength: 6 }),
          async (rounds) => {
            const these = [newLog(), newLog(), { ...newLog(), environment: 'test' as const }];
            const proofs = createProofStore({ db });
            const decisions = createDecisionStore({ db, processId: 'p' });
            const accepted = these.map(() => [] as string[]);
            const decided: DecisionRow[] = [];
            const beganMs = Date.now();
            for (const round of rounds) {
              await Promise.all(
                round.map(async ({ log: n, kind, entities, verdict, secondsAgo }) => {
                  const log = these[n] ?? newLog();
                  const mine = accepted[n] ?? [];
                  if (kind === 'append') await append(log);
                  else if (kind === 'decision' || kind === 'decisions') {
                    const rows = (kind === 'decision' ? entities.slice(0, 1) : entities).map((e) =>
                      decisionRow(log, e, verdict, beganMs - secondsAgo * 1_000),
                    );
                    decided.push(...rows);
                    await Promise.all(rows.map((row) => decisions.append(row)));
                    mine.push(...rows.map((row) => `prf${row.decisionId.slice(3)}`));
                  } else {
                    const rows = (kind === 'proof' ? entities.slice(0, 1) : entities).map((e) => proofRow(log, e));
                    await proofs.accept(rows, () => '');
                    mine.push(...rows.map((row) => row.proofId));
                  }
                }),
              );
              // Some decisions are appended by now, and some still wait.
              for (const log of these)
                for (const most of [2, 12]) {
                  const { startMs, stepMs, counts } = await readVerdictBuckets(
                    db,
                    log,
                    beganMs - 100_000,
                    beganMs + 1,
                    most,
                  );
                  for (const verdict of VERDICTS) {
                    const expected = counts[verdict].map(() => 0);
                    for (const row of decided)
                      if (row.organisationId === log.organisationId && row.verdict === verdict) {
                        const bucket = Math.floor((Date.parse(row.evaluatedAt) - startMs) / stepMs);
                        expected[bucket] = (expected[bucket] ?? Number.NaN) + 1;
                      }
                    expect(counts[verdict]).to.deep.equal(expected);
                  }
                }
            }
            // Four workers on each log at once, concurrent with those of the other logs.
            await Promise.all(these.flatMap((log) => [append(log), append(log), append(log), append(log)]));
            for (const [i, log] of these.entries()) {
              const { size, waiting, proofIds } = await check(log);
              expect([size, waiting]).to.deep.equal([accepted[i]?.length, 0]);
              expect([...proofIds].sort()).to.deep.equal(accepted[i]?.sort());
            }
            expect(await wrongCounts()).to.deep.equal([]);
          },
        ),
        { numRuns: 25 },
      );
    });

    it('keeps the order in which the records of one caller were accepted', async () => {
      const log = newLog();
      const ids: string[] = [];
      for (let i = 0; i < 20; i += 1) {
        const accepted = await accept(log, ['one', 'two', 'one']);
        ids.push(...accepted.map((proof) => proof.proofId));
        if (i % 7 === 0) await append(log);
      }
      await Promise.all([append(log), append(log)]);
      expect((await check(log)).proofIds).to.deep.equal(ids);
    });

    it('appends more than one batch by four workers at once, while more records arrive', async () => {
      const log = newLog();
      const entities = Array.from({ length: 900 }, (_, i) => `entity ${i % 40}`);
      await Promise.all(Array.from({ length: 3 }, () => accept(log, entities)));
      await Promise.all([append(log), append(log), accept(log, entities), append(log), append(log)]);
      await append(log);
      const { size, waiting, chains } = await check(log);
      expect([size, waiting, chains.size]).to.deep.equal([3_600, 0, 40]);
    });

    it('ends a call after twenty batches, and tells that it left the rest', async () => {
      const log = newLog();
      for (let i = 0; i < 21; i += 1)
        await accept(
          log,
          Array.from({ length: 1_000 }, (_, j) => `entity ${j % 500}`),
        );
      expect(await append(log)).to.equal(true);
      expect(await check(log)).to.include({ size: 20_000, waiting: 1_000 });
      expect(await append(log)).to.equal(false);
      expect(await check(log)).to.include({ size: 21_000, waiting: 0 });
    });
  });

  describe('when the database session of an appender is terminated', () => {
    /** By the words with which each begins. */
    const STATEMENTS = {
      'log-lock': 'SELECT log_id, size',
      'log-make': 'INSERT INTO log ',
      'log-inbox-take': 'SELECT inbox.seq',
      'chain-heads': 'SELECT asked.entity_id, head',
      'leaves-append': 'WITH leaves AS',
    } as const;
    type Name = keyof typeof STATEMENTS;
    const nameOf = (statement: string): string | undefined =>
      Object.entries(STATEMENTS).find(([, words]) => statement.startsWith(words))?.[0];
    const PID = 'SELECT pg_backend_pid() AS pid';
    const END = 'SELECT pg_terminate_backend($1, 5000) AS ended';

    /** The same database, whose sessions are terminated right after this statement. */
    const endingAfter = (name: Name): { db: Database; seen: (string | undefined)[] } => {
      const seen: (string | undefined)[] = [];
      const ending = (sql: EntitySql): EntitySql => ({
        ...sql,
        async query(statement, values) {
          const rows = await sql.query(statement, values);
          seen.push(nameOf(statement));
          if (seen.at(-1) === name) {
            const [session] = await sql.query<{ pid: number }>(PID, []);
            const [end] = await db.query<{ ended: boolean }>(END, [session?.pid]);
            expect(end?.ended).to.equal(true);
          }
          // The rows of the statement itself.
          return rows as never[];
        },
      });
      return { db: { ...db, transaction: (work) => db.transaction((sql) => work(ending(sql))) }, seen };
    };

    for (const name of ['log-lock', 'log-inbox-take', 'chain-heads', 'leaves-append'] as const)
      it(`after ${name}, nothing of the batch stays, and the next worker appends it whole`, async () => {
        const log = newLog();
        await accept(log, ['a', 'b']);
        await append(log);
        await accept(log, ['a', 'b', 'a', 'c']);
        const before = await check(log);
        const { db: dying, seen } = endingAfter(name);
        let error: unknown;
        await append(log, dying).catch((e: unknown) => (error = e));
        expect(seen.at(-1)).to.equal(name);
        expect(error).to.be.instanceOf(ApiError);
        expect(await check(log)).to.deep.equal(before);
        expect(before).to.include({ size: 2, waiting: 4 });
        await append(log);
        expect(await check(log)).to.include({ size: 6, waiting: 0 });
      });

    it('after log-make, nothing of the first batch stays, and the next worker creates the log and appends it whole', async () => {
      const log = newLog();
      await accept(log, ['a', 'b']);
      const { db: dying, seen } = endingAfter('log-make');
      let error: unknown;
      await append(log, dying).catch((e: unknown) => (error = e));
      expect(seen).to.deep.equal(['log-lock', 'log-make']);
      expect(error).to.be.instanceOf(ApiError);
      expect(await check(log)).to.include({ size: 0, waiting: 2 });
      await append(log);
      expect(await check(log)).to.include({ size: 2, waiting: 0 });
    });

    it('at any moment, repeatedly, each record still becomes one leaf, and each decision is counted once', async () => {
      const log = newLog();
      const killed = await openTestDatabase(database.url, { applicationName: 'custos-test-killed' });
      const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'custos-test-killed' AND datname = current_database() ORDER BY random() LIMIT 1`;
      const decisions = createDecisionStore({ db, processId: 'p' });
      let kills = 0;
      try {
        for (let round = 0; round < 16; round += 1) {
          await accept(
            log,
            Array.from({ length: 60 }, (_, j) => `entity ${j % 9}`),
          );
          await Promise.all(
            Array.from({ length: 30 }, (_, j) =>
              decisions.append(decisionRow(log, `entity ${j % 9}`, VERDICTS[j % 4])),
            ),
          );
          const work = Promise.allSettled([append(log, killed), append(log, killed), append(log, killed)]);
          // More statements run in each round, so the session is terminated ever later.
          for (let i = 0; i < 2 * round; i += 1) await db.query(PID, []);
          kills += (await db.query(KILL, [])).length;
          await work;
          await check(log);
        }
      } finally {
        await killed.close();
      }
      expect(kills).to.be.above(0);
      await append(log);
      expect(await check(log)).to.include({ size: 1_440, waiting: 0 });
      expect(await wrongCounts()).to.deep.equal([]);
      const { counts } = await readVerdictBuckets(db, log, Date.now() - 600_000, Date.now() + 1, 1);
      expect(
        Object.values(counts)
          .flat()
          .reduce((sum, count) => sum + count, 0),
      ).to.equal(16 * 30);
    });
  });

  it('is appended to without JIT: with it, PostgreSQL 15 with LLVM took a second for each batch', async () => {
    const log = newLog();
    await accept(log, ['a']);
    const settings: unknown[] = [];
    await append(log, {
      ...db,
      transaction: (work) =>
        db.transaction(async (sql) => {
          const result = await work(sql);
          settings.push(...(await sql.query("SELECT current_setting('jit') AS jit", [])));
          return result;
        }),
    });
    expect(settings).to.deep.equal([{ jit: 'off' }]);
  });

  it('reports a missing pending record, and appends nothing', async () => {
    const log = newLog();
    await accept(log, ['a']);
    await db.query(
      "INSERT INTO log_inbox (organisation_id, environment, source, source_id) VALUES ($1, $2, 'record', 'lost')",
      [log.organisationId, log.environment],
    );
    let message = '';
    await append(log).catch((error: Error) => (message = error.message));
    expect(message).to.include('record lost');
    expect(await check(log)).to.include({ size: 0, waiting: 2 });
  });

  it('reports the one decision of several in a row that is missing, and appends nothing', async () => {
    const log = newLog();
    await createDecisionStore({ db, processId: 'p' }).append(decisionRow(log, 'a'));
    const name = (sourceId: string) =>
      db.query(`UPDATE log_inbox SET source_id = ${sourceId} WHERE organisation_id = $1 AND environment = $2`, [
        log.organisationId,
        log.environment,
      ]);
    await name(`source_id || 'dec_lost '`);
    let message = '';
    await append(log).catch((error: Error) => (message = error.message));
    expect(message).to.equal('the decision dec_lost is in the inbox of its log and does not exist');
    expect(await check(log)).to.include({ size: 0 });
    await name(`replace(source_id, 'dec_lost ', '')`);
    await append(log);
    expect(await check(log)).to.include({ size: 1, waiting: 0 });
  });

  describe('and its source tables are insert-only:', () => {
    before(async () => {
      const log = newLog();
      await accept(log, ['a']);
      await createDecisionStore({ db, processId: 'p' }).append(decisionRow(log, 'a'));
      await append(log);
    });
    const REFUSED: readonly (readonly [string, string])[] = [
      ['leaf', 'UPDATE leaf SET event = event'],
      ['leaf', 'DELETE FROM leaf'],
      ['leaf', 'TRUNCATE leaf'],
      ['log', 'DELETE FROM log'],
      ['record', "UPDATE record SET entity_id = 'other'"],
      ['record', 'DELETE FROM record'],
      ['record', 'TRUNCATE record'],
      ['trust_fold', 'UPDATE trust_fold SET score = 1000'],
      ['trust_fold', 'DELETE FROM trust_fold'],
      ['trust_fold', 'TRUNCATE trust_fold'],
      ['decision', "UPDATE decision SET record = ''"],
      ['decision', "UPDATE decision SET proof_id = 'other'"],
      ['decision', 'DELETE FROM decision'],
      ['decision', 'TRUNCATE decision'],
    ];
    for (const [table, text] of REFUSED)
      it(text, async () => {
        let message = '';
        // The service's role has no privilege to do so; the owner has, and is refused.
        await queryOnce(database.ownerUrl, text).catch((error: Error) => (message = error.message));
        // An update is refused by the partition of the row.
        expect(message).to.match(new RegExp(`^${table}(_first)? is insert-only$`));
      });
  });
});
