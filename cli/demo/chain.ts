// Checks the chain of an entity by its records alone: recomputes every hash. Pure.
import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Proof, ProofChain } from '../../shared/api/proof.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';

export type ChainItem = Pick<
  Static<typeof Proof>,
  'proofId' | 'event' | 'entityId' | 'record' | 'index' | 'chainIndex' | 'eventHash' | 'previousHash'
>;
export type ChainHead = NonNullable<Static<typeof ProofChain>['head']>;

/** A record of the log; `payload.body` is the caller's content. */
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

/** The records of a whole chain, or its first problem. */
export type ChainCheck = { readonly problem: string } | { readonly records: readonly ChainRecord[] };

/**
 * Checks a whole chain, oldest first, against its head: positions have no gap, each record is canonical and names the hash
 * of the previous one, each event hash is the SHA-256 of its record's bytes, and the last one is that of the head.
 */
export function checkChain(entityId: string, items: readonly ChainItem[], head: ChainHead | null): ChainCheck {
  const records: ChainRecord[] = [];
  let previous = NO_PREVIOUS;
  let lastIndex = -1;
  for (const [position, item] of items.entries()) {
    if (item.record === null) return { problem: `record ${position} of ${entityId} was dropped by retention` };
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
  /** Event hash of the previous record. */
  readonly previous: string;
  /** Index of the previous record in the log. */
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
