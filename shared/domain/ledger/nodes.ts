// Reads nodes of a log's tree: all nodes of a proof in one query of O(log n) rows.
import { columnMap, numeric } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import { consistencyPath, inclusionPath, type NodeReader } from '../../core/proof/merkle.ts';
import { type Frontier, frontierNodes, frontierRoot } from '../../core/proof/frontier.ts';

const ASKED = columnMap<{ readonly level: number; readonly index: number }>({
  level: numeric('smallint', (node) => node.level),
  node_index: numeric('bigint', (node) => node.index),
});
// One look-up by primary key for each node, forced by LIMIT in a lateral subquery. Plans of plain joins, cached while the tables were
// empty, read all nodes of the log for a path of twenty.
const READ = `SELECT asked.level, asked.node_index::text AS node_index, found.hash
    FROM (${ASKED.rows(3)}) AS asked, LATERAL (
      SELECT hash FROM node WHERE log_id = $1 AND level = asked.level AND node_index = asked.node_index LIMIT 1
    ) AS found
    UNION ALL
    SELECT 0, asked.leaf_index::text, found.leaf_hash FROM unnest($2::bigint[]) AS asked (leaf_index), LATERAL (
      SELECT leaf_hash FROM leaf WHERE log_id = $1 AND leaf_index = asked.leaf_index LIMIT 1
    ) AS found`;

interface Row {
  level: number;
  node_index: string;
  hash: Buffer;
}

/** The log lacks a node: the size is larger than the tree, or rows are missing. */
export class MissingNodeError extends Error {}

/** Runs a computation over nodes twice: first to collect the nodes that it needs, then with them. */
async function withNodes<T>(sql: Sql, logId: number, compute: (node: NodeReader) => T): Promise<T> {
  const needed: { level: number; index: number }[] = [];
  const placeholder = new Uint8Array(32);
  compute((level, index) => {
    needed.push({ level, index });
    return placeholder;
  });
  const rows =
    needed.length === 0
      ? []
      : await sql.query<Row>(READ, [
          logId,
          needed.filter(({ level }) => level === 0).map(({ index }) => index),
          ...ASKED.values(needed.filter(({ level }) => level > 0)),
        ]);
  const found = new Map(rows.map((row) => [`${row.level} ${row.node_index}`, row.hash]));
  return compute((level, index) => {
    const hash = found.get(`${level} ${index}`);
    if (hash === undefined) throw new MissingNodeError(`log ${logId} has no node ${index} of level ${level}`);
    return hash;
  });
}

/** @throws {MissingNodeError} when the tree is smaller than `size` or damaged; {RangeError} when index and size do not fit */
export function readInclusionPath(sql: Sql, logId: number, index: number, size: number): Promise<Uint8Array[]> {
  return withNodes(sql, logId, (node) => inclusionPath(index, size, node));
}

/** @throws {MissingNodeError} {RangeError} as readInclusionPath */
export function readConsistencyPath(sql: Sql, logId: number, from: number, to: number): Promise<Uint8Array[]> {
  return withNodes(sql, logId, (node) => consistencyPath(from, to, node));
}

/** The frontier of the tree of the first `size` leaves. @throws {MissingNodeError} */
export function readFrontier(sql: Sql, logId: number, size: number): Promise<Frontier> {
  return withNodes(sql, logId, (node) => ({
    size,
    hashes: frontierNodes(size).map(({ level, index }) => node(level, index)),
  }));
}

/** The roots of the trees of the first `sizes` leaves each, from stored nodes, in one query. @throws {MissingNodeError} */
export function readRoots(sql: Sql, logId: number, sizes: readonly number[]): Promise<Uint8Array[]> {
  return withNodes(sql, logId, (node) =>
    sizes.map((size) =>
      frontierRoot({ size, hashes: frontierNodes(size).map(({ level, index }) => node(level, index)) }),
    ),
  );
}

/** The root of the tree of the first `size` leaves, from stored nodes. @throws {MissingNodeError} */
export async function readRoot(sql: Sql, logId: number, size: number): Promise<Uint8Array> {
  return frontierRoot(await readFrontier(sql, logId, size));
}

/** The root of the tree of the first `size` leaves; undefined when nodes are missing. */
export async function storedRoot(sql: Sql, logId: number, size: number): Promise<Uint8Array | undefined> {
  try {
    return await readRoot(sql, logId, size);
  } catch (error) {
    if (error instanceof MissingNodeError) return undefined;
    throw error;
  }
}
