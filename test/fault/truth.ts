// Checks of the database after all accepted work has been carried out, computed without the code under test.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { unpackRecord } from '../../shared/core/decision/packed-record.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { dayOf, evidenceOf, type SignalType, scoreOn } from '../../shared/core/trust/beta.ts';
import { runSql } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';
import type { Accepted } from './load.ts';

/** Number of rows of accepted work, as a text: the inboxes, and intents that are open. */
export const OPEN_WORK = `SELECT ((SELECT count(*) FROM log_inbox) + (SELECT count(*) FROM trust_inbox)
    + (SELECT count(*) FROM intent WHERE status NOT IN ('decided', 'failed')))::text AS open`;

/** Waits until all work is done: the inboxes are empty and no intent is open. */
export async function untilCarriedOut(db: Database, timeoutMs: number): Promise<void> {
  await waitFor(
    async () => {
      const [row] = await runSql<{ open: string }>(db, OPEN_WORK);
      return row?.open === '0';
    },
    { timeoutMs, intervalMs: 100, what: 'everything accepted to be carried out' },
  );
}

/** Expects exactly one decision for every accepted intent, and no other decision. */
export async function expectIntentsOnce(db: Database, accepted: Accepted): Promise<void> {
  const intents = await runSql<{ intent_id: string; status: string; decision_id: string }>(
    db,
    'SELECT intent_id, status, decision_id FROM intent',
  );
  expect(new Set(intents.map((row) => row.intent_id))).to.deep.equal(new Set(accepted.intents.values()));
  expect(new Set(intents.map((row) => row.status))).to.deep.equal(new Set(['decided']));
  const decisions = await runSql<{ decision_id: string }>(db, 'SELECT decision_id FROM decision');
  expect(new Set(decisions.map((row) => row.decision_id))).to.deep.equal(
    new Set(intents.map((row) => row.decision_id)),
  );
  expect(decisions.length).to.equal(intents.length);
}

/** Expects that every accepted signal is folded exactly once, that numbers have no gaps, and that scores match the signals. */
export async function expectScoresOfSignals(db: Database, accepted: Accepted): Promise<void> {
  const signals = await runSql<{
    signal_id: string;
    agent_id: string;
    key_id: string;
    type: SignalType;
    weight: number;
    occurred_at: Date;
  }>(db, 'SELECT signal_id, agent_id, key_id, type, weight, occurred_at FROM trust_signal');
  expect(new Set(signals.map((row) => row.signal_id))).to.deep.equal(new Set(accepted.signals.keys()));
  const states = await runSql<{ agent_id: string; signals: string; day: number; score: number }>(
    db,
    'SELECT agent_id, signals::text, day, score FROM trust_state',
  );
  const folds = await runSql<{ agent_id: string; signals: string }>(
    db,
    'SELECT agent_id, signals FROM trust_fold ORDER BY agent_id, last_n',
  );
  for (const state of states) {
    const own = signals.filter((row) => row.agent_id === state.agent_id);
    expect(Number(state.signals), `${state.agent_id} has all its signals`).to.equal(own.length);
    const folded = folds
      .filter((fold) => fold.agent_id === state.agent_id)
      .flatMap((fold) => JSON.parse(fold.signals) as { n: number; signalId: string }[]);
    expect(folded.map((signal) => signal.n)).to.deep.equal(own.map((_, i) => i + 1));
    expect(new Set(folded.map((signal) => signal.signalId))).to.deep.equal(new Set(own.map((row) => row.signal_id)));
    const buckets = new Map<string, { day: number; positive: number; negative: number }>();
    for (const row of own) {
      const day = dayOf(row.occurred_at.getTime());
      const bucket = buckets.get(`${day} ${row.key_id}`) ?? { day, positive: 0, negative: 0 };
      const { positive, negative } = evidenceOf(row.type, row.weight);
      buckets.set(`${day} ${row.key_id}`, {
        day,
        positive: bucket.positive + positive,
        negative: bucket.negative + negative,
      });
    }
    expect(state.score, `score of ${state.agent_id}`).to.equal(scoreOn(state.day, buckets.values()).score);
  }
  expect(states.length).to.equal(new Set(signals.map((row) => row.agent_id)).size);
}

/** Expects every record exactly once in the log, numbers without gaps, and intact chains. */
export async function expectLogWhole(db: Database, accepted: Accepted): Promise<void> {
  const records = await runSql<{ proof_id: string; record: Buffer }>(
    db,
    "SELECT proof_id, record FROM record UNION ALL SELECT 'prf' || substr(decision_id, 4), record FROM decision",
  );
  const recordOf = new Map(records.map((row) => [row.proof_id, unpackRecord(row.record)]));
  const leaves = await runSql<{
    leaf_index: string;
    proof_id: string;
    entity_id: string;
    chain_index: string;
    previous_hash: Buffer;
    event_hash: Buffer;
    leaf_hash: Buffer;
  }>(
    db,
    'SELECT leaf_index::text, proof_id, entity_id, chain_index::text, previous_hash, event_hash, leaf_hash FROM leaf ORDER BY leaf.leaf_index',
  );
  expect(leaves.map((leaf) => Number(leaf.leaf_index))).to.deep.equal(leaves.map((_, i) => i));
  expect(new Set(leaves.map((leaf) => leaf.proof_id))).to.deep.equal(new Set(recordOf.keys()));
  expect(leaves.length).to.equal(recordOf.size);
  for (const [proofId, digest] of accepted.proofs) {
    const record = recordOf.get(proofId) ?? Buffer.alloc(0);
    expect(createHash('sha256').update(record).update('}').digest('hex'), proofId).to.equal(digest);
  }
  const heads = new Map<string, { hash: string; length: number }>();
  for (const leaf of leaves) {
    const head = heads.get(leaf.entity_id) ?? { hash: '0'.repeat(64), length: 0 };
    expect(Number(leaf.chain_index)).to.equal(head.length);
    expect(leaf.previous_hash.toString('hex')).to.equal(head.hash);
    const bytes = Buffer.concat([
      recordOf.get(leaf.proof_id) ?? Buffer.alloc(0),
      Buffer.from(`,"previousHash":"${head.hash}"}`),
    ]);
    const hash = createHash('sha256').update(bytes).digest('hex');
    expect(leaf.event_hash.toString('hex')).to.equal(hash);
    expect(leaf.leaf_hash.equals(createHash('sha256').update(Uint8Array.of(0)).update(bytes).digest())).to.equal(true);
    heads.set(leaf.entity_id, { hash, length: head.length + 1 });
  }
}
