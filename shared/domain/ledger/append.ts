// Appends the records in a log's inbox. Each batch is a transaction that locks the log's head, so that only one worker numbers leaves.
import { anyText, columnMap, fixedBytes, fixedHex, msSql, numeric, text, timeMs } from '../../platform/db/columns.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { escapedSql, readEscaped } from '../../platform/db/escaped.ts';
import { unpackRecord, unpackRecordText } from '../../core/decision/packed-record.ts';
import { type Frontier, frontierLength, grow, type NewNode } from '../../core/proof/frontier.ts';
import { isStoredLevel } from '../../core/proof/stored-levels.ts';
import { hashRecord, NO_PREVIOUS, type RecordHashes } from '../../core/proof/record.ts';
import type { OwnerColumns } from '../../kernel/owner.ts';
import type { Environment, Verdict } from '../../kernel/vocabulary.ts';
import { addRecordSpans, type RecordSpan } from '../../platform/observe/spans.ts';
import { readFrontier } from './nodes.ts';
import { DECISION_EVENT, proofOf } from '../../platform/db/leaf-sql.ts';
import { type ChainHeads, type LogState, readHeads } from './chain-heads.ts';
import { waitingIds } from './inbox.ts';
import { type Zone, ZONE, zonesOf } from './zones.ts';
import { COUNTS, countsOf, onCountConflict } from './decision-counts.ts';

/** Leaves of a batch; it may have as many more as one row of the inbox holds. */
const MAX_BATCH = 1_000;

// Sequential scans and sorts are off in the transaction: plans are cached while the tables are still empty and stay until the next
// ANALYZE. Until then the planner sees no difference between the indexes of leaf for a chain's head, and with the wrong one all
// leaves are read for each entity (1.8 s a batch at 20,000 leaves and 500 entities, against 3 ms).
const LOCK_LOG = `SELECT log_id, size::text AS size, frontier, origin,
      (SELECT max(first_index) + ${ZONE} FROM leaf_zone WHERE leaf_zone.log_id = log.log_id)::text AS in_zones, ${BY_INDEX_ONLY}, set_config('enable_sort', 'off', true)
    FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1 FOR UPDATE`;
const MAKE_LOG = `INSERT INTO log (organisation_id, environment, origin) SELECT id, $2, $3 || '/' || slug || '/' || $2 FROM organisation WHERE id = $1
    ON CONFLICT (organisation_id, environment, generation) DO UPDATE SET origin = excluded.origin WHERE log.origin IS NULL`;
// Whole rows of the inbox, up to the one with which the batch is full. The decisions of a row are read in one range scan of the primary key,
// because their ids follow each other: a look-up for each cost twice as much. The ORDER BY determines the index. Without it, while the tables
// were empty, the planner also chose the index by agent, and searched it ten times a row, which was half of PostgreSQL's work.
const TAKE = `SELECT inbox.seq::text AS seq, cardinality(inbox.ids) AS count, found.*
    FROM (
      SELECT seq, source, ids FROM (
        SELECT seq, source, ids, sum(cardinality(ids)) OVER (ORDER BY organisation_id, environment, seq ROWS UNBOUNDED PRECEDING) - cardinality(ids) AS before FROM (
          SELECT *, ${waitingIds('log_inbox')} AS ids FROM log_inbox
          WHERE organisation_id = $1 AND environment = $2 ORDER BY organisation_id, environment, seq LIMIT ${MAX_BATCH}
        ) AS first
      ) AS counted WHERE before < ${MAX_BATCH}
    ) AS inbox
    LEFT JOIN LATERAL (
      SELECT ${proofOf('decision')} AS proof_id, agent_id AS entity_id, '${DECISION_EVENT}' AS event,
        ${msSql('evaluated_at')} AS occurred_ms, ${escapedSql('record')} AS record, traceparent, verdict FROM (
        SELECT * FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY (inbox.ids)
          AND decision_id >= inbox.ids[1] AND decision_id <= inbox.ids[cardinality(inbox.ids)]
        ORDER BY organisation_id, environment, decision_id
      ) AS decision
      WHERE inbox.source = 'decision'
      UNION ALL SELECT proof_id, entity_id, event, ${msSql('occurred_at')}, ${escapedSql('record')}, traceparent, NULL FROM (
        SELECT * FROM record WHERE organisation_id = $1 AND environment = $2
          AND proof_id >= inbox.ids[1] AND proof_id <= inbox.ids[1]
        ORDER BY organisation_id, environment, proof_id LIMIT 1
      ) AS record
      WHERE inbox.source = 'record'
    ) AS found ON true`;
/** One row of the inbox. */
const WAITING = `SELECT source, ${waitingIds('log_inbox')} AS ids FROM log_inbox WHERE seq = $1`;
const ZONE_LEAVES = `SELECT event, entity_id, ${msSql('occurred_at')} AS occurred_ms FROM leaf
    WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 ORDER BY leaf_index`;
