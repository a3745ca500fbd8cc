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
import { dayOf, DECAY_TABLE, type EvidenceSums } from '../../core/trust/beta.ts';
import { type Fold, foldSignals, type KeyBucket, type WaitingSignal } from '../../core/trust/fold.ts';
import { AGENT_KEYS } from './state.ts';
import { NO_EVIDENCE } from '../../core/trust/score.ts';

/**
 * Most signals per transaction. The cost grows with the agents more than with the signals, so a backlog of thousands of agents
 * is folded three times as fast as with 5,000. A full batch takes less than a second.
 */
export const FOLD_BATCH = 20_000;
/** Most agents per transaction: each has its evidence summed, up to 990 days of it for each key. */
export const FOLD_AGENTS = 1_000;
/** Fewest signals per transaction after failures. */
const FOLD_MIN = 10;
/** A batch that took longer is followed by a smaller one. A statement fails after 10 s. */
const SLOW_MS = 3_000;
/** Rows to take for each signal that is folded, at most, when agents are the limit: the others are locked for nothing. */
const TAKEN_PER_FOLDED = 4;

// Of the signals that are taken, all of the first agents are folded. Those of the others wait for the next batch.
const TAKE = `WITH taken AS MATERIALIZED (
      SELECT seq, organisation_id, environment, signal_id FROM trust_inbox ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED
    ), known AS MATERIALIZED (
      SELECT taken.*, signal.*, min(seq) OVER (PARTITION BY organisation_id, environment, agent_id) AS first_seq
      FROM taken CROSS JOIN LATERAL (
        SELECT agent_id, key_id, type, weight, occurred_at FROM trust_signal AS signal
        WHERE signal.organisation_id = taken.organisation_id AND signal.environment = taken.environment AND signal.signal_id = taken.signal_id OFFSET 0
      ) AS signal
    ), ranked AS MATERIALIZED (
      SELECT *, dense_rank() OVER (ORDER BY first_seq) AS agent FROM known
    ), left_out AS MATERIALIZED (
      SELECT seq FROM ranked WHERE agent > $2
    ), gone AS (
      DELETE FROM trust_inbox AS waiting USING (SELECT seq FROM taken EXCEPT SELECT seq FROM left_out) AS folded WHERE waiting.seq = folded.seq
    )
    SELECT organisation_id AS "organisationId", environment, agent_id AS "agentId", signal_id AS "signalId", key_id AS "keyId", type, weight,
      (extract(epoch FROM occurred_at) * 1000)::float8 AS "occurredMs", (SELECT count(*) FROM left_out)::int AS left_out
    FROM ranked WHERE agent <= $2 ORDER BY seq`;

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
// R and S of the formula (core/trust/beta.ts), so that an agent is one row however long its history is. A weight has at most 33 bits: the
// evidence is multiplied in two parts, because products of bigint are summed three times as fast as those of numeric.
const WEIGHT = '($6::bigint[])[greatest($4::int - day, 0) + 1]';
const weighted = (evidence: string): string =>
  `sum((${evidence} & 1073741823) * ${WEIGHT}) + 1073741824 * sum((${evidence} >> 30) * ${WEIGHT})`;
const READ_SUMS = `SELECT asked.ordinal::int AS ordinal, coalesce(good, 0)::text AS good, coalesce(bad, 0)::text AS bad
    FROM ${ASKED} CROSS JOIN LATERAL (
      SELECT ${weighted('least(positive, $5::bigint)')} AS good, ${weighted('negative')} AS bad
      FROM trust_bucket WHERE ${OF_ASKED('trust_bucket')} AND day > $4::int - cardinality($6::bigint[])
    ) AS bucket`;

