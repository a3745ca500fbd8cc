// Lists leaves, newest first, with a separate statement for each combination of filters.
import type { Statement } from '../../platform/db/database.ts';
import type { Owner } from '../../kernel/owner.ts';
import { decisionIdOf, isDecision, logsOf } from '../../platform/db/leaf-sql.ts';
import { leafMark, ZONE } from './zones.ts';

/** The position of a leaf in an organisation and environment: later generations of the log have higher ids, and count leaves from 0. */
export interface LeafPlace {
  readonly logId: number;
  readonly index: number;
}

export interface LogFilter extends Owner {
  readonly entityIds?: readonly string[] | undefined;
  readonly event?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only leaves before this one. */
  readonly before?: LeafPlace | undefined;
}

/** The columns of a leaf (alias `leaf`) and of its record. */
export const LEAF = `SELECT leaf.proof_id, leaf.event, leaf.entity_id, leaf.leaf_index::text AS leaf_index, leaf.log_id, leaf.chain_index::text AS chain_index,
    encode(leaf.previous_hash, 'hex') AS previous_hash, encode(leaf.event_hash, 'hex') AS event_hash, leaf.occurred_at, leaf.appended_at,
    found.record`;
// By primary key, one row at a time, so that no plan reads all records.
export const JOINS = `LEFT JOIN LATERAL (
    SELECT record FROM decision WHERE ${isDecision('leaf')} AND organisation_id = $1 AND environment = $2 AND decision_id = ${decisionIdOf('leaf')}
    UNION ALL SELECT record FROM record WHERE NOT ${isDecision('leaf')} AND organisation_id = $1 AND environment = $2 AND proof_id = leaf.proof_id
    LIMIT 1
  ) AS found ON true`;
/** Leaves of an entity in all generations of the log of $1 and $2, at most `most` of them. A chain continues in the next generation. */
export const ofChain = (columns: string, where: string, order: 'ASC' | 'DESC', most: string): string => `(
    SELECT part.* FROM ${logsOf('$1', '$2')} AS own CROSS JOIN LATERAL (
      SELECT ${columns} FROM leaf WHERE leaf.log_id = own.log_id AND ${where} ORDER BY leaf.chain_index ${order} LIMIT ${most}
    ) AS part ORDER BY part.chain_index ${order} LIMIT ${most}
  )`;

/** Leaves of the chains of all requested entities that are read one by one before zones are used. */
const WALK = 4_000;

/** Placeholders of the filter's values in the statement; `marks` select the zones that may contain matches. */
interface Places {
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: { readonly logId: string; readonly index: string };
  readonly entities?: string;
  readonly marks?: string;
}

/**
 * A page takes about the same time among a million leaves as among ten, with any filter. Without a filter it is a range scan of the
 * log's leaves. The newest leaves of an entity are at the end of its chain, which has the order of the log. Filters on all
 * entities, and chains without enough matches, are read zone by zone (migration 0010), newest first, skipping zones that cannot
 * contain matches.
 */
export function listLeaves(filter: LogFilter, limit: number): [statement: Statement, values: unknown[]] {
  const { organisationId, environment, entityIds, event, from, to, before } = filter;
  const values: unknown[] = [organisationId, environment, limit];
  const at = (value: unknown): string => `$${values.push(value)}`;
  const places: Places = {
    ...(event === undefined ? {} : { event: at(event) }),
    ...(from === undefined ? {} : { from: at(from) }),
    ...(to === undefined ? {} : { to: at(to) }),
    ...(before === undefined ? {} : { before: { logId: at(before.logId), index: at(before.index) } }),
  };
  if (entityIds !== undefined) {
    const asked = [...new Set(entityIds)];
    const entities = `${at(asked)}::text[]`;
    const marks = `${at(asked.map((entityId) => leafMark(event ?? '', entityId)))}::integer[]`;
    const most = at(Math.max(limit, Math.floor(WALK / Math.max(asked.length, 1))));
    return [ofEntities({ ...places, entities, marks }, most), values];
  }
  if (Object.keys(places).every((name) => name === 'before'))
    return [
      whole([], `SELECT part.* FROM ${logs(places)} CROSS JOIN LATERAL (${range('own', '', '$3')}) AS part`),
      values,
    ];
  const marks = event === undefined ? {} : { marks: `${at([leafMark(event, '')])}::integer[]` };
  return [whole([walk({ ...places, ...marks })], WALKED), values];
}

