// The auditor's queries: heads, leaves with their source rows, nodes and checkpoints, by primary key and in ranges.
import { type ChainedRow, readPrevious } from './audit-previous.ts';
import { decisionIdOfProof } from '../../kernel/ids.ts';
import type { Owner } from '../../kernel/owner.ts';
import { columnMap, msSql, numeric } from '../../platform/db/columns.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import type { Sql } from '../../platform/db/database.ts';
import { SUBTREE_LEVEL, SUBTREE_LEAVES } from '../../core/proof/audit-tree.ts';
import type { AuditedRow, StoredCheckpoint } from '../../core/proof/audit.ts';
import { readRecord } from '../../core/proof/record-read.ts';
import { sealRecord } from '../../core/proof/record.ts';
import { claimsTooMuch, RETENTION_EVENT, retentionOf } from '../../core/proof/retention-record.ts';
import type { StoredNodes } from '../../core/proof/audit-nodes.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { readDroppedBefore, readErasedBefore, readSealedDrops } from '../retention/dropped.ts';
import { type DatedLeaf, readLate } from './late-rows.ts';
import { DECISION_EVENT } from '../../platform/db/leaf-sql.ts';
import { auditedDecision, auditedSource, lacksFacts, readSources, recordOf, type SourceRow } from './audit-sources.ts';

// Plans are cached while the tables are still empty; no query here may read a whole table.
const NO_SCANS = `SELECT ${BY_INDEX_ONLY}`;
// Where sorts are off, PostgreSQL before 17 answers `= ANY` with an ORDER BY from the whole order: not for statements that have both.
const NO_SORTS = `${NO_SCANS}, set_config('enable_sort', 'off', true)`;
// One statement, for one snapshot of a growing log.
const HEAD = `SELECT log.size::text AS size, log.frontier, log.origin, log.organisation_id, log.environment,
      ARRAY(SELECT own.log_id FROM log AS own WHERE own.organisation_id = log.organisation_id AND own.environment = log.environment) AS log_ids,
      (SELECT leaf_index::text FROM leaf WHERE leaf.log_id = $1 ORDER BY leaf.leaf_index LIMIT 1) AS first_leaf,
      (SELECT leaf_index::text FROM leaf WHERE leaf.log_id = $1 ORDER BY leaf.leaf_index DESC LIMIT 1) AS last_leaf,
      (SELECT size::text FROM checkpoint WHERE checkpoint.log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1) AS last_checkpoint,
      (SELECT coalesce(json_agg(json_build_array(asked.level, last.node_index)), '[]') FROM generate_series(1, 52) AS asked (level), LATERAL (
        SELECT node_index FROM node WHERE node.log_id = $1 AND node.level = asked.level ORDER BY node_index DESC LIMIT 1
      ) AS last) AS last_nodes
    FROM log WHERE log.log_id = $1`;
// The ORDER BY determines the index, before the first ANALYZE, too.
const LEAVES = `SELECT leaf_index, proof_id, entity_id, event, ${msSql('occurred_at')} AS occurred_ms, chain_index,
      encode(previous_hash, 'hex') AS previous_hash, encode(event_hash, 'hex') AS event_hash, leaf_hash
    FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 ORDER BY log_id, leaf_index`;
const HASH_BYTES = 32;
const INDEX_BYTES = 8;
type NodeRange = readonly [level: number, first: number, past: number];
const RANGES = columnMap<NodeRange>({
  level: numeric('smallint', ([level]) => level),
  first: numeric('bigint', ([, first]) => first),
  past: numeric('bigint', ([, , past]) => past),
});
// One row a level, because a row costs the driver more than a hash: the nodes as their index (8 bytes, big-endian) and hash.
const NODES = `SELECT asked.level, (
      SELECT string_agg(int8send(node_index) || hash, ''::bytea) FROM node
      WHERE log_id = $1 AND node.level = asked.level AND node_index >= asked.first AND node_index < asked.past AND length(hash) = ${HASH_BYTES}
    ) AS nodes FROM (${RANGES.rows(2)}) AS asked`;
const CHECKPOINTS =
  'SELECT size::text AS size, root, note FROM checkpoint WHERE log_id = $1 AND checkpoint.size > $2 AND checkpoint.size <= $3 ORDER BY checkpoint.size';
