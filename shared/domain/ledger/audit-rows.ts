// The auditor's queries: heads, leaves with their source rows, nodes and checkpoints, by primary key and in ranges.
import { type ChainedRow, readPrevious } from './audit-previous.ts';
import { decisionIdOfProof } from '../../kernel/ids.ts';
import { unpackFacts } from '../../core/decision/packed-facts.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import type { Owner } from '../../kernel/owner.ts';
import { columnMap, numeric } from '../../platform/db/columns.ts';
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
import { DECISION_EVENT, decisionIdOf, isDecision, proofOf } from '../../platform/db/leaf-sql.ts';

// Plans are cached while the tables are still empty; no query here may read a whole table.
const NO_SCANS = `SELECT ${BY_INDEX_ONLY}`;
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
// Each ORDER BY determines the index, also for a single row, which is searched as a range from its id to its id. Without it, and
// before the first ANALYZE, the planner may choose an index with which all leaves of the log, or all decisions of an agent, are
// read for each row: 480 microseconds a leaf against 25, as long as the plan is cached.
const LEAVES = `SELECT leaf.leaf_index::text AS leaf_index, leaf.proof_id, leaf.entity_id, leaf.event, leaf.occurred_at, leaf.chain_index::text AS chain_index,
      encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, leaf.leaf_hash,
      found.proof_id AS source_proof_id, found.entity_id AS source_entity_id, found.event AS source_event, found.occurred_at AS source_occurred_at, found.record,
      found.decision_id, found.key_id, found.verdict, found.policy_digest, found.request_id, found.tool_server, found.tool_name, found.reasons, found.facts, found.facts_salt
    FROM leaf
    LEFT JOIN LATERAL (
      SELECT coalesce(proof_id, ${proofOf('decision')}) AS proof_id, agent_id AS entity_id, 'custos.decision' AS event, evaluated_at AS occurred_at, record, decision_id, key_id, verdict, policy_digest, request_id, tool_server, tool_name, reasons, facts, facts_salt FROM (
        SELECT * FROM decision WHERE organisation_id = $4 AND environment = $5 AND decision_id >= ${decisionIdOf('leaf')} AND decision_id <= ${decisionIdOf('leaf')}
        ORDER BY organisation_id, environment, decision_id LIMIT 1
      ) AS decision
      WHERE ${isDecision('leaf')}
      UNION ALL SELECT proof_id, entity_id, event, occurred_at, record, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (
        SELECT * FROM record WHERE organisation_id = $4 AND environment = $5 AND proof_id >= leaf.proof_id AND proof_id <= leaf.proof_id
        ORDER BY organisation_id, environment, proof_id LIMIT 1
      ) AS record
      WHERE NOT ${isDecision('leaf')}
      LIMIT 1
    ) AS found ON true
    WHERE leaf.log_id = $1 AND leaf.leaf_index >= $2 AND leaf.leaf_index < $3 ORDER BY leaf.leaf_index`;
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
  proof_id: string;
  event: string;
  occurred_at: Date;
  previous_hash: string;
  leaf_hash: Buffer;
  source_proof_id: string;
  source_entity_id: string;
  source_event: string;
  source_occurred_at: Date | null;
  record: Buffer | null;
  decision_id: string | null;
  key_id: string;
  verdict: string;
  policy_digest: string | null;
  request_id: string | null;
  tool_server: string | null;
  reasons: string | null;
  tool_name: string | null;
  facts: Buffer | null;
  facts_salt: Buffer | null;
}

function sourceOf(row: LeafRow, occurredAt: string): AuditedRow['source'] {
  if (row.record === null) return undefined;
  return {
    proofId: row.source_proof_id,
    entityId: row.source_entity_id,
    event: row.source_event,
    occurredAt,
    record: unpackRecord(row.record),
  };
}

function decisionOf(row: LeafRow, evaluatedAt: string, erasedBefore: string): AuditedRow['decision'] {
  if (row.decision_id === null) return undefined;
  return {
    decisionId: row.decision_id,
    agentId: row.source_entity_id,
    keyId: row.key_id,
    verdict: row.verdict,
    evaluatedAt,
    policyDigest: row.policy_digest,
    requestId: row.request_id,
    toolServer: row.tool_server,
    toolName: row.tool_name,
    reasons: row.reasons,
    facts: row.facts && unpackFacts(row.facts),
    factsSalt: row.facts_salt,
    mayLackFacts: row.decision_id < erasedBefore,
  };
}

/** The leaves that something lacks, with the time of the record before each. */
function datedLeaves(rows: readonly LeafRow[], isLacking: (row: LeafRow) => boolean): DatedLeaf[] {
  const dated: DatedLeaf[] = [];
  let recordMs: number | undefined;
  for (const row of rows) {
    if (isLacking(row)) dated.push({ index: Number(row.leaf_index), proofId: row.proof_id, recordMs });
    // A column that differs from its record is a finding of its own.
    else if (row.record !== null) recordMs = row.occurred_at.getTime();
  }
  return dated;
}

/** Records of retention that state more than was dropped. The sealed rows are read after them, so they are never behind. */
async function unfoundedOf(sql: Sql, owner: Owner, rows: readonly LeafRow[]): Promise<ReadonlySet<LeafRow>> {
  const stated = rows.filter(({ event, record }) => event === RETENTION_EVENT && record !== null);
  if (stated.length === 0) return new Set();
  const sealedBefore = await readSealedDrops(sql, owner);
  return new Set(
    stated.filter(({ record, previous_hash: previousHash }) => {
      // Checked above. A record that can't be read is a finding of its own.
      const read = readRecord(sealRecord(record ?? '', previousHash).bytes);
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
  const rows = await sql.query<LeafRow>(LEAVES, [logId, from, past, head.organisationId, head.environment]);
  const previous = await readPrevious(sql, rows, { logId, logIds: head.logIds });
  const lacksFacts = (row: LeafRow): boolean => row.decision_id !== null && row.facts === null;
  const isMissing = (row: LeafRow): boolean => row.record === null && row.event === DECISION_EVENT;
  // Read after the rows: a drop between two statements must not look like damage.
  const droppedBefore = rows.some(isMissing) ? await readDroppedBefore(sql, head) : '';
  const erasedBefore = rows.some(lacksFacts) ? await readErasedBefore(sql, head) : '';
  const unfounded = await unfoundedOf(sql, head, rows);
  const late = await readLate(
    sql,
    logId,
    datedLeaves(rows, (row) => isMissing(row) || lacksFacts(row)),
  );
  const auditedRow = (row: LeafRow): AuditedRow => {
    const occurredAt = row.occurred_at.toISOString();
    const recordedAt = row.source_occurred_at;
    // Almost always the same time; formatting it once saves a tenth of the cost of a row.
    const sourceAt =
      recordedAt?.getTime() === row.occurred_at.getTime() ? occurredAt : (recordedAt?.toISOString() ?? '');
    return {
      index: Number(row.leaf_index),
      proofId: row.proof_id,
      entityId: row.entity_id,
      event: row.event,
      occurredAt,
      chainIndex: Number(row.chain_index),
      previousHash: row.previous_hash,
      eventHash: row.event_hash,
      leafHash: row.leaf_hash,
      source: sourceOf(row, sourceAt),
      isDropped: isMissing(row) && decisionIdOfProof(row.proof_id) < droppedBefore && !late.has(Number(row.leaf_index)),
      isUnfounded: unfounded.has(row),
      decision: decisionOf(row, sourceAt, late.has(Number(row.leaf_index)) ? '' : erasedBefore),
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
