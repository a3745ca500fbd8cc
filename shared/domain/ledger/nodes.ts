// Reads nodes of a log's tree: all hashes of a proof in one query of O(log n) ranges.
import { columnMap, numeric } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import { consistencyPath, inclusionPath, type NodeReader, rootFromLeafHashes } from '../../core/proof/merkle.ts';
import { type Frontier, frontierNodes, frontierRoot } from '../../core/proof/frontier.ts';
import { MOST_UNDER, type StoredRange, storedUnder } from '../../core/proof/stored-levels.ts';

const HASH_BYTES = 32;
const ASKED = columnMap<StoredRange>({
  level: numeric('smallint', (range) => range.level),
  first: numeric('bigint', (range) => range.first),
  past: numeric('bigint', (range) => range.past),
});
// One range scan of a primary key for each range, forced by ORDER BY and LIMIT. Plans of plain joins, cached while the tables were
// empty, read all nodes of the log for a path of twenty.
const hashesIn = (table: 'leaf' | 'node', hash: string, index: string, key: string): string =>
  `(SELECT string_agg(hash, ''::bytea) FROM (
        SELECT ${hash} AS hash FROM ${table} WHERE log_id = $1 ${table === 'node' ? 'AND level = asked.level' : ''} AND ${index} >= asked.first AND ${index} < asked.past
        ORDER BY ${key} LIMIT ${MOST_UNDER}
      ) AS one)`;
const READ = `SELECT CASE WHEN asked.level = 0 THEN ${hashesIn('leaf', 'leaf_hash', 'leaf_index', 'log_id, leaf_index')}
      ELSE ${hashesIn('node', 'hash', 'node_index', 'log_id, level, node_index')} END AS hashes
    FROM (${ASKED.rows(2)}) AS asked ORDER BY asked.ordinal`;

/** The log lacks a node: the size is larger than the tree, or rows are missing. */
export class MissingNodeError extends Error {}

const nameOf = ({ level, first, past }: StoredRange): string => `${level} ${first} ${past}`;

/** Runs a computation over nodes twice: first to collect the hashes that it needs, then with them. */
async function withNodes<T>(sql: Sql, logId: number, compute: (node: NodeReader) => T): Promise<T> {
  const asked = new Map<string, StoredRange>();
  const placeholder = new Uint8Array(HASH_BYTES);
  compute((level, index) => {
    const range = storedUnder(level, index);
    asked.set(nameOf(range), range);
    return placeholder;
  });
  const rows =
    asked.size === 0
      ? []
      : await sql.query<{ hashes: Buffer | null }>(READ, [logId, ...ASKED.values([...asked.values()])]);
  const found = new Map([...asked.keys()].map((name, i) => [name, rows[i]?.hashes]));
  return compute((level, index) => {
    const range = storedUnder(level, index);
    const count = range.past - range.first;
    const hashes = found.get(nameOf(range));
    if (hashes?.length !== count * HASH_BYTES)
      throw new MissingNodeError(`log ${logId} lacks hashes under node ${index} of level ${level}`);
    return rootFromLeafHashes(
      Array.from({ length: count }, (_, i) => hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
    );
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
