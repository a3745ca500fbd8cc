// Checks an entity's chain with nothing but its records: every hash is computed again here. Pure.
import { createHash } from 'node:crypto';
import { canonicalize } from '../../shared/core/proof/canonical.ts';

/** One item of GET /v1/proofs/chain/{entityId}. */
export interface ChainItem {
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
  /** Base64 of the canonical bytes. */
  readonly record: string;
  readonly index: number;
  readonly chainIndex: number;
  /** Lower-case hex. */
  readonly eventHash: string;
  readonly previousHash: string;
}

export interface ChainHead {
  readonly chainIndex: number;
  readonly eventHash: string;
}

/** A record as the log has it; `payload.body` is what the caller sent. */
export interface ChainRecord {
  readonly agentId: string;
  readonly eventType: string;
  readonly occurredAt: string;
  readonly payload: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly environment: string;
    readonly organisation: string;
    readonly proofId: string;
  };
  readonly previousHash: string;
}

const NO_PREVIOUS = '0'.repeat(64);

/** The records of a whole chain, or the first thing that is wrong with it. */
export type ChainCheck = { readonly problem: string } | { readonly records: readonly ChainRecord[] };

/**
 * A whole chain, oldest first, against its head: positions without a gap, each record in its canonical form and naming
 * the hash of the one before, each event hash SHA-256 of its record's bytes, the last of them the head's.
 */
export function checkChain(entityId: string, items: readonly ChainItem[], head: ChainHead | null): ChainCheck {
  const records: ChainRecord[] = [];
  let previous = NO_PREVIOUS;
  let lastIndex = -1;
  for (const [position, item] of items.entries()) {
    const bytes = Buffer.from(item.record, 'base64');
    const record = JSON.parse(bytes.toString('utf8')) as ChainRecord;
    const problem = problemOf(item, record, bytes, { entityId, position, previous, lastIndex });
    if (problem !== undefined) return { problem: `record ${position} of ${entityId} ${problem}` };
    records.push(record);
    previous = item.eventHash;
    lastIndex = item.index;
  }
  if (items.length === 0 ? head !== null : head?.chainIndex !== items.length - 1 || head.eventHash !== previous)
    return { problem: `the head of ${entityId} is not its last record` };
  return { records };
}

interface Place {
  readonly entityId: string;
  readonly position: number;
  /** Event hash of the record before. */
  readonly previous: string;
  /** Its place in the log. */
  readonly lastIndex: number;
}

function problemOf(item: ChainItem, record: ChainRecord, bytes: Buffer, place: Place): string | undefined {
  if (item.chainIndex !== place.position) return `is numbered ${item.chainIndex}`;
  if (item.index <= place.lastIndex) return 'stands before its predecessor in the log';
  if (!Buffer.from(canonicalize(record)).equals(bytes)) return 'is not in its canonical form';
  if (record.agentId !== place.entityId || item.entityId !== place.entityId) return 'belongs to another entity';
  if (record.eventType !== item.event || record.payload.proofId !== item.proofId) return 'is listed as another one';
  if (record.previousHash !== place.previous || item.previousHash !== place.previous)
    return 'does not name the hash of the record before it';
  if (createHash('sha256').update(bytes).digest('hex') !== item.eventHash) return 'has another hash than it says';
  return undefined;
}
