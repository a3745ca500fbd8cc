// The inbox of a log: decisions of one statement wait in a few rows, are counted exactly while they wait, and each becomes one leaf.
import { expect } from 'chai';
import { createDecisionStore, type DecisionRow } from '../../shared/domain/decisions/decision-store.ts';
import { readVerdictBuckets } from '../../shared/domain/decisions/verdict-buckets.ts';
import { waitingIds } from '../../shared/domain/ledger/inbox.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootstrap } from '../support/service.ts';
import { type LogUnderTest, logUnderTest } from './audit-setup.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';

const FIRST_MS = Date.parse('2026-01-01T00:00:09.990Z');
/** More than one batch of the appender, and more than one statement of the group commit. */
const MANY = 1_250;

describe('the inbox of a log', () => {
  let database: TestDatabase;
  let db: Database;
  let log: LogUnderTest;
  let organisationId: string;

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    await acceptLateDecisions(db);
    ({ operatorId: organisationId } = await bootstrap(db));
    log = logUnderTest({ db, organisationId, slug: 'operator' });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  /** One decision per 10 ms: the second begins a time bucket of ten seconds. */
  const row = (n: number): DecisionRow => ({
    decisionId: `dec_${String(n).padStart(26, '0')}`,
    organisationId,
    environment: 'live',
    agentId: `agent-${n % 7}`,
    keyId: 'AAAAAAAA',
    verdict: n % 5 === 0 ? 'DENY' : 'ALLOW',
    evaluatedAt: new Date(FIRST_MS + n * 10).toISOString(),
    record: `{"agentId":"agent-${n % 7}","eventType":"custos.decision","n":${n}`,
    facts: '{}',
    factsSalt: '00112233445566778899aabbccddeeff',
    reasons: null,
  });
  const counts = async (): Promise<Record<string, readonly number[]>> =>
    (await readVerdictBuckets(db, { organisationId, environment: 'live' }, FIRST_MS, FIRST_MS + 29_000, 4)).counts;

  it('holds the decisions of one statement in one row for each ten seconds', async () => {
    const store = createDecisionStore({ db, processId: 'p' });
    await Promise.all(Array.from({ length: MANY }, (_, n) => store.append(row(n))));
    const waiting = await log.sql(
      `SELECT cardinality(${waitingIds('log_inbox')}) AS n FROM log_inbox WHERE source = 'decision'`,
    );
    expect(waiting.length).to.be.within(3, 12);
    expect(waiting.reduce((sum, { n }) => sum + Number(n), 0)).to.equal(MANY);
  });

  it('is counted by verdict and time as exactly as the log', async () => {
    const whileWaiting = await counts();
    expect(whileWaiting['ALLOW']?.reduce((sum, n) => sum + n, 0)).to.equal(MANY * 0.8);
    // The buckets begin at 0, 10 and 20 s; the first decision is of 9.99 s.
    expect(whileWaiting['DENY']?.slice(0, 2)).to.deep.equal([1, 200]);
    await log.append();
    expect(await counts()).to.deep.equal(whileWaiting);
  });

  it('becomes one leaf for each decision, in the order of the ids of each row, and is empty', async () => {
    const leaves = await log.sql("SELECT proof_id FROM leaf WHERE event = 'custos.decision' ORDER BY leaf_index");
    const all = Array.from({ length: MANY }, (_, n) => row(n));
    expect(leaves).to.deep.equal(all.map(({ decisionId }) => ({ proof_id: `prf${decisionId.slice(3)}` })));
    expect(await log.sql('SELECT FROM log_inbox')).to.deep.equal([]);
  });

  it('holds rows of an earlier version, and proofs whose ids have spaces', async () => {
    await log.sql(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, process_id, record)
       SELECT 'dec_alone', organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, 'prf_alone', process_id, record FROM decision LIMIT 1`,
    );
    await log.sql(
      `INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
       SELECT organisation_id, environment, 'a proof', agent_id, 'made', evaluated_at, record FROM decision LIMIT 1`,
    );
    await log.sql(
      `INSERT INTO log_inbox (organisation_id, environment, source, source_id, verdict, evaluated_at)
       VALUES ($1, 'live', 'decision', 'dec_alone', 'ALLOW', now()), ($1, 'live', 'record', 'a proof', NULL, NULL)`,
      [organisationId],
    );
    await log.append();
    const leaves = await log.sql('SELECT proof_id FROM leaf ORDER BY leaf_index DESC LIMIT 2');
    expect(leaves).to.deep.equal([{ proof_id: 'a proof' }, { proof_id: 'prf_alone' }]);
  });
});
