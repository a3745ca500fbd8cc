// Appends what waits in a log's inbox: one transaction a batch, holding the log's head, so that no two workers number at once.
import type { Database, Sql, Statement } from '../db/database.ts';
import { type Frontier, frontierLength, grow } from '../proof/frontier.ts';
import { NO_PREVIOUS, sealRecord } from '../proof/record.ts';
import type { Environment } from '../vocabulary.ts';
import { addRecordSpans, type RecordSpan } from '../spans.ts';
import { readFrontier } from './nodes.ts';

const MAX_BATCH = 1_000;

const MAKE_LOG: Statement = {
  name: 'log-make',
  text: `INSERT INTO log (organisation_id, environment, origin) SELECT id, $2, $3 || '/' || slug || '/' || $2 FROM organisation WHERE id = $1
    ON CONFLICT (organisation_id, environment, generation) DO UPDATE SET origin = excluded.origin WHERE log.origin IS NULL`,
};
// The transaction is kept from scanning and sorting whole tables: its plans are made when the tables are still empty and
// last until the next ANALYZE. Until then every index of leaf looks as good for a chain's head as the one in chain order,
// and with another one all leaves are read for each entity (1.8 s a batch at 20,000 leaves and 500 entities, against 3 ms).
const LOCK_LOG: Statement = {
  name: 'log-lock',
  text: `SELECT log_id, size::text AS size, frontier, set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)
    FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1 FOR UPDATE`,
};
// One look-up by primary key for each row. As plain joins they were planned to read all records of the log.
const TAKE: Statement = {
  name: 'log-inbox-take',
  text: `SELECT inbox.seq::text AS seq, inbox.source, inbox.source_id, found.proof_id, found.entity_id, found.event, found.occurred_at, found.record, found.traceparent
    FROM (SELECT * FROM log_inbox WHERE organisation_id = $1 AND environment = $2 ORDER BY seq LIMIT ${MAX_BATCH}) AS inbox
    LEFT JOIN LATERAL (
      SELECT proof_id, agent_id AS entity_id, 'custos.decision' AS event, evaluated_at AS occurred_at, record, traceparent FROM decision
      WHERE inbox.source = 'decision' AND organisation_id = $1 AND environment = $2 AND decision_id = inbox.source_id
      UNION ALL SELECT proof_id, entity_id, event, occurred_at, record, traceparent FROM record
      WHERE inbox.source = 'record' AND organisation_id = $1 AND environment = $2 AND proof_id = inbox.source_id
      LIMIT 1
    ) AS found ON true
    ORDER BY inbox.seq`,
};
const HEADS: Statement = {
  name: 'chain-heads',
  text: `SELECT asked.entity_id, head.chain_index::text AS chain_index, encode(head.event_hash, 'hex') AS event_hash
    FROM unnest($3::text[]) AS asked (entity_id), LATERAL (
      SELECT chain_index, event_hash FROM leaf WHERE organisation_id = $1 AND environment = $2 AND leaf.entity_id = asked.entity_id
      ORDER BY chain_index DESC LIMIT 1
    ) AS head`,
};
const INSERT: Statement = {
  name: 'leaves-insert',
  text: `INSERT INTO leaf (log_id, organisation_id, environment, leaf_index, proof_id, source, source_id, entity_id, chain_index, event, occurred_at, previous_hash, event_hash, leaf_hash, appended_at)
    SELECT $15, $1, $2, *, $14 FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::timestamptz[], $11::bytea[], $12::bytea[], $13::bytea[])`,
};
const MOVE: Statement = {
  name: 'log-move',
  text: 'UPDATE log SET size = $2, frontier = $3 WHERE log_id = $1',
};
const INSERT_NODES: Statement = {
  name: 'nodes-insert',
  text: 'INSERT INTO node (log_id, level, node_index, hash) SELECT $1, * FROM unnest($2::smallint[], $3::bigint[], $4::bytea[])',
};
const FORGET: Statement = { name: 'log-inbox-forget', text: 'DELETE FROM log_inbox WHERE seq = ANY ($1::bigint[])' };

interface InboxRow {
  seq: string;
  source: 'decision' | 'record';
  source_id: string;
  proof_id: string | null;
  entity_id: string;
  event: string;
  occurred_at: Date;
  record: Buffer;
  traceparent: string | null;
}

interface Head {
  chainIndex: number;
  eventHash: string;
}

interface LogRow {
  log_id: number;
  size: string;
  frontier: Buffer;
}

export interface AppendDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** First part of the origin of logs that are made from now on (CUSTOS_LOG_HOST). */
  readonly logHost: string;
}

const HASH_BYTES = 32;

