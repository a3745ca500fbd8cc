// Reads a log: one proof, lists of proofs, and the chain of one entity.
import type { Database } from '../../platform/db/database.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { sealRecord } from '../../core/proof/record.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { JOINS, LEAF, listLeaves, type LogFilter, ofChain } from './leaf-list.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';

export interface Anchored {
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
  readonly logId: number;
  readonly index: number;
  readonly chainIndex: number;
  /** The canonical bytes; null: retention has dropped them. */
  readonly record: Buffer | null;
  /** Lower-case hex. */
  readonly previousHash: string;
  readonly eventHash: string;
  readonly occurredAt: Date;
  readonly anchoredAt: Date;
}

export interface Pending {
  readonly proofId: string;
  readonly entityId: string;
  /** Canonical record without its previousHash. */
  readonly record: Buffer;
  readonly occurredAt: Date;
}

export interface LogReader {
  anchored(owner: Owner, proofId: string): Promise<Anchored | undefined>;
  pending(owner: Owner, proofId: string): Promise<Pending | undefined>;
  /** Newest first. */
  list(filter: LogFilter, limit: number): Promise<Anchored[]>;
  /** Oldest first, starting at a position in the chain. */
  chain(owner: Owner, entityId: string, from: number, limit: number): Promise<Anchored[]>;
  chainHead(owner: Owner, entityId: string): Promise<ChainHead | undefined>;
}

export interface ChainHead {
  readonly chainIndex: number;
  /** Lower-case hex. */
  readonly eventHash: string;
}

interface Row {
  log_id: number;
  proof_id: string;
  event: string;
  entity_id: string;
  leaf_index: string;
  chain_index: string;
  previous_hash: string;
  event_hash: string;
  occurred_at: Date;
  appended_at: Date;
  record: Buffer | null;
}

const BY_ID = `${LEAF} FROM ${leafOf('$1', '$2', '$3')} AS leaf ${JOINS}`;
const CHAIN = `${LEAF} FROM ${ofChain('*', 'leaf.entity_id = $3 AND leaf.chain_index >= $4', 'ASC', '$5')} AS leaf ${JOINS} ORDER BY leaf.chain_index`;
const HEAD = `SELECT chain_index::float8 AS "chainIndex", encode(event_hash, 'hex') AS "eventHash" FROM ${ofChain('*', 'leaf.entity_id = $3', 'DESC', '1')} AS head`;
const PENDING = `SELECT proof_id AS "proofId", entity_id AS "entityId", record, occurred_at AS "occurredAt" FROM record WHERE organisation_id = $1 AND environment = $2 AND proof_id = $3
    UNION ALL SELECT $3, agent_id, record, evaluated_at FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = 'dec' || substr($3, 4) AND left($3, 3) = 'prf'`;

function anchoredOf(row: Row): Anchored {
  return {
    proofId: row.proof_id,
    event: row.event,
    entityId: row.entity_id,
    logId: row.log_id,
    index: Number(row.leaf_index),
    chainIndex: Number(row.chain_index),
    record: row.record && sealRecord(unpackRecord(row.record), row.previous_hash).bytes,
    previousHash: row.previous_hash,
    eventHash: row.event_hash,
    occurredAt: row.occurred_at,
    anchoredAt: row.appended_at,
  };
}

export function createLogReader({ db }: { readonly db: Database }): LogReader {
  return {
    async anchored(owner, proofId) {
      const [row] = await db.query<Row>(BY_ID, [...ownerColumns(owner), proofId]);
      return row && anchoredOf(row);
    },
    async pending(owner, proofId) {
      const [row] = await db.query<Pending>(PENDING, [...ownerColumns(owner), proofId]);
      return row && { ...row, record: unpackRecord(row.record) };
    },
    list: async (filter, limit) => (await db.query<Row>(...listLeaves(filter, limit))).map(anchoredOf),
    async chain(owner, entityId, from, limit) {
      return (await db.query<Row>(CHAIN, [...ownerColumns(owner), entityId, from, limit])).map(anchoredOf);
    },
    chainHead: async (owner, entityId) => (await db.query<ChainHead>(HEAD, [...ownerColumns(owner), entityId]))[0],
  };
}