export interface AuditHead extends Owner {
  readonly size: number;
  /** Of all generations of the log. */
  readonly logIds: readonly number[];
  readonly frontier: Buffer;
  readonly origin: string | null;
  readonly firstLeaf: number | undefined;
  readonly lastLeaf: number | undefined;
  readonly lastCheckpoint: number | undefined;
  /** The highest node index of each level that has nodes. */
  readonly lastNodes: ReadonlyMap<number, number>;
}

const numberOf = (text: string | null): number | undefined => (text === null ? undefined : Number(text));

export async function forbidScans(sql: Sql): Promise<void> {
  await sql.query(NO_SCANS, []);
}

/** For `readLeaves`: nothing sorts what another index than its own gave. */
export async function forbidScansAndSorts(sql: Sql): Promise<void> {
  await sql.query(NO_SORTS, []);
}

/** The head in one snapshot. */
export async function readHead(sql: Sql, logId: number): Promise<AuditHead> {
  const [row] = await sql.query<{
    size: string;
    frontier: Buffer;
    origin: string | null;
    organisation_id: string;
    environment: Environment;
    log_ids: number[];
    first_leaf: string | null;
    last_leaf: string | null;
    last_checkpoint: string | null;
    last_nodes: [number, number][];
  }>(HEAD, [logId]);
  if (row === undefined) throw new Error(`there is no log ${logId}`);
  return {
    size: Number(row.size),
    frontier: row.frontier,
    origin: row.origin,
    organisationId: row.organisation_id,
    environment: row.environment,
    logIds: row.log_ids,
    firstLeaf: numberOf(row.first_leaf),
    lastLeaf: numberOf(row.last_leaf),
    lastCheckpoint: numberOf(row.last_checkpoint),
    lastNodes: new Map(row.last_nodes),
  };
}

interface LeafRow extends ChainedRow {
  readonly proof_id: string;
  readonly event: string;
  readonly occurred_ms: number;
  readonly previous_hash: string;
  readonly leaf_hash: Buffer;
}

type SourceOf = (row: LeafRow) => SourceRow | undefined;

/** A time that somebody wrote into a row may be none that JavaScript has. */
function timeOf(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString();
}

/** The leaves that something lacks, with the time of the record before each. */
function datedLeaves(rows: readonly LeafRow[], sourceOf: SourceOf, isLacking: (row: LeafRow) => boolean): DatedLeaf[] {
  const dated: DatedLeaf[] = [];
  let recordMs: number | undefined;
  for (const row of rows) {
    if (isLacking(row)) dated.push({ index: Number(row.leaf_index), proofId: row.proof_id, recordMs });
    // A column that differs from its record is a finding of its own.
    else if (sourceOf(row) !== undefined) recordMs = row.occurred_ms;
  }
  return dated;
}

/** Records of retention that state more than was dropped. The sealed rows are read after them, so they are never behind. */
async function unfoundedOf(
  sql: Sql,
  owner: Owner,
  rows: readonly LeafRow[],
  sourceOf: SourceOf,
): Promise<ReadonlySet<LeafRow>> {
  const stated = rows.filter((row) => row.event === RETENTION_EVENT && sourceOf(row) !== undefined);
  if (stated.length === 0) return new Set();
  const sealedBefore = await readSealedDrops(sql, owner);
  return new Set(
    stated.filter((row) => {
      const source = sourceOf(row);
      if (source === undefined) return false;
      // A record that can't be read is a finding of its own.
      const read = readRecord(sealRecord(recordOf(source), row.previous_hash).bytes);
      const body = 'record' in read ? retentionOf(read.record) : undefined;
      if (body === undefined || !('record' in read)) return false;
      return body.beforeId > sealedBefore(body) || claimsTooMuch(body, read.record.occurredAt);
    }),
  );
}

/**
 * The leaves [from, past), lowest first; fewer when rows are missing. Each is unpacked when it is taken: a thousand unpacked records
 * would outlive two scavenges, and then only a full collection frees them.
 */