/** The stored frontier, or the one of the stored nodes for a log that is older than its frontier. @throws {MissingNodeError} */
async function frontierOf(sql: Sql, log: LogRow): Promise<Frontier> {
  const size = Number(log.size);
  if (log.frontier.length !== frontierLength(size) * HASH_BYTES) return readFrontier(sql, log.log_id, size);
  const hashes = Array.from({ length: frontierLength(size) }, (_, i) =>
    log.frontier.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  return { size, hashes };
}

interface Appended {
  /** Leaves; fewer than a full batch means that nothing waits. */
  readonly count: number;
  /** What the traces of the records' requests get once the batch is committed. */
  readonly spans: readonly RecordSpan[];
}

/** Appends one batch. */
async function appendBatch(
  sql: Sql,
  organisationId: string,
  environment: Environment,
  { nowMs, logHost }: AppendDeps,
): Promise<Appended> {
  const startedAtMs = nowMs();
  await sql.query(MAKE_LOG, [organisationId, environment, logHost]);
  const [log] = await sql.query<LogRow>(LOCK_LOG, [organisationId, environment]);
  if (log === undefined) throw new Error('a log that was just made is not there');
  const rows = await sql.query<InboxRow>(TAKE, [organisationId, environment]);
  if (rows.length === 0) return { count: 0, spans: [] };
  const size = Number(log.size);
  const heads = new Map<string, Head>();
  const found = await sql.query<{ entity_id: string; chain_index: string; event_hash: string }>(HEADS, [
    organisationId,
    environment,
    [...new Set(rows.map((row) => row.entity_id))],
  ]);
  for (const row of found) heads.set(row.entity_id, { chainIndex: Number(row.chain_index), eventHash: row.event_hash });
  const leaves = rows.map((row, i) => {
    if (row.proof_id === null)
      throw new Error(`the ${row.source} ${row.source_id} waits for its log and does not exist`);
    const head = heads.get(row.entity_id) ?? { chainIndex: -1, eventHash: NO_PREVIOUS };
    const sealed = sealRecord(row.record, head.eventHash);
    heads.set(row.entity_id, { chainIndex: head.chainIndex + 1, eventHash: sealed.eventHash.toString('hex') });
    return {
      row,
      index: size + i,
      chainIndex: head.chainIndex + 1,
      previousHash: Buffer.from(head.eventHash, 'hex'),
      sealed,
    };
  });
  await sql.query(INSERT, [
    organisationId,
    environment,
    leaves.map((l) => l.index),
    leaves.map((l) => l.row.proof_id),
    leaves.map((l) => l.row.source),
    leaves.map((l) => l.row.source_id),
    leaves.map((l) => l.row.entity_id),
    leaves.map((l) => l.chainIndex),
    leaves.map((l) => l.row.event),
    leaves.map((l) => l.row.occurred_at.toISOString()),
    leaves.map((l) => l.previousHash),
    leaves.map((l) => l.sealed.eventHash),
    leaves.map((l) => Buffer.from(l.sealed.leafHash)),
    new Date(nowMs()).toISOString(),
    log.log_id,
  ]);
  const { frontier, nodes } = grow(
    await frontierOf(sql, log),
    leaves.map((l) => l.sealed.leafHash),
  );
  await sql.query(INSERT_NODES, [
    log.log_id,
    nodes.map((node) => node.level),
    nodes.map((node) => node.index),
    nodes.map((node) => Buffer.from(node.hash)),
  ]);
  await sql.query(MOVE, [log.log_id, frontier.size, Buffer.concat(frontier.hashes)]);
  await sql.query(FORGET, [rows.map((row) => row.seq)]);
  return {
    count: leaves.length,
    spans: leaves.flatMap(({ row: { traceparent, event }, index }) =>
      traceparent === null
        ? []
        : [
            {
              name: 'append to log',
              traceparent,
              startedAtMs,
              endedAtMs: nowMs(),
              attributes: { 'custos.log_index': index, 'custos.event': event },
            },
          ],
    ),
  };
}

/** Full batches a call: a worker that is asked to stop waits for its running job, which must end although records keep coming. */
const BATCHES_A_CALL = 20;

/** Wakes the worker of this log again. */
const GO_ON: Statement = {
  name: 'log-go-on',
  text: `INSERT INTO outbox (queue, name, payload)
    SELECT 'proofs', 'append', json_build_object('v', 1, 'organisationId', $1::text, 'environment', $2::text)::text`,
};

/**
 * Appends what waits for one log, batch by batch. Safe to run in several workers at once: the head is locked for each
 * batch, and a row leaves the inbox in the transaction that makes it a leaf.
 */
export async function appendWaiting(deps: AppendDeps, organisationId: string, environment: Environment): Promise<void> {
  const { db } = deps;
  for (let i = 0; i < BATCHES_A_CALL; i += 1) {
    const { count, spans } = await db.transaction((sql) => appendBatch(sql, organisationId, environment, deps));
    addRecordSpans(spans);
    if (count < MAX_BATCH) return;
  }
  await db.query(GO_ON, [organisationId, environment]);
}