const NEWEST = 'part.log_id DESC, part.leaf_index DESC';

/** One page of the union of several parts, with the records. */
function whole(before: readonly string[], parts: string): string {
  const prepared = before.length === 0 ? '' : `WITH RECURSIVE ${before.join(', ')} `;
  return `${prepared}${LEAF} FROM (SELECT part.* FROM (${parts}) AS part ORDER BY ${NEWEST} LIMIT $3) AS leaf ${JOINS} ORDER BY ${NEWEST.replaceAll('part.', 'leaf.')}`;
}

/** The logs, and where a page ends in each (exclusive). */
function logs({ before }: Places): string {
  const [bound, older] =
    before === undefined
      ? ['size', '']
      : [
          `CASE WHEN log_id = ${before.logId} THEN least(${before.index}::bigint, size) ELSE size END`,
          `AND log_id <= ${before.logId}`,
        ];
  return `(SELECT log_id, ${bound} AS bound FROM log WHERE organisation_id = $1 AND environment = $2 ${older}) AS own`;
}

/** Leaves of a log by its primary key, newest first. */
function range(of: 'own' | 'walk', more: string, most: string): string {
  return `SELECT * FROM leaf WHERE log_id = ${of}.log_id AND leaf_index < ${of}.bound ${more} ORDER BY leaf_index DESC LIMIT ${most}`;
}

/** The conditions of the filter other than the position. */
function conditionsOf({ event, entities, from, to }: Places): string {
  const conditions: string[] = [];
  if (event !== undefined) conditions.push(`leaf.event = ${event}`);
  if (entities !== undefined) conditions.push(`leaf.entity_id = ANY (${entities})`);
  if (from !== undefined) conditions.push(`leaf.occurred_at >= ${from}::timestamptz`);
  if (to !== undefined) conditions.push(`leaf.occurred_at < ${to}::timestamptz`);
  return conditions.join(' AND ');
}

/**
 * Reads the leaves that are newer than all zones, then one matching zone after the other, until each log has a full page. It is a
 * recursive query, so that PostgreSQL works in these steps: any other plan would read every leaf first.
 */
function walk(places: Places, onlyIf = 'true'): string {
  const { from, to, marks } = places;
  const may: string[] = [];
  if (marks !== undefined)
    may.push(
      `EXISTS (SELECT FROM unnest(${marks}) AS asked (mark) WHERE zone.marks[width_bucket(asked.mark, zone.marks)] = asked.mark)`,
    );
  if (from !== undefined) may.push(`zone.latest >= ${from}::timestamptz`);
  if (to !== undefined) may.push(`zone.earliest < ${to}::timestamptz`);
  // The limit is the size of a zone, and conditions apply after it, because the planner could otherwise choose a worse index.
  // OFFSET 0 makes the look-up of the next zone run once, and not at each reference to its result.
  const leaves = range(
    'walk',
    `AND leaf_index >= next.first_index AND leaf_index < next.first_index + ${ZONE}`,
    `${ZONE}`,
  );
  return `walk AS (
      SELECT log_id, bound, (bound + ${ZONE - 1}) / ${ZONE} * ${ZONE} AS first_index,
        coalesce((SELECT max(first_index) + ${ZONE} FROM leaf_zone WHERE leaf_zone.log_id = own.log_id), 0) AS in_zones, 0 AS before, '{}'::bigint[] AS found
      FROM ${logs(places)} WHERE ${onlyIf}
      UNION ALL
      SELECT log_id, bound, next.first_index, in_zones, before + cardinality(found),
        ARRAY(SELECT leaf_index FROM (${leaves}) AS leaf WHERE ${conditionsOf(places)} ORDER BY leaf_index DESC LIMIT $3)
      FROM walk CROSS JOIN LATERAL (
        SELECT CASE WHEN walk.first_index > walk.in_zones THEN walk.first_index - ${ZONE} ELSE (
          SELECT first_index FROM leaf_zone AS zone WHERE zone.log_id = walk.log_id AND zone.first_index < walk.first_index AND ${may.join(' AND ')}
          ORDER BY first_index DESC LIMIT 1
        ) END AS first_index OFFSET 0
      ) AS next
      WHERE before + cardinality(found) < $3 AND next.first_index IS NOT NULL
    )`;
}

