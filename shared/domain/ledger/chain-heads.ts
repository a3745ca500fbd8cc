// Remembers the last record of each chain of a log, so that a batch looks up only chains that this process has not appended to lately.
//
// What is remembered belongs to one state of the log: its size and the hashes of its frontier, which cover every leaf. After another
// process has appended, or a backup was restored, the state differs and all chains are looked up again.

import type { OwnerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';

// A chain continues in the next generation of the log.
const HEADS = `SELECT asked.entity_id, head.chain_index::text AS chain_index, encode(head.event_hash, 'hex') AS event_hash
    FROM unnest($3::text[]) AS asked (entity_id), LATERAL (
      SELECT last.* FROM unnest(ARRAY(SELECT log_id FROM log WHERE organisation_id = $1 AND environment = $2)) AS own (log_id), LATERAL (
        SELECT chain_index, event_hash FROM leaf WHERE leaf.log_id = own.log_id AND leaf.entity_id = asked.entity_id ORDER BY chain_index DESC LIMIT 1
      ) AS last ORDER BY last.chain_index DESC LIMIT 1
    ) AS head`;

interface HeadRow {
  readonly entity_id: string;
  readonly chain_index: string;
  readonly event_hash: string;
}

export interface ChainHead {
  readonly chainIndex: number;
  /** Lower-case hex. */
  readonly eventHash: string;
}

/** A row of `log`, read under its lock. */
export interface LogState {
  readonly log_id: number;
  readonly size: string;
  readonly frontier: Buffer;
}

export interface ChainHeads {
  /** The heads that are known in this state of the log. */
  of(log: LogState): ReadonlyMap<string, ChainHead>;
  /** After the commit of a batch: its heads, the state before it, and the one after it. */
  appended(heads: ReadonlyMap<string, ChainHead>, before: LogState, after: LogState): void;
}

/** A chain takes about 200 bytes. */
const MAX_CHAINS = 20_000;
const MAX_LOGS = 64;
const NONE: ReadonlyMap<string, ChainHead> = new Map();

interface Known extends LogState {
  readonly heads: Map<string, ChainHead>;
}

export function createChainHeads(): ChainHeads {
  const logs = new Map<number, Known>();
  const knownIn = (log: LogState): Known | undefined => {
    const known = logs.get(log.log_id);
    return known?.size === log.size && known.frontier.equals(log.frontier) ? known : undefined;
  };
  return {
    of: (log) => knownIn(log)?.heads ?? NONE,
    appended(heads, before, after) {
      const all = knownIn(before)?.heads ?? new Map<string, ChainHead>();
      for (const [entity, head] of heads) {
        // The chains that were appended to last are at the end.
        all.delete(entity);
        all.set(entity, head);
      }
      for (const entity of all.keys()) {
        if (all.size <= MAX_CHAINS) break;
        all.delete(entity);
      }
      logs.delete(after.log_id);
      logs.set(after.log_id, { log_id: after.log_id, size: after.size, frontier: after.frontier, heads: all });
      const [oldest] = logs.keys();
      if (logs.size > MAX_LOGS && oldest !== undefined) logs.delete(oldest);
    },
  };
}

/** The last record of the chain of each entity that has one. @param known those that need no look-up */
export async function readHeads(
  sql: Pick<Sql, 'query'>,
  owner: OwnerColumns,
  entities: readonly string[],
  known: ReadonlyMap<string, ChainHead> = NONE,
): Promise<Map<string, ChainHead>> {
  const heads = new Map<string, ChainHead>();
  const asked = new Set<string>();
  for (const entity of entities) {
    const head = known.get(entity);
    if (head === undefined) asked.add(entity);
    else heads.set(entity, head);
  }
  if (asked.size === 0) return heads;
  for (const row of await sql.query<HeadRow>(HEADS, [...owner, [...asked]]))
    heads.set(row.entity_id, { chainIndex: Number(row.chain_index), eventHash: row.event_hash });
  return heads;
}
