// Folds one batch of waiting signals into scores, records and announcements, in one transaction.
//
// Several workers may fold at once. Each takes other inbox rows (SKIP LOCKED) and then locks the states of its agents in
// an order that all workers share, so that there is no deadlock. The evidence of an agent is read after its state is
// locked, in a separate statement: an earlier snapshot might miss what another worker wrote.
import { columnMap, numeric, text, timeMs, utf8 } from '../../platform/db/columns.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { wakeLogs } from '../ledger/inbox.ts';
import { recordPrefix } from '../../core/proof/record.ts';
import { dayOf, MAX_AGE_DAYS } from '../../core/trust/beta.ts';
import { type Fold, foldSignals, type KeyBucket, type WaitingSignal } from '../../core/trust/fold.ts';
import { AGENT_KEYS } from './state.ts';
import { NO_EVIDENCE } from '../../core/trust/score.ts';

/**
 * Signals per transaction. The cost grows with the agents more than with the signals, so a backlog of thousands of agents
 * is folded three times as fast as with 5,000. A full batch takes less than a second.
 */
export const FOLD_BATCH = 20_000;

const TAKE = `WITH taken AS MATERIALIZED (
      SELECT seq FROM trust_inbox ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM trust_inbox AS waiting USING taken WHERE waiting.seq = taken.seq
      RETURNING waiting.seq, waiting.organisation_id, waiting.environment, waiting.signal_id
    )
    SELECT organisation_id AS "organisationId", environment, agent_id AS "agentId", signal_id AS "signalId", key_id AS "keyId", type, weight,
      (extract(epoch FROM occurred_at) * 1000)::float8 AS "occurredMs"
    FROM gone CROSS JOIN LATERAL (
      SELECT agent_id, key_id, type, weight, occurred_at FROM trust_signal AS signal
      WHERE signal.organisation_id = gone.organisation_id AND signal.environment = gone.environment AND signal.signal_id = gone.signal_id OFFSET 0
    ) AS signal ORDER BY seq`;

// OFFSET 0 and FOR UPDATE force look-ups by primary key, row by row: for tables that were not analysed lately the planner
// would join whole tables.
const ASKED = `(${AGENT_KEYS.rows()} ORDER BY organisation_id COLLATE "C", environment COLLATE "C", agent_id COLLATE "C") AS asked`;
const OF_ASKED = (table: string): string =>
  `${table}.organisation_id = asked.organisation_id AND ${table}.environment = asked.environment AND ${table}.agent_id = asked.agent_id`;

const MAKE_STATES = `INSERT INTO trust_state (organisation_id, environment, agent_id, signals, last_signal_at, day, score, uncertainty)
    SELECT organisation_id, environment, agent_id, 0, to_timestamp(0), 0, ${NO_EVIDENCE.score}, ${NO_EVIDENCE.uncertainty}
    FROM ${ASKED} ON CONFLICT DO NOTHING`;
export const LOCK_STATES = `SELECT asked.ordinal::int AS ordinal, state.signals::float8 AS signals, (extract(epoch FROM last_signal_at) * 1000)::float8 AS last_signal_ms,
      (SELECT slug FROM organisation WHERE id = asked.organisation_id) AS slug
    FROM ${ASKED} CROSS JOIN LATERAL (SELECT signals, last_signal_at FROM trust_state WHERE ${OF_ASKED('trust_state')} FOR UPDATE) AS state`;
const READ_BUCKETS = `SELECT asked.ordinal::int AS ordinal, day, key_id, positive::float8 AS positive, negative::float8 AS negative
    FROM ${ASKED} CROSS JOIN LATERAL (SELECT * FROM trust_bucket WHERE ${OF_ASKED('trust_bucket')} AND day >= $4 OFFSET 0) AS bucket`;

interface SignalRow extends Omit<WaitingSignal, 'day'> {
  readonly organisationId: string;
  readonly environment: string;
  readonly agentId: string;
  readonly occurredMs: number;
}

interface StateRow {
  ordinal: number;
  signals: number;
  last_signal_ms: number;
  slug: string;
}

interface BucketRow {
  ordinal: number;
  day: number;
  key_id: string;
  positive: number;
  negative: number;
}