interface SignalRow extends Omit<WaitingSignal, 'day'> {
  /** Signals that were left out because of their agents, the same number in each row. */
  readonly left_out: number;
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

interface SumsRow {
  ordinal: number;
  good: string;
  bad: string;
}

interface BucketRow {
  ordinal: number;
  positive: number;
  negative: number;
}

/** An agent of the batch with its waiting signals, the sums of its stored evidence, and the buckets that the signals change. */
interface Agent {
  readonly organisationId: string;
  readonly environment: string;
  readonly agentId: string;
  readonly added: WaitingSignal[];
  readonly buckets: KeyBucket[];
  sums: EvidenceSums;
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

const BUCKET_KEYS = columnMap<OfAgent & { readonly bucket: Pick<KeyBucket, 'day' | 'keyId'> }>({
  ...ofAgent,
  day: numeric('int', ({ bucket }) => bucket.day),
  key_id: text(({ bucket }) => bucket.keyId),
});
const READ_BUCKETS = `SELECT asked.ordinal::int AS ordinal, positive::float8 AS positive, negative::float8 AS negative
    FROM (${BUCKET_KEYS.rows()}) AS asked CROSS JOIN LATERAL (
      SELECT * FROM trust_bucket WHERE ${OF_ASKED('trust_bucket')} AND trust_bucket.day = asked.day AND trust_bucket.key_id = asked.key_id OFFSET 0
    ) AS bucket`;
const BUCKETS = columnMap<OfAgent & { readonly bucket: KeyBucket }>({
  ...BUCKET_KEYS.columns,
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
  /** Most agents per batch. Default: FOLD_AGENTS. */
  readonly maxAgents?: number;
}

export interface FoldedBatch {
  /** Signals that were folded. */
  readonly signals: number;
  /** Signals that were locked and left out, because their agents are too many for a batch. */
  readonly leftOut: number;
}

const NOTHING: FoldedBatch = { signals: 0, leftOut: 0 };

/** The size of the next batch. @param last the last batch and its duration, or that it failed, perhaps because it was too large */
export function nextBatch(maxSignals: number, last: (FoldedBatch & { readonly tookMs: number }) | 'failed'): number {
  if (last === 'failed') return Math.max(FOLD_MIN, Math.floor(maxSignals / 4));
  if (last.tookMs > SLOW_MS) return Math.max(FOLD_MIN, Math.floor(maxSignals / 2));
  const wanted = last.leftOut > 0 ? last.signals * TAKEN_PER_FOLDED : maxSignals * 2;
  return Math.max(FOLD_MIN, Math.min(FOLD_BATCH, wanted));
}

const NO_SUMS: EvidenceSums = { good: 0n, bad: 0n };

function agentsOf(rows: readonly SignalRow[]): Agent[] {
  const agents = new Map<string, Agent>();
  for (const row of rows) {
    const { organisationId, environment, agentId, occurredMs, signalId, type, weight, keyId } = row;
    const id = `${organisationId}\n${environment}\n${agentId}`;
    let agent = agents.get(id);
    if (agent === undefined) {
      const owner = { organisationId, environment, agentId };
      agent = { ...owner, added: [], buckets: [], sums: NO_SUMS, lastSignalMs: 0, signals: 0, slug: '' };
      agents.set(id, agent);
    }
    agent.lastSignalMs = Math.max(agent.lastSignalMs, occurredMs);
    agent.added.push({ signalId, type, weight, keyId, day: dayOf(occurredMs) });
  }
  return [...agents.values()];
}

/** Locks the states of the agents and reads what a fold needs of their evidence. */
async function lockAgents(sql: Sql, agents: readonly Agent[], day: number, dailyCap: number): Promise<void> {
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
  for (const { ordinal, good, bad } of await sql.query<SumsRow>(READ_SUMS, [...asked, day, dailyCap, DECAY_TABLE])) {
    const agent = agents[ordinal - 1];
    if (agent !== undefined) agent.sums = { good: BigInt(good), bad: BigInt(bad) };
  }
  const touched = agents.flatMap((agent) => bucketsOf(agent.added).map((bucket) => ({ agent, bucket })));
  for (const { ordinal, positive, negative } of await sql.query<BucketRow>(READ_BUCKETS, BUCKET_KEYS.values(touched))) {
    const one = touched[ordinal - 1];
    one?.agent.buckets.push({ ...one.bucket, positive, negative });
  }
}

/** The buckets that signals change. */
function bucketsOf(signals: readonly WaitingSignal[]): Pick<KeyBucket, 'day' | 'keyId'>[] {
  const buckets = new Map(signals.map(({ day, keyId }) => [`${day} ${keyId}`, { day, keyId }]));
  return [...buckets.values()];
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

/** Folds a batch of waiting signals that no other worker folds; all of it, or nothing on an error. */
export function foldBatch(deps: FoldDeps): Promise<FoldedBatch> {
  const { db, nowMs, dailyCap, maxSignals = FOLD_BATCH, maxAgents = FOLD_AGENTS } = deps;
  return db.transaction(async (sql) => {
    const rows = await sql.query<SignalRow>(TAKE, [maxSignals, maxAgents]);
    const [first] = rows;
    if (first === undefined) return NOTHING;
    const now = nowMs();
    const day = dayOf(now);
    const agents = agentsOf(rows);
    await lockAgents(sql, agents, day, dailyCap);
    const outcomes = agents.flatMap((agent): FoldOutcome[] => {
      const { folds, changed } = foldSignals(agent, agent.added, day, dailyCap);
      const last = folds.at(-1);
      return last === undefined ? [] : [{ agent, folds, last, changed }];
    });
    await write(sql, outcomes, now, day);
    return { signals: rows.length, leftOut: first.left_out };
  });
}
