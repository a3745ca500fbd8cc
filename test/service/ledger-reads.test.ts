// How many rows the ledger reads when its plans are older than its data: plans are cached while the tables are nearly empty, and
// nothing analyses them for a long time afterwards.
import { expect } from 'chai';
import { forbidScansAndSorts, readHead, readLeaves } from '../../shared/domain/ledger/audit-rows.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { countingReads, rowsRead } from '../support/rows-read.ts';
import { bootstrap } from '../support/service.ts';
import { type LogUnderTest, logUnderTest } from './audit-setup.ts';

const BATCH = 100;
/** Decisions and leaves of other agents in the same log. */
const OTHERS = 5_000;
/** Rows and index entries that a record may cost, with its source row, the head of its chain and the leaves of its zone. */
const READ_PER_RECORD = 10;

describe('with plans made while the tables were small, beside five thousand other decisions', () => {
  let database: TestDatabase;
  let db: Database;
  let operatorId: string;
  let log: LogUnderTest;
  let counted: ReturnType<typeof countingReads>;
  const reads = { append: [] as number[], audit: [] as number[] };

  const decisions = (first: number, count: number): string =>
    `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, process_id, record)
     SELECT 'dec_' || n, '${operatorId}', 'live', 'agent ' || n % 50, 'key', 'ALLOW', now(), 'd', 'prf_' || n, 'p', '{"n":1'
     FROM generate_series(${first}, ${first + count - 1}) AS n`;

  /** Appends proofs and decisions and audits them, and records how many rows each reads. */
  const measure = async (name: string, firstDecision: number): Promise<void> => {
    await log.fill(BATCH / 2, name);
    await db.query(decisions(firstDecision, BATCH / 2), []);
    await db.query(
      `INSERT INTO log_inbox (organisation_id, environment, source, source_id)
       SELECT '${operatorId}', 'live', 'decision', 'dec_' || n FROM generate_series(${firstDecision}, ${firstDecision + BATCH / 2 - 1}) AS n`,
      [],
    );
    const before = counted.rowsRead();
    await log.append();
    reads.append.push(counted.rowsRead() - before);
    const logId = await log.logId();
    const audit = await rowsRead(db.transaction, async (sql) => {
      await forbidScansAndSorts(sql);
      const head = await readHead(sql, logId);
      const leaves = await readLeaves(sql, logId, head, head.size - BATCH, head.size);
      expect([...leaves]).to.have.lengthOf(BATCH);
    });
    reads.audit.push(audit);
  };

  before(async () => {
    database = await createTestDatabase();
    // One session, so that the plans of the first batches are used for the last one.
    db = await openTestDatabase(database.url, { poolSize: 1 });
    counted = countingReads(db);
    ({ operatorId } = await bootstrap(db));
    log = logUnderTest({ db: counted.db, organisationId: operatorId, slug: 'operator' });
    await db.query('SET plan_cache_mode = force_generic_plan', []);
    await measure('first', 1);
    await log.tamper(
      `${decisions(1_001, OTHERS)};
      INSERT INTO leaf (leaf_index, proof_id, entity_id, chain_index, event, occurred_at, previous_hash, event_hash, leaf_hash, appended_at, log_id)
        SELECT 100000 + n, 'prf_' || n, 'agent ' || n % 50, n / 50, 'custos.decision', now(),
          sha256('p'), sha256('e'), sha256('l'), now(), 1 FROM generate_series(1001, ${1_000 + OTHERS}) AS n`,
    );
    await measure('second', 10_001);
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  for (const [what, name] of [
    ['appending a batch', 'append'],
    ['auditing a batch', 'audit'],
  ] as const)
    it(`${what} reads a bounded number of rows for each record`, () => {
      for (const rows of reads[name]) expect(rows).to.be.within(BATCH, BATCH * READ_PER_RECORD);
    });
});