export async function readLeaves(
  sql: Sql,
  logId: number,
  head: AuditHead,
  from: number,
  past: number,
): Promise<Iterable<AuditedRow>> {
  const rows = await sql.query<LeafRow>(LEAVES, [logId, from, past]);
  const previous = await readPrevious(sql, rows, { logId, logIds: head.logIds });
  const sourceOf = await readSources(sql, head, rows);
  const isMissing = (row: LeafRow): boolean => row.event === DECISION_EVENT && sourceOf(row) === undefined;
  const isWithoutFacts = (row: LeafRow): boolean => lacksFacts(sourceOf(row));
  // Read after the rows: a drop between two statements must not look like damage.
  const droppedBefore = rows.some(isMissing) ? await readDroppedBefore(sql, head) : '';
  const erasedBefore = rows.some(isWithoutFacts) ? await readErasedBefore(sql, head) : '';
  const unfounded = await unfoundedOf(sql, head, rows, sourceOf);
  const late = await readLate(
    sql,
    logId,
    datedLeaves(rows, sourceOf, (row) => isMissing(row) || isWithoutFacts(row)),
  );
  const auditedRow = (row: LeafRow): AuditedRow => {
    const index = Number(row.leaf_index);
    const occurredAt = timeOf(row.occurred_ms);
    // Almost always the same time, which is formatted once.
    const sourceTimeOf = (ms: number): string => (ms === row.occurred_ms ? occurredAt : timeOf(ms));
    const stored = sourceOf(row);
    const source = stored && auditedSource(stored, sourceTimeOf);
    const isLate = late.has(index);
    return {
      index,
      proofId: row.proof_id,
      entityId: row.entity_id,
      event: row.event,
      occurredAt,
      chainIndex: Number(row.chain_index),
      previousHash: row.previous_hash,
      eventHash: row.event_hash,
      leafHash: row.leaf_hash,
      source,
      isDropped: isMissing(row) && decisionIdOfProof(row.proof_id) < droppedBefore && !isLate,
      isUnfounded: unfounded.has(row),
      decision: stored && source && auditedDecision(stored, source.occurredAt, isLate ? '' : erasedBefore),
      previous: previous.get(row),
    };
  };
  return (function* () {
    for (const row of rows) yield auditedRow(row);
  })();
}

async function readNodes(sql: Sql, logId: number, ranges: readonly NodeRange[]): Promise<StoredNodes> {
  const rows = await sql.query<{ level: number; nodes: Buffer | null }>(NODES, [logId, ...RANGES.values(ranges)]);
  const levels = new Map<number, Map<number, Buffer>>();
  for (const { level, nodes } of rows) {
    const hashes = new Map<number, Buffer>();
    for (let at = 0; nodes !== null && at < nodes.length; at += INDEX_BYTES + HASH_BYTES)
      hashes.set(Number(nodes.readBigInt64BE(at)), nodes.subarray(at + INDEX_BYTES, at + INDEX_BYTES + HASH_BYTES));
    levels.set(level, hashes);
  }
  return (level, index) => levels.get(level)?.get(index);
}

/** The nodes over the leaves [from, past) of one subtree, up to its root. */
export function readSubtreeNodes(sql: Sql, logId: number, from: number, past: number): Promise<StoredNodes> {
  const levels = Array.from({ length: SUBTREE_LEVEL }, (_, i) => i + 1);
  return readNodes(
    sql,
    logId,
    levels.map((level) => [level, from / 2 ** level, Math.floor(past / 2 ** level)] as const),
  );
}

/** The nodes above the subtrees. */
export function readUpperNodes(sql: Sql, logId: number, size: number): Promise<StoredNodes> {
  const ranges: NodeRange[] = [];
  for (let level = SUBTREE_LEVEL + 1; 2 ** level <= size; level += 1)
    ranges.push([level, 0, Math.floor(size / 2 ** level)]);
  return ranges.length === 0 ? Promise.resolve(() => undefined) : readNodes(sql, logId, ranges);
}

/** Checkpoints with sizes in (after, upTo]. */
export async function readCheckpoints(
  sql: Sql,
  logId: number,
  after: number,
  upTo: number,
): Promise<StoredCheckpoint[]> {
  const rows = await sql.query<{ size: string; root: Buffer; note: string }>(CHECKPOINTS, [logId, after, upTo]);
  return rows.map(({ size, root, note }) => ({ size: Number(size), root, note }));
}

/** How many complete subtrees a log of this size has. */
export const completeSubtrees = (size: number): number => Math.floor(size / SUBTREE_LEAVES);
