// Helpers for tests of receipts: they read receipts without any of the code under test.
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import type { Receipt } from '../../shared/core/proof/shapes.ts';

interface RecordJson {
  readonly agentId: string;
  readonly eventType: string;
  readonly payload: { readonly body: Readonly<Record<string, unknown>>; readonly proofId: string };
  readonly previousHash: string;
}

/** The record of a receipt, or of an item of a chain. */
export function recordOf({ record }: Pick<Receipt, 'record'>): RecordJson {
  return JSON.parse(Buffer.from(record, 'base64').toString('utf8')) as RecordJson;
}

/** The digest that a promise of the receipt's record must contain: SHA-256 of JCS of all but previousHash, lower-case hex. */
export function recordDigestOf(receipt: Pick<Receipt, 'record'>): string {
  const { previousHash: _, ...promised } = recordOf(receipt);
  return createHash('sha256')
    .update(canonicalizeIndependently(promised) ?? '')
    .digest('hex');
}