/** An agent of the batch with its waiting signals and its stored evidence. */
interface Agent {
  readonly organisationId: string;
  readonly environment: string;
  readonly agentId: string;
  readonly added: WaitingSignal[];
  readonly buckets: KeyBucket[];
  lastSignalMs: number;
  signals: number;
  slug: string;
}

interface OfAgent {
  readonly agent: Agent;
}

/** The folds of an agent; the last one is its new state. */
interface FoldOutcome extends OfAgent {
  readonly folds: readonly Fold[];
  readonly last: Fold;
  readonly changed: readonly KeyBucket[];
}

/** A fold with its record for the log. */
interface NewFold extends OfAgent {
  readonly fold: Fold;
  readonly proofId: string;
  readonly record: string;
}

const ofAgent = {
  organisation_id: text((r: OfAgent) => r.agent.organisationId),
  environment: text((r: OfAgent) => r.agent.environment),
  agent_id: text((r: OfAgent) => r.agent.agentId),
};

const BUCKETS = columnMap<OfAgent & { readonly bucket: KeyBucket }>({
  ...ofAgent,
  day: numeric('int', ({ bucket }) => bucket.day),
  key_id: text(({ bucket }) => bucket.keyId),
  positive: numeric('bigint', ({ bucket }) => bucket.positive),
  negative: numeric('bigint', ({ bucket }) => bucket.negative),
});
const STATES = columnMap<FoldOutcome>({
  ...ofAgent,
  signals: numeric('bigint', ({ last }) => last.lastN),
  last_signal_at: timeMs(({ agent }) => agent.lastSignalMs),
  score: numeric('smallint', ({ last }) => last.score),
  uncertainty: numeric('numeric', ({ last }) => last.uncertainty),
});
const FOLDS = columnMap<NewFold>({
  ...ofAgent,
  first_n: numeric('bigint', ({ fold }) => fold.firstN),
  last_n: numeric('bigint', ({ fold }) => fold.lastN),
  score: numeric('smallint', ({ fold }) => fold.score),
  uncertainty: numeric('numeric', ({ fold }) => fold.uncertainty),
  signals: text(({ fold }) => fold.signals),
  proof_id: text(({ proofId }) => proofId),
});
const FOLDS_WITH_RECORDS = columnMap<NewFold>({ ...FOLDS.columns, record: utf8(({ record }) => record) });
const SUBJECTS = columnMap<readonly string[]>({ subject: text(JSON.stringify) });

// The agents are locked, so these are the new values and not additions.
const WRITE_BUCKETS = `${BUCKETS.insertInto('trust_bucket', `(${BUCKETS.rows()}) AS given`)}
    ON CONFLICT (organisation_id, environment, agent_id, day, key_id) DO UPDATE SET positive = excluded.positive, negative = excluded.negative`;
const WRITE_STATES = `${STATES.insertInto('trust_state', `(${STATES.rows()}) AS given`, { day: `$${STATES.size + 1}` })}
    ON CONFLICT (organisation_id, environment, agent_id) DO UPDATE
      SET signals = excluded.signals, last_signal_at = excluded.last_signal_at, day = excluded.day, score = excluded.score, uncertainty = excluded.uncertainty`;
const FOLDED_AT = `$${FOLDS_WITH_RECORDS.size + 1}::timestamptz`;
// The inbox rows are in the order of the folds: an agent's chain has the order of its signals.
const WRITE_FOLDS = `WITH given AS MATERIALIZED (${FOLDS_WITH_RECORDS.rows()}), folded AS (
      ${FOLDS.insertInto('trust_fold', 'given', { folded_at: FOLDED_AT, day: `$${FOLDS_WITH_RECORDS.size + 2}::int` })}
    ), recorded AS (
      INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
      SELECT organisation_id, environment, proof_id, agent_id, 'custos.trust', ${FOLDED_AT}, record FROM given
    ), waiting AS (
      INSERT INTO log_inbox (organisation_id, environment, source, source_id)
      SELECT organisation_id, environment, 'record', proof_id FROM given ORDER BY ordinal
    )
    ${wakeLogs('given')}`;
// One row for all agents of a log: every process would read thousands of rows again for as long as one transaction runs.
const ANNOUNCE = `WITH announced AS (${SUBJECTS.insertInto('change', `(${SUBJECTS.rows()}) AS given`, { kind: "'trust'" })})
    SELECT pg_notify('custos_change', '')`;

