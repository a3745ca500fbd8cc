// Reading the log: one proof, the list of them, and the chain of one entity.
import type { Database, Statement } from '../db/database.ts';
import { sealRecord } from '../proof/record.ts';
import type { Environment } from '../vocabulary.ts';

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

/** Where a leaf is among those of an organisation and environment: logs have numbers that rise, and a log that was opened anew counts its leaves from 0. */
export interface LeafPlace {
  readonly logId: number;
  readonly index: number;
}

export interface LogFilter {
  readonly organisationId: string;
  readonly environment: Environment;
  readonly entityIds?: readonly string[] | undefined;
  readonly event?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only what stands before this leaf. */
  readonly before?: LeafPlace | undefined;
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

const LEAF = `SELECT leaf.proof_id, leaf.event, leaf.entity_id, leaf.leaf_index::text AS leaf_index, leaf.log_id, leaf.chain_index::text AS chain_index,
    encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, leaf.occurred_at, leaf.appended_at,
    found.record`;
// By primary key, one row at a time: whatever the planner thinks a page of leaves is, it never reads all records.
const JOINS = `LEFT JOIN LATERAL (
    SELECT record FROM decision WHERE leaf.source = 'decision' AND organisation_id = $1 AND environment = $2 AND decision_id = leaf.source_id
    UNION ALL SELECT record FROM record WHERE leaf.source = 'record' AND organisation_id = $1 AND environment = $2 AND proof_id = leaf.source_id
    LIMIT 1
  ) AS found ON true`;
/** No index of a leaf is as high. */
const HIGHEST = '9223372036854775807';
const OF_LOG = 'leaf.organisation_id = $1 AND leaf.environment = $2';

const BY_ID: Statement = {
  name: 'leaf-by-id',
  text: `${LEAF} FROM leaf ${JOINS} WHERE ${OF_LOG} AND leaf.proof_id = $3`,
};
/**
 * Newest first: a statement of its own for each kind of question, with only conditions that bind. Each log is a range of
 * its leaves, and each entity one of its chain, whose order is that of the log; so a page costs the same among a million
 * leaves as among ten, unless it is of an event or a time that is rare among them.
 */
export function listLeaves(filter: LogFilter, limit: number): [statement: Statement, values: unknown[]] {
  const { organisationId, environment, entityIds, event, from, to, before } = filter;
  const values: unknown[] = [organisationId, environment, limit];
  const at = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const kinds: string[] = [];
  const add = (kind: string, condition: string): void => {
    kinds.push(kind);
    conditions.push(condition);
  };
  if (event !== undefined) add('event', `leaf.event = ${at(event)}`);
  if (from !== undefined) add('from', `leaf.occurred_at >= ${at(from)}`);
  if (to !== undefined) add('to', `leaf.occurred_at < ${at(to)}`);
  const kindOf = (what: string): string => ['leaf-list', what, ...kinds].join('-');
  const page = (own: string, order: string): string =>
    `SELECT leaf.* FROM leaf WHERE ${[own, ...conditions].join(' AND ')} ORDER BY leaf.${order} DESC LIMIT $3`;
  const whole = (parts: string, order: string): string =>
    `${LEAF} FROM (SELECT part.* FROM ${parts} ORDER BY ${order} LIMIT $3) AS leaf ${JOINS} ORDER BY ${order.replaceAll('part.', 'leaf.')}`;
  const newest = 'part.log_id DESC, part.leaf_index DESC';
  const isOfAll = conditions.length === 0;
  if (before !== undefined && (entityIds !== undefined || !isOfAll))
    add('before', `(leaf.log_id, leaf.leaf_index) < (${at(before.logId)}, ${at(before.index)}::bigint)`);
  if (entityIds === undefined && !isOfAll) {
    // What is rare among all leaves may be found faster without an index: that is left to the planner.
    const text = `SELECT leaf.* FROM leaf WHERE ${[OF_LOG, ...conditions].join(' AND ')} ORDER BY leaf.log_id DESC, leaf.leaf_index DESC LIMIT $3`;
    return [{ name: kindOf('some'), text: whole(`(${text}) AS part`, newest) }, values];
  }
  if (entityIds === undefined) {
    // The logs' own bound, and the place in the log that the page before ended in.
    let own = 'leaf.log_id = own.log_id';
    let logs = 'log.organisation_id = $1 AND log.environment = $2';
    if (before !== undefined) {
      const logId = at(before.logId);
      kinds.push('before');
      logs += ` AND log.log_id <= ${logId}`;
      own += ` AND leaf.leaf_index < CASE WHEN own.log_id = ${logId} THEN ${at(before.index)}::bigint ELSE ${HIGHEST}::bigint END`;
    }
    const parts = `(SELECT log.log_id FROM log WHERE ${logs}) AS own CROSS JOIN LATERAL (${page(own, 'leaf_index')}) AS part`;
    return [{ name: kindOf('all'), text: whole(parts, newest) }, values];
  }
  const parts = `unnest(${at([...new Set(entityIds)])}::text[]) AS one (entity) CROSS JOIN LATERAL (${page(`${OF_LOG} AND leaf.entity_id = one.entity`, 'chain_index')}) AS part`;
  return [{ name: kindOf('entities'), text: whole(parts, newest) }, values];
}

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
