// Reads a log: one proof, lists of proofs, and the chain of one entity.
import type { Database } from '../../platform/db/database.ts';
import { sealRecord } from '../../core/proof/record.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { JOINS, LEAF, listLeaves, type LogFilter, OF_LOG } from './leaf-list.ts';

export interface Anchored {
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
  readonly logId: number;
  readonly index: number;
  readonly chainIndex: number;
  /** The canonical bytes. */
  readonly record: Buffer;
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
  anchored(organisationId: string, environment: Environment, proofId: string): Promise<Anchored | undefined>;
  pending(organisationId: string, environment: Environment, proofId: string): Promise<Pending | undefined>;
  /** Newest first. */
  list(filter: LogFilter, limit: number): Promise<Anchored[]>;
  /** Oldest first, starting at a position in the chain. */
  chain(
    organisationId: string,
    environment: Environment,
    entityId: string,
    from: number,
    limit: number,
  ): Promise<Anchored[]>;
  chainHead(
    organisationId: string,
    environment: Environment,
    entityId: string,
  ): Promise<{ chainIndex: number; eventHash: string } | undefined>;
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
  record: Buffer;
}

const BY_ID = `${LEAF} FROM leaf ${JOINS} WHERE ${OF_LOG} AND leaf.proof_id = $3`;
const CHAIN = `${LEAF} FROM leaf ${JOINS} WHERE ${OF_LOG} AND leaf.entity_id = $3 AND leaf.chain_index >= $4 ORDER BY leaf.chain_index LIMIT $5`;
const HEAD = `SELECT chain_index::text AS chain_index, encode(event_hash, 'hex') AS event_hash FROM leaf WHERE ${OF_LOG} AND entity_id = $3 ORDER BY leaf.chain_index DESC LIMIT 1`;
const PENDING = `SELECT proof_id, entity_id, record, occurred_at FROM record WHERE organisation_id = $1 AND environment = $2 AND proof_id = $3
    UNION ALL SELECT proof_id, agent_id, record, evaluated_at FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = 'dec' || substr($3, 4) AND proof_id = $3`;

function anchoredOf(row: Row): Anchored {
  return {
    proofId: row.proof_id,
    event: row.event,
    entityId: row.entity_id,
    logId: row.log_id,
    index: Number(row.leaf_index),
    chainIndex: Number(row.chain_index),
    record: sealRecord(row.record, row.previous_hash).bytes,
    previousHash: row.previous_hash,
    eventHash: row.event_hash,
    occurredAt: row.occurred_at,
    anchoredAt: row.appended_at,
  };
}

export function createLogReader(deps: { db: Database }): LogReader {
  const { db } = deps;
  return {
    async anchored(organisationId, environment, proofId) {
      const [row] = await db.query<Row>(BY_ID, [organisationId, environment, proofId]);
      return row === undefined ? undefined : anchoredOf(row);
    },
    async pending(organisationId, environment, proofId) {
      const [row] = await db.query<{ proof_id: string; entity_id: string; record: Buffer; occurred_at: Date }>(
        PENDING,
        [organisationId, environment, proofId],
      );
      if (row === undefined) return undefined;
      return { proofId: row.proof_id, entityId: row.entity_id, record: row.record, occurredAt: row.occurred_at };
    },
    async list(filter, limit) {
      return (await db.query<Row>(...listLeaves(filter, limit))).map(anchoredOf);
    },
    async chain(organisationId, environment, entityId, from, limit) {
      return (await db.query<Row>(CHAIN, [organisationId, environment, entityId, from, limit])).map(anchoredOf);
    },
    async chainHead(organisationId, environment, entityId) {
      const [row] = await db.query<{ chain_index: string; event_hash: string }>(HEAD, [
        organisationId,
        environment,
        entityId,
      ]);
      return row === undefined ? undefined : { chainIndex: Number(row.chain_index), eventHash: row.event_hash };
    },
  };
}