export interface FoldDeps {
  readonly db: Pick<Database, 'transaction'>;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly dailyCap: number;
  /** Most signals per batch. Default: FOLD_BATCH. */
  readonly maxSignals?: number;
}

function agentsOf(rows: readonly SignalRow[]): Agent[] {
  const agents = new Map<string, Agent>();
  for (const row of rows) {
    const { organisationId, environment, agentId, occurredMs, signalId, type, weight, keyId } = row;
    const id = `${organisationId}\n${environment}\n${agentId}`;
    let agent = agents.get(id);
    if (agent === undefined) {
      const owner = { organisationId, environment, agentId };
      agent = { ...owner, added: [], buckets: [], lastSignalMs: 0, signals: 0, slug: '' };
      agents.set(id, agent);
    }
    agent.lastSignalMs = Math.max(agent.lastSignalMs, occurredMs);
    agent.added.push({ signalId, type, weight, keyId, day: dayOf(occurredMs) });
  }
  return [...agents.values()];
}

/** Locks the states of the agents and reads their evidence. */
async function lockAgents(sql: Sql, agents: readonly Agent[], day: number): Promise<void> {
  const asked = AGENT_KEYS.values(agents);
  await sql.query(MAKE_STATES, asked);
  const states = await sql.query<StateRow>(LOCK_STATES, asked);
  if (states.length !== agents.length) throw new Error('an agent with signals has no state or no organisation');
  for (const row of states) {
    const agent = agents[row.ordinal - 1];
    if (agent === undefined) continue;
    agent.signals = row.signals;
    agent.slug = row.slug;
    agent.lastSignalMs = Math.max(agent.lastSignalMs, row.last_signal_ms);
  }
  for (const row of await sql.query<BucketRow>(READ_BUCKETS, [...asked, day - MAX_AGE_DAYS])) {
    const { day: bucketDay, key_id: keyId, positive, negative } = row;
    agents[row.ordinal - 1]?.buckets.push({ day: bucketDay, keyId, positive, negative });
  }
}

async function write(sql: Sql, outcomes: readonly FoldOutcome[], nowMs: number, day: number): Promise<void> {
  const buckets = outcomes.flatMap(({ agent, changed }) => changed.map((bucket) => ({ agent, bucket })));
  await sql.query(WRITE_BUCKETS, BUCKETS.values(buckets));
  await sql.query(WRITE_STATES, [...STATES.values(outcomes), day]);
  const occurredAt = new Date(nowMs).toISOString();
  const folds = outcomes.flatMap(({ agent, folds }) =>
    folds.map((fold) => {
      const proofId = newId('prf', nowMs);
      const { agentId: entityId, environment, slug: organisationSlug } = agent;
      const parts = {
        entityId,
        event: 'custos.trust',
        occurredAt,
        body: fold.body,
        environment,
        organisationSlug,
        proofId,
      };
      return { agent, fold, proofId, record: recordPrefix(parts) };
    }),
  );
  await sql.query(WRITE_FOLDS, [...FOLDS_WITH_RECORDS.values(folds), occurredAt, day]);
  const subjects = new Map<string, string[]>();
  for (const { agent } of outcomes) {
    const log = `${agent.organisationId}\n${agent.environment}`;
    const subject = subjects.get(log) ?? [agent.organisationId, agent.environment];
    subject.push(agent.agentId);
    subjects.set(log, subject);
  }
  await sql.query(ANNOUNCE, SUBJECTS.values([...subjects.values()]));
}

/**
 * Folds a batch of waiting signals that no other worker folds; all of it, or nothing on an error.
 * @returns the number of signals; less than a full batch means that none are left
 */
export function foldBatch({ db, nowMs, dailyCap, maxSignals = FOLD_BATCH }: FoldDeps): Promise<number> {
  return db.transaction(async (sql) => {
    const rows = await sql.query<SignalRow>(TAKE, [maxSignals]);
    if (rows.length === 0) return 0;
    const now = nowMs();
    const day = dayOf(now);
    const agents = agentsOf(rows);
    await lockAgents(sql, agents, day);
    const outcomes = agents.flatMap((agent): FoldOutcome[] => {
      const { folds, changed } = foldSignals(agent, agent.added, day, dailyCap);
      const last = folds.at(-1);
      return last === undefined ? [] : [{ agent, folds, last, changed }];
    });
    await write(sql, outcomes, now, day);
    return rows.length;
  });
}