interface InboxRow {
  seq: string;
  /** How many ids its row of the inbox has. */
  count: number;
  /** Null when none of these records exists. */
  proof_id: string | null;
  entity_id: string;
  event: string;
  occurred_ms: number;
  /** As stored, escaped. */
  record: string;
  traceparent: string | null;
  /** Null for what is not a decision. */
  verdict: Verdict | null;
}

type ZoneRow = Pick<InboxRow, 'event' | 'entity_id' | 'occurred_ms'>;

const HASH_BYTES = 32;

/** One row of the inbox as a leaf. */
interface NewLeaf {
  readonly row: InboxRow;
  readonly chainIndex: number;
  /** Lower-case hex. */
  readonly previousHash: string;
  readonly hashes: RecordHashes;
}

const LEAVES = columnMap<NewLeaf>({
  proof_id: text((l) => l.row.proof_id ?? ''),
  entity_id: anyText((l) => l.row.entity_id),
  chain_index: numeric('bigint', (l) => l.chainIndex),
  event: anyText((l) => l.row.event),
  occurred_at: timeMs((l) => l.row.occurred_ms),
  previous_hash: fixedHex(HASH_BYTES, (l) => l.previousHash),
  event_hash: fixedHex(HASH_BYTES, (l) => l.hashes.eventHash),
  leaf_hash: fixedBytes(HASH_BYTES, (l) => l.hashes.leafHash),
});
const NODES = columnMap<NewNode>({
  level: numeric('smallint', (node) => node.level),
  node_index: numeric('bigint', (node) => node.index),
  hash: fixedBytes(HASH_BYTES, (node) => node.hash),
});
const ZONES = columnMap<Zone>({
  first_index: numeric('bigint', (zone) => zone.firstIndex),
  earliest: timeMs((zone) => zone.earliestMs),
  latest: timeMs((zone) => zone.latestMs),
  marks: text((zone) => `{${zone.marks.join(',')}}`, 'integer[]'),
});
// After $1 to $8, which are about the whole batch.
const FIRST_OF = {
  leaves: 9,
  nodes: 9 + LEAVES.size,
  zones: 9 + LEAVES.size + NODES.size,
  counts: 9 + LEAVES.size + NODES.size + ZONES.size,
};

// Everything that a batch changes, in one statement: its leaves, the nodes and zones that they complete, the counts of
// decisions, the log's head, the inbox.
const APPEND = `WITH leaves AS (
      ${LEAVES.insertInto('leaf', `(${LEAVES.rows(FIRST_OF.leaves)}) AS given`, {
        log_id: '$1',
        leaf_index: '$4::bigint + ordinal - 1',
        appended_at: '$5::timestamptz',
      })}
    ), nodes AS (
      ${NODES.insertInto('node', `(${NODES.rows(FIRST_OF.nodes)}) AS given`, { log_id: '$1' })}
    ), zones AS (
      ${ZONES.insertInto('leaf_zone', `(${ZONES.rows(FIRST_OF.zones)}) AS given`, { log_id: '$1' })}
      ON CONFLICT (log_id, first_index) DO NOTHING
    ), counts AS (
      ${COUNTS.insertInto('decision_count', `(${COUNTS.rows(FIRST_OF.counts)}) AS given`, { organisation_id: '$2', environment: '$3' })}
      ${onCountConflict}
    ), taken AS (
      DELETE FROM log_inbox WHERE seq = ANY ($6::bigint[])
    )
    UPDATE log SET size = $7, frontier = $8 WHERE log_id = $1`;

interface LogRow extends LogState {
  /** Number of leaves in zones. It may be outdated after a wait for the lock: zones that exist already are inserted without effect. Null: none. */
  in_zones: string | null;
  /** Null for a log of a version without origins. */
  origin: string | null;
}

export interface AppendDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** First part of the origin of new logs (CUSTOS_LOG_HOST). */
  readonly logHost: string;
  /** Absent: the last record of each chain is looked up for each batch. */
  readonly chainHeads?: ChainHeads | undefined;
}

