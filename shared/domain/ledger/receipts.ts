// Reads receipts, checkpoints, keys and consistency proofs of a log.
import type { Database } from '../../platform/db/database.ts';
import { publishKey, type TrustedKey, trustPublishedKeys } from '../../core/proof/keys.ts';
import type { PublishedKey, Receipt } from '../../core/proof/shapes.ts';
import { writeReceipt } from '../../core/proof/receipt.ts';
import { genuine } from '../../platform/db/seals/rows.ts';
import { type Owner, ownerColumns, type OwnerColumns } from '../../kernel/owner.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';
import { readConsistencyPath, readInclusionPath } from './nodes.ts';
import { LOG_KEY, type LogKeyRow, PROMISE_KEY, type PromiseKeyRow, publishedLogKey } from './published-keys.ts';
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
  /** The receipt of a leaf, with the first checkpoint that covers it; undefined while there is none. Null: its record was dropped. */
  receipt(
    owner: Owner,
    proofId: string,
  ): Promise<{ readonly receipt: Receipt | null; readonly entityId: string } | undefined>;
  latestCheckpoint(owner: Owner): Promise<StoredCheckpoint | undefined>;
  /** Newest first, only sizes below `before`. */
  checkpoints(owner: Owner, before: number | undefined, limit: number): Promise<StoredCheckpoint[]>;
  keys(owner: Owner): Promise<PublishedKey[]>;
  /** The keys of every log of this service, for verification. */
  allKeys(): Promise<TrustedKey[]>;
  /** undefined when the log has fewer than `to` leaves. */
  consistency(owner: Owner, from: number, to: number): Promise<ConsistencyAnswer | undefined>;
  /** Leaf hashes of [from, to), lower-case hex, oldest first. */
  leafHashes(owner: Owner, from: number, to: number): Promise<string[]>;
}

const CURRENT =
  '(SELECT log_id FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1)';
const CHECKPOINT = `size::float8 AS size, encode(root, 'hex') AS root, note, signed_at AS "signedAt"`;

const COVERING = `SELECT leaf.log_id, covering.size::float8 AS size, covering.note
    FROM ${leafOf('$1', '$2', '$3')} AS leaf, LATERAL (SELECT size, note FROM checkpoint WHERE checkpoint.log_id = leaf.log_id AND checkpoint.size > leaf.leaf_index ORDER BY checkpoint.size LIMIT 1) AS covering`;
const LATEST = `SELECT ${CHECKPOINT} FROM checkpoint WHERE log_id = ${CURRENT} ORDER BY checkpoint.size DESC LIMIT 1`;
const LIST = `SELECT ${CHECKPOINT} FROM checkpoint WHERE log_id = ${CURRENT} AND ($3::bigint IS NULL OR checkpoint.size < $3) ORDER BY checkpoint.size DESC LIMIT $4`;
const KEYS = `SELECT ${LOG_KEY} FROM log_key JOIN log USING (log_id)
    WHERE ($1::text IS NULL OR organisation_id = $1) AND ($2::text IS NULL OR environment = $2) ORDER BY log_id, log_key.created_at, key_id`;
// All logs have the same promise keys, each published under the log's origin.
const PROMISE_KEYS = `SELECT log.origin, ${PROMISE_KEY} FROM log, promise_key
    WHERE ($1::text IS NULL OR log.organisation_id = $1) AND ($2::text IS NULL OR log.environment = $2) AND log.origin IS NOT NULL
    ORDER BY log.log_id, promise_key.created_at`;
const SIZE =
  'SELECT log_id AS "logId", size::float8 AS size FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1';
const HASHES = `SELECT encode(leaf_hash, 'hex') AS hash FROM leaf WHERE log_id = ${CURRENT} AND leaf_index >= $3 AND leaf_index < $4 ORDER BY leaf_index`;

export function createReceiptStore({ db }: { readonly db: Database }): ReceiptStore {
  const reader = createLogReader({ db });
  type Of = OwnerColumns | readonly [null, null];
  const promiseKeys = async (owner: Of): Promise<PublishedKey[]> => {
    const rows = await db.query<PromiseKeyRow & { origin: string }>(PROMISE_KEYS, owner);
    return genuine(db, 'promise_key', rows).map(({ origin, public_key }) =>
      publishKey(public_key, { origin, use: 'promise' }),
    );
  };
  const publishedKeys = async (owner: Of): Promise<PublishedKey[]> => {
    const rows = genuine(db, 'log_key', await db.query<LogKeyRow>(KEYS, owner));
    return [...rows.map(publishedLogKey), ...(await promiseKeys(owner))];
  };
  return {
    ...reader,
    async receipt(owner, proofId) {
      const values = [...ownerColumns(owner), proofId];
      const [place] = await db.query<{ log_id: number; size: number; note: string }>(COVERING, values);
      const leaf = place === undefined ? undefined : await reader.anchored(owner, proofId);
      if (place === undefined || leaf === undefined) return undefined;
      if (leaf.record === null) return { receipt: null, entityId: leaf.entityId };
      const path = await readInclusionPath(db, place.log_id, leaf.index, place.size);
      const receipt = writeReceipt({ proofId, record: leaf.record, index: leaf.index, path, checkpoint: place.note });
      return { receipt, entityId: leaf.entityId };
    },
    latestCheckpoint: async (owner) => (await db.query<StoredCheckpoint>(LATEST, ownerColumns(owner)))[0],
    checkpoints: (owner, before, limit) =>
      db.query<StoredCheckpoint>(LIST, [...ownerColumns(owner), before ?? null, limit]),
    keys: (owner) => publishedKeys(ownerColumns(owner)),
    allKeys: async () => trustPublishedKeys(await publishedKeys([null, null])),
    async consistency(owner, from, to) {
      const [log] = await db.query<{ logId: number; size: number }>(SIZE, ownerColumns(owner));
      if (to > (log?.size ?? 0)) return undefined;
      const path = log === undefined ? [] : await readConsistencyPath(db, log.logId, from, to);
      return { from, to, path: path.map((hash) => Buffer.from(hash).toString('hex')) };
    },
    async leafHashes(owner, from, to) {
      const rows = await db.query<{ hash: string }>(HASHES, [...ownerColumns(owner), from, to]);
      return rows.map(({ hash }) => hash);
    },
  };
}
