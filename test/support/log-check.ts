// An auditor of the log's tables for tests: recomputes every number and hash from the rows without the code under test.
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import { unpackRecord } from '../../shared/core/decision/packed-record.ts';
import type { Database } from '../../shared/platform/db/database.ts';

interface LeafRow {
  leaf_index: string;
  proof_id: string;
  entity_id: string;
  chain_index: string;
  event: string;
  previous_hash: Buffer;
  event_hash: Buffer;
  leaf_hash: Buffer;
  record: Buffer | null;
}

const LEAVES = `SELECT leaf.*, CASE leaf.event
      WHEN 'custos.decision' THEN (SELECT record FROM decision d WHERE d.organisation_id = $1 AND d.environment = $2 AND d.decision_id = 'dec' || substr(leaf.proof_id, 4))
      ELSE (SELECT record FROM record r WHERE r.organisation_id = $1 AND r.environment = $2 AND r.proof_id = leaf.proof_id)
    END AS record
    FROM leaf JOIN log USING (log_id) WHERE organisation_id = $1 AND environment = $2 ORDER BY leaf_index`;
const SIZE = 'SELECT size::int AS size FROM log WHERE organisation_id = $1 AND environment = $2';
const WAITING = 'SELECT count(*)::int AS n FROM log_inbox WHERE organisation_id = $1 AND environment = $2';

export interface CheckedLog {
  readonly size: number;
  readonly waiting: number;
  /** In log order. */
  readonly proofIds: readonly string[];
  /** In chain order. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

/** Members of a record, in canonical order. */
const MEMBERS = 'agentId,eventType,occurredAt,payload,previousHash';

/** As `expect`, which takes most of the time of a check of twenty thousand leaves. */
function same(actual: number | string, expected: number | string, at: string): void {
  if (actual !== expected) throw new Error(`${at}: expected ${expected}, found ${actual}`);
}

const sha256 = (...parts: readonly (Buffer | string)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/**
 * Checks the whole log of an organisation and environment. Throws at the first error: a gap, a record in two leaves, a broken chain,
 * bytes that are not canonical, a wrong hash.
 */
export async function checkLog(db: Database, organisationId: string, environment: string): Promise<CheckedLog> {
  const owner = [organisationId, environment];
  const rows = await db.query<LeafRow>(LEAVES, owner);
  const heads = new Map<string, string>();
  const chains = new Map<string, string[]>();
  const known = new Set<string>();
  for (const [i, row] of rows.entries()) {
    const at = `leaf ${i}`;
    same(Number(row.leaf_index), i, at);
    if (known.has(row.proof_id)) throw new Error(`${at}: ${row.proof_id} is a leaf already`);
    known.add(row.proof_id);
    const chain = chains.get(row.entity_id) ?? [];
    chains.set(row.entity_id, chain);
    same(Number(row.chain_index), chain.length, at);
    chain.push(row.proof_id);
    const previous = heads.get(row.entity_id) ?? '0'.repeat(64);
    same(row.previous_hash.toString('hex'), previous, at);
    if (row.record === null) throw new Error(`${at} has no record`);
    const bytes = Buffer.concat([unpackRecord(row.record), Buffer.from(`,"previousHash":"${previous}"}`)]);
    const text = bytes.toString('utf8');
    const record = JSON.parse(text) as Record<string, unknown>;
    if (text !== canonicalizeIndependently(record)) throw new Error(`${at} is not canonical: ${text}`);
    same(Object.keys(record).join(), MEMBERS, at);
    const payload = record['payload'] as Record<string, unknown>;
    const stated = [record['agentId'], record['eventType'], payload['proofId'], payload['environment']];
    same(stated.join(), [row.entity_id, row.event, row.proof_id, environment].join(), at);
    const eventHash = sha256(bytes);
    same(row.event_hash.toString('hex'), eventHash, at);
    same(row.leaf_hash.toString('hex'), sha256(Buffer.of(0), bytes), at);
    heads.set(row.entity_id, eventHash);
  }
  const [log] = await db.query<{ size: number }>(SIZE, owner);
  same(log?.size ?? 0, rows.length, 'the size of the log');
  const [waiting] = await db.query<{ n: number }>(WAITING, owner);
  return { size: rows.length, waiting: waiting?.n ?? 0, proofIds: rows.map((row) => row.proof_id), chains };
}