/** The stored frontier; for a log of a version without one, computed from the stored nodes. @throws {MissingNodeError} */
async function frontierOf(sql: Sql, log: LogRow): Promise<Frontier> {
  const size = Number(log.size);
  if (log.frontier.length !== frontierLength(size) * HASH_BYTES) return readFrontier(sql, log.log_id, size);
  const hashes = Array.from({ length: frontierLength(size) }, (_, i) =>
    log.frontier.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  return { size, hashes };
}

/** Locks the log's row until the transaction ends. The first record creates it. */
async function holdLog(sql: Sql, owner: OwnerColumns, logHost: string): Promise<LogRow | undefined> {
  const [known] = await sql.query<LogRow>(LOCK_LOG, owner);
  if (known !== undefined && known.origin !== null) return known;
  await sql.query(MAKE_LOG, [...owner, logHost]);
  const [made] = await sql.query<LogRow>(LOCK_LOG, owner);
  return made;
}

/** @param rows sorted by seq @throws {Error} when a record that waits is missing */
async function assertComplete(sql: Sql, rows: readonly InboxRow[]): Promise<void> {
  for (let i = 0; i < rows.length; ) {
    const { seq, count } = rows[i] as InboxRow;
    const found: (string | undefined)[] = [];
    for (; rows[i]?.seq === seq; i += 1) found.push(rows[i]?.proof_id?.slice(3));
    if (found.length === count && found[0] !== undefined) continue;
    const [waiting] = await sql.query<{ source: string; ids: string[] }>(WAITING, [seq]);
    const missing = waiting?.ids.filter((id) => !found.includes(id.slice(3)));
    throw new Error(`the ${waiting?.source} ${missing?.join(' ')} is in the inbox of its log and does not exist`);
  }
}

/** The canonical record up to its previousHash. */
function recordOf({ record }: InboxRow): string | Buffer {
  const stored = readEscaped(record);
  return typeof stored === 'string' ? unpackRecordText(stored) : unpackRecord(stored);
}

/** Zones of one batch. Only a log with leaves of an older version lacks more than those that the batch completes. */
const MAX_ZONES = 64;

/** The zones that the log lacks with these leaves, in order and without gaps. */
async function zonesWith(sql: Sql, log: LogRow, added: readonly InboxRow[]): Promise<Zone[]> {
  const [size, from] = [Number(log.size), Number(log.in_zones ?? 0)];
  // More zones than leaves: the tables do not fit together, which the auditor reports.
  if (size < from || size + added.length - from < ZONE) return [];
  const to = Math.min(size, from + MAX_ZONES * ZONE);
  const known = to === from ? [] : await sql.query<ZoneRow>(ZONE_LEAVES, [log.log_id, from, to]);
  const leaves = [...known, ...(to === size ? added : [])];
  return zonesOf(
    from,
    leaves.map((row) => ({ event: row.event, entityId: row.entity_id, occurredAtMs: row.occurred_ms })),
  );
}

interface Appended {
  /** Number of leaves; fewer than MAX_BATCH: the inbox is empty. */
  readonly count: number;
  /** Added to the traces of the records' requests after the commit. */
  readonly spans: readonly RecordSpan[];
  /** To be called after the commit. */
  readonly remember?: () => void;
}

/** Appends one batch. */
async function appendBatch(
  sql: Sql,
  owner: OwnerColumns,
  { nowMs, logHost, chainHeads }: AppendDeps,
): Promise<Appended> {
  const startedAtMs = nowMs();
  const log = await holdLog(sql, owner, logHost);
  // No such organisation: the job is of a database before a backup was restored, or of another installation that uses the same Redis.
  if (log === undefined) return { count: 0, spans: [] };
  const rows = await sql.query<InboxRow>(TAKE, owner);
  // Those of one row of the inbox keep their order.
  rows.sort((a, b) => Number(a.seq) - Number(b.seq));
  if (rows.length === 0) return { count: 0, spans: [] };
  await assertComplete(sql, rows);
  const size = Number(log.size);
  const entities = rows.map((row) => row.entity_id);
  const heads = await readHeads(sql, owner, entities, chainHeads?.of(log));
  const leaves = rows.map((row, i) => {
    const head = heads.get(row.entity_id) ?? { chainIndex: -1, eventHash: NO_PREVIOUS };
    const hashes = hashRecord(recordOf(row), head.eventHash);
    const chainIndex = head.chainIndex + 1;
    heads.set(row.entity_id, { chainIndex, eventHash: hashes.eventHash });
    return { row, index: size + i, chainIndex, previousHash: head.eventHash, hashes };
  });
  const { frontier, nodes } = grow(
    await frontierOf(sql, log),
    leaves.map((l) => l.hashes.leafHash),
  );
  const zones = await zonesWith(sql, log, rows);
  const after: LogState = { log_id: log.log_id, size: String(frontier.size), frontier: Buffer.concat(frontier.hashes) };
  await sql.query(APPEND, [
    log.log_id,
    ...owner,
    size,
    new Date(nowMs()).toISOString(),
    `{${[...new Set(rows.map((row) => row.seq))].join(',')}}`,
    after.size,
    after.frontier,
    ...LEAVES.values(leaves),
    ...NODES.values(nodes.filter(({ level }) => isStoredLevel(level))),
    ...ZONES.values(zones),
    ...COUNTS.values(countsOf(rows.map(({ verdict, occurred_ms: atMs }) => ({ verdict, atMs })))),
  ]);
  return {
    count: leaves.length,
    remember: () => chainHeads?.appended(heads, log, after),
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

/** Full batches in one call. A worker that stops waits for its running job, which must end even if new records keep arriving. */
const BATCHES_A_CALL = 20;

/**
 * Appends the inbox of one log, batch by batch. Several workers may run it at once: each batch locks the log's head, and a row
 * leaves the inbox in the transaction that makes it a leaf.
 * @returns whether more may wait
 */
export async function appendWaiting(
  deps: AppendDeps,
  organisationId: string,
  environment: Environment,
): Promise<boolean> {
  for (let i = 0; i < BATCHES_A_CALL; i += 1) {
    const { count, spans, remember } = await deps.db.transaction((sql) =>
      appendBatch(sql, [organisationId, environment], deps),
    );
    remember?.();
    addRecordSpans(spans);
    if (count < MAX_BATCH) return false;
  }
  return true;
}
