// Reading the log: one proof, the list of them, and the chain of one entity.
import type { Database, Statement } from '../db/database.ts';
import { sealRecord } from '../proof/record.ts';
import type { Environment } from '../vocabulary.ts';

export interface Anchored {
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
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

export interface LogFilter {
  readonly organisationId: string;
  readonly environment: Environment;
  readonly entityIds?: readonly string[] | undefined;
  readonly event?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only leaves before this index. */
  readonly before?: number | undefined;
}

export interface LogReader {
  anchored(organisationId: string, environment: Environment, proofId: string): Promise<Anchored | undefined>;
  pending(organisationId: string, environment: Environment, proofId: string): Promise<Pending | undefined>;
  /** Newest first. */
  list(filter: LogFilter, limit: number): Promise<Anchored[]>;
  /** Oldest first, from a position in the chain on. */
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

const LEAF = `SELECT leaf.proof_id, leaf.event, leaf.entity_id, leaf.leaf_index::text AS leaf_index, leaf.chain_index::text AS chain_index,
    encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, leaf.occurred_at, leaf.appended_at,
    found.record`;
// By primary key, one row at a time: whatever the planner thinks a page of leaves is, it never reads all records.
const JOINS = `LEFT JOIN LATERAL (
    SELECT record FROM decision WHERE leaf.source = 'decision' AND organisation_id = $1 AND environment = $2 AND decision_id = leaf.source_id
    UNION ALL SELECT record FROM record WHERE leaf.source = 'record' AND organisation_id = $1 AND environment = $2 AND proof_id = leaf.source_id
    LIMIT 1
  ) AS found ON true`;
const OF_LOG = 'leaf.organisation_id = $1 AND leaf.environment = $2';

const BY_ID: Statement = {
  name: 'leaf-by-id',
  text: `${LEAF} FROM leaf ${JOINS} WHERE ${OF_LOG} AND leaf.proof_id = $3`,
};
const LIST_FILTER = `AND ($3::text IS NULL OR event = $3) AND ($4::timestamptz IS NULL OR occurred_at >= $4)
  AND ($5::timestamptz IS NULL OR occurred_at < $5) AND ($6::bigint IS NULL OR leaf_index < $6)`;
const LIST: Statement = {
  name: 'leaf-list',
  text: `${LEAF} FROM (SELECT * FROM leaf WHERE ${OF_LOG} ${LIST_FILTER} ORDER BY leaf_index DESC LIMIT $7) AS leaf ${JOINS} ORDER BY leaf.leaf_index DESC`,
};
const LIST_OF_ENTITIES: Statement = {
  name: 'leaf-list-of-entities',
  text: `${LEAF} FROM (SELECT * FROM leaf WHERE ${OF_LOG} AND entity_id = ANY ($8::text[]) ${LIST_FILTER} ORDER BY leaf_index DESC LIMIT $7) AS leaf ${JOINS} ORDER BY leaf.leaf_index DESC`,
};
// The order of one entity's leaves in the log is that of its chain, which has an index.
const LIST_OF_ENTITY: Statement = {
  name: 'leaf-list-of-entity',
  text: `${LEAF} FROM (SELECT * FROM leaf WHERE ${OF_LOG} AND entity_id = $8 ${LIST_FILTER} ORDER BY chain_index DESC LIMIT $7) AS leaf ${JOINS} ORDER BY leaf.chain_index DESC`,
};
const CHAIN: Statement = {
  name: 'leaf-chain',
  text: `${LEAF} FROM leaf ${JOINS} WHERE ${OF_LOG} AND leaf.entity_id = $3 AND leaf.chain_index >= $4 ORDER BY leaf.chain_index LIMIT $5`,
};
const HEAD: Statement = {
  name: 'leaf-chain-head',
  text: `SELECT chain_index::text AS chain_index, encode(event_hash, 'hex') AS event_hash FROM leaf WHERE ${OF_LOG} AND entity_id = $3 ORDER BY leaf.chain_index DESC LIMIT 1`,
};
const PENDING: Statement = {
  name: 'record-pending',
  text: `SELECT proof_id, entity_id, record, occurred_at FROM record WHERE organisation_id = $1 AND environment = $2 AND proof_id = $3
    UNION ALL SELECT proof_id, agent_id, record, evaluated_at FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = 'dec' || substr($3, 4) AND proof_id = $3`,
};

function anchoredOf(row: Row): Anchored {
  return {
    proofId: row.proof_id,
    event: row.event,
    entityId: row.entity_id,
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
      const values = [
        filter.organisationId,
        filter.environment,
        filter.event ?? null,
        filter.from ?? null,
        filter.to ?? null,
        filter.before ?? null,
        limit,
      ];
      const { entityIds } = filter;
      if (entityIds === undefined) return (await db.query<Row>(LIST, values)).map(anchoredOf);
      const rows =
        entityIds.length === 1
          ? await db.query<Row>(LIST_OF_ENTITY, [...values, entityIds[0]])
          : await db.query<Row>(LIST_OF_ENTITIES, [...values, entityIds]);
      return rows.map(anchoredOf);
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
