// The canonical bytes of a record: everything before previousHash is prepared when the record is accepted, and the log only splices in 64
// characters. Pure.
import { hash } from 'node:crypto';
import { canonicalString } from './canonical.ts';
import { LEAF } from './merkle.ts';

/** previousHash of an entity's first record. */
export const NO_PREVIOUS = '0'.repeat(64);

export interface RecordParts {
  /** The entity that the record concerns: `agentId` of the record. */
  readonly entityId: string;
  readonly event: string;
  /** YYYY-MM-DDTHH:mm:ss.sssZ */
  readonly occurredAt: string;
  /** JCS of the body. */
  readonly body: string;
  readonly environment: string;
  readonly organisationSlug: string;
  readonly proofId: string;
}

/** RFC 8785 text of a record up to its previousHash: the part before `,"previousHash":"..."}`. */
export function recordPrefix(parts: RecordParts): string {
  return (
    `{"agentId":${canonicalString(parts.entityId)},"eventType":${canonicalString(parts.event)},"occurredAt":"${parts.occurredAt}"` +
    `,"payload":{"body":${parts.body},"environment":"${parts.environment}","organisation":"${parts.organisationSlug}"` +
    `,"proofId":${canonicalString(parts.proofId)}}`
  );
}

/**
 * The body of a record that this service wrote, from its bytes up to previousHash. The caller knows its shape from the event.
 * @throws {SyntaxError} when the bytes were altered and are not JSON any more
 */
export function bodyOfPrefix(prefix: Buffer): unknown {
  const { payload } = JSON.parse(`${prefix.toString('utf8')}}`) as { readonly payload: { readonly body: unknown } };
  return payload.body;
}

/**
 * The record digest of a promise, from a record up to its previousHash: closing the object makes it JCS of the other members. SHA-256,
 * lower-case hex.
 */
export function recordDigest(prefix: string | Buffer): string {
  const closed = typeof prefix === 'string' ? `${prefix}}` : Buffer.concat([prefix, CLOSE]);
  return hash('sha256', closed, 'hex');
}

const CLOSE = Buffer.from('}');

export interface SealedRecord {
  /** The complete canonical bytes. */
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, which the entity's next record has as its previousHash. */
  readonly eventHash: Buffer;
  /** RFC 6962 leaf hash of the bytes. */
  readonly leafHash: Uint8Array;
}

/** Completes a record with the event hash of its entity's previous one (64 lower-case hex digits). */
export function sealRecord(prefix: Buffer | string, previousHash: string): SealedRecord {
  const end = `,"previousHash":"${previousHash}"}`;
  // Prefixed with RFC 6962's zero byte: two hashes of contiguous bytes cost half as much as feeding one hash object three pieces.
  const leaf = Buffer.concat([LEAF, typeof prefix === 'string' ? Buffer.from(prefix) : prefix, Buffer.from(end)]);
  const bytes = leaf.subarray(LEAF.length);
  return { bytes, eventHash: hash('sha256', bytes, 'buffer'), leafHash: hash('sha256', leaf, 'buffer') };
}

/** The hashes of a completed record. */
export type RecordHashes = Pick<SealedRecord, 'leafHash'> & {
  /** Lower-case hex. */
  readonly eventHash: string;
};

/** Where a record is completed when only its hashes are asked for; longer ones get memory of their own. */
const place = Buffer.allocUnsafeSlow(16_384);

/** As sealRecord, for the hashes only. */
export function hashRecord(prefix: Buffer | string, previousHash: string): RecordHashes {
  const end = `,"previousHash":"${previousHash}"}`;
  // UTF-8 has at most three bytes for a UTF-16 code unit.
  if (LEAF.length + 3 * prefix.length + end.length > place.length) {
    const { eventHash, leafHash } = sealRecord(prefix, previousHash);
    return { eventHash: eventHash.toString('hex'), leafHash };
  }
  place.set(LEAF);
  let past = LEAF.length;
  past += typeof prefix === 'string' ? place.write(prefix, past) : prefix.copy(place, past);
  past += place.write(end, past);
  const leaf = place.subarray(0, past);
  return { eventHash: hash('sha256', leaf.subarray(LEAF.length), 'hex'), leafHash: hash('sha256', leaf, 'buffer') };
}
