// Reads receipts, checkpoints, keys and consistency proofs of a log.
import type { Database } from '../../platform/db/database.ts';
import { publishKey, type TrustedKey, trustPublishedKeys } from '../../core/proof/keys.ts';
import type { PublishedKey, Receipt } from '../../core/proof/shapes.ts';
import { writeReceipt } from '../../core/proof/receipt.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { readConsistencyPath, readInclusionPath } from './nodes.ts';
import { PUBLISHED_KEY } from './published-keys.ts';
import { createLogReader, type LogReader } from './read.ts';

export interface StoredCheckpoint {
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
  readonly note: string;
  readonly signedAt: Date;
}

export interface ConsistencyAnswer {
  readonly from: number;
  readonly to: number;
  /** Lower-case hex. */
  readonly path: readonly string[];
}

export interface ReceiptStore extends LogReader {
  /** The receipt of a leaf, with the first checkpoint that covers it; undefined while there is none. */
  receipt(
    organisationId: string,
    environment: Environment,
    proofId: string,
  ): Promise<{ receipt: Receipt; entityId: string } | undefined>;
  latestCheckpoint(organisationId: string, environment: Environment): Promise<StoredCheckpoint | undefined>;
  /** Newest first, only sizes below `before`. */
  checkpoints(
    organisationId: string,
    environment: Environment,
    before: number | undefined,
    limit: number,
  ): Promise<StoredCheckpoint[]>;
  keys(organisationId: string, environment: Environment): Promise<PublishedKey[]>;
  /** The keys of every log of this service, for verification. */
  allKeys(): Promise<TrustedKey[]>;
  size(organisationId: string, environment: Environment): Promise<number>;
  /** undefined when the log has fewer than `to` leaves. */
  consistency(
    organisationId: string,
    environment: Environment,
    from: number,
    to: number,
  ): Promise<ConsistencyAnswer | undefined>;
  /** Leaf hashes of [from, to), lower-case hex, oldest first. */
  leafHashes(organisationId: string, environment: Environment, from: number, to: number): Promise<string[]>;
}

const CURRENT =
  '(SELECT log_id FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1)';
const CHECKPOINT = `size::text AS size, encode(root, 'hex') AS root, note, signed_at`;

const COVERING = `SELECT leaf.log_id, leaf.leaf_index::text AS leaf_index, covering.size::text AS size, covering.note
    FROM leaf, LATERAL (SELECT size, note FROM checkpoint WHERE checkpoint.log_id = leaf.log_id AND checkpoint.size > leaf.leaf_index ORDER BY checkpoint.size LIMIT 1) AS covering
    WHERE leaf.organisation_id = $1 AND leaf.environment = $2 AND leaf.proof_id = $3`;
const LATEST = `SELECT ${CHECKPOINT} FROM checkpoint WHERE log_id = ${CURRENT} ORDER BY checkpoint.size DESC LIMIT 1`;
const LIST = `SELECT ${CHECKPOINT} FROM checkpoint WHERE log_id = ${CURRENT} AND ($3::bigint IS NULL OR checkpoint.size < $3) ORDER BY checkpoint.size DESC LIMIT $4`;
const KEYS = `SELECT ${PUBLISHED_KEY} FROM log_key JOIN log USING (log_id) WHERE organisation_id = $1 AND environment = $2 ORDER BY log_id, log_key.created_at, key_id`;
const ALL_KEYS = `SELECT ${PUBLISHED_KEY} FROM log_key ORDER BY log_id, created_at`;
// All logs have the same promise keys, each published under the log's origin.
const PROMISE_KEYS = `SELECT log.origin, promise_key.public_key FROM log, promise_key
    WHERE ($1::text IS NULL OR log.organisation_id = $1) AND ($2::text IS NULL OR log.environment = $2) AND log.origin IS NOT NULL
    ORDER BY log.log_id, promise_key.created_at`;
const SIZE =
  'SELECT log_id, size::text AS size FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1';
const HASHES = `SELECT encode(leaf_hash, 'hex') AS hash FROM leaf WHERE log_id = ${CURRENT} AND leaf_index >= $3 AND leaf_index < $4 ORDER BY leaf_index`;

interface CheckpointRow {
  size: string;
  root: string;
  note: string;
  signed_at: Date;
}

function checkpointOf({ size, root, note, signed_at }: CheckpointRow): StoredCheckpoint {
  return { size: Number(size), root, note, signedAt: signed_at };
}

export function createReceiptStore(deps: { db: Database }): ReceiptStore {
  const { db } = deps;
  const reader = createLogReader({ db });
  const logOf = async (
    organisationId: string,
    environment: Environment,
  ): Promise<{ logId: number; size: number } | undefined> => {
    const [row] = await db.query<{ log_id: number; size: string }>(SIZE, [organisationId, environment]);
    return row === undefined ? undefined : { logId: row.log_id, size: Number(row.size) };
  };
  const promiseKeys = async (
    organisationId: string | null,
    environment: Environment | null,
  ): Promise<PublishedKey[]> => {
    const rows = await db.query<{ origin: string; public_key: Buffer }>(PROMISE_KEYS, [organisationId, environment]);
    return rows.map(({ origin, public_key }) => publishKey(public_key, { origin, use: 'promise' }));
  };
  return {
    ...reader,
    async receipt(organisationId, environment, proofId) {
      const [place] = await db.query<{ log_id: number; leaf_index: string; size: string; note: string }>(COVERING, [
        organisationId,
        environment,
        proofId,
      ]);
      const leaf = place === undefined ? undefined : await reader.anchored(organisationId, environment, proofId);
      if (place === undefined || leaf === undefined) return undefined;
      const path = await readInclusionPath(db, place.log_id, leaf.index, Number(place.size));
      const receipt = writeReceipt({ proofId, record: leaf.record, index: leaf.index, path, checkpoint: place.note });
      return { receipt, entityId: leaf.entityId };
    },
    async latestCheckpoint(organisationId, environment) {
      const [row] = await db.query<CheckpointRow>(LATEST, [organisationId, environment]);
      return row === undefined ? undefined : checkpointOf(row);
    },
    async checkpoints(organisationId, environment, before, limit) {
      return (await db.query<CheckpointRow>(LIST, [organisationId, environment, before ?? null, limit])).map(
        checkpointOf,
      );
    },
    async keys(organisationId, environment) {
      const rows = await db.query<PublishedKey>(KEYS, [organisationId, environment]);
      return [...rows, ...(await promiseKeys(organisationId, environment))];
    },
    async allKeys() {
      const rows = await db.query<PublishedKey>(ALL_KEYS, []);
      return trustPublishedKeys([...rows, ...(await promiseKeys(null, null))]);
    },
    async size(organisationId, environment) {
      return (await logOf(organisationId, environment))?.size ?? 0;
    },
    async consistency(organisationId, environment, from, to) {
      const log = await logOf(organisationId, environment);
      if (to > (log?.size ?? 0)) return undefined;
      const path = log === undefined ? [] : await readConsistencyPath(db, log.logId, from, to);
      return { from, to, path: path.map((hash) => Buffer.from(hash).toString('hex')) };
    },
    async leafHashes(organisationId, environment, from, to) {
      return (await db.query<{ hash: string }>(HASHES, [organisationId, environment, from, to])).map((row) => row.hash);
    },
  };
}