/** The leaves that the walk found. */
const WALKED = `SELECT part.* FROM walk CROSS JOIN LATERAL unnest(found) AS at (leaf_index)
    CROSS JOIN LATERAL (SELECT * FROM leaf WHERE leaf.log_id = walk.log_id AND leaf.leaf_index = at.leaf_index OFFSET 0) AS part`;

/** The newest leaves of each chain; for entities with longer chains whose page is not full, also their zones. */
function ofEntities(places: Places, most: string): string {
  const { entities, marks, before, ...others } = places;
  const head = ofChain('chain_index', 'leaf.entity_id = asked.entity', 'DESC', '1');
  const asked = conditionsOf(others);
  // A page continues after the last leaf of the previous one, which is on the chain of one of the entities.
  const [last, conditions] =
    before === undefined
      ? ['NULL', asked]
      : [
          `(SELECT chain_index - 1 FROM leaf WHERE log_id = ${before.logId} AND leaf_index = ${before.index} AND log_id IN ${logsOf('$1', '$2')} AND leaf.entity_id = asked.entity)`,
          [asked, `(leaf.log_id, leaf.leaf_index) < (${before.logId}, ${before.index}::bigint)`]
            .filter(Boolean)
            .join(' AND '),
        ];
  const near = [
    `chain AS MATERIALIZED (
      SELECT entity, mark, coalesce(${last}, ${head}) AS start FROM unnest(${entities}, ${marks}) AS asked (entity, mark)
    )`,
    `near AS MATERIALIZED (
      SELECT leaf.* FROM chain CROSS JOIN ${logsOf('$1', '$2')} AS own CROSS JOIN LATERAL (
        SELECT leaf.* FROM (
          SELECT * FROM leaf WHERE leaf.log_id = own.log_id AND leaf.entity_id = chain.entity AND leaf.chain_index <= chain.start AND leaf.chain_index > chain.start - ${most}
          ORDER BY leaf.chain_index DESC LIMIT ${most}
        ) AS leaf WHERE ${conditions === '' ? 'true' : conditions} ORDER BY leaf.chain_index DESC LIMIT $3
      ) AS leaf
    )`,
  ];
  if (conditions === '') return whole(near, 'SELECT * FROM near');
  const far = `far AS MATERIALIZED (
      SELECT chain.entity, chain.mark FROM chain LEFT JOIN near ON near.entity_id = chain.entity
      WHERE chain.start >= ${most} GROUP BY chain.entity, chain.mark HAVING count(near.entity_id) < $3
    )`;
  const ofFar = { ...places, entities: 'ARRAY(SELECT entity FROM far)', marks: 'ARRAY(SELECT mark FROM far)' };
  return whole(
    [...near, far, walk(ofFar, 'EXISTS (SELECT FROM far)')],
    `SELECT * FROM near WHERE entity_id <> ALL (${ofFar.entities}) UNION ALL ${WALKED}`,
  );
}
