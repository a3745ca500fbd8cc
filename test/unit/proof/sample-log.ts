// An in-memory log for tests: records chained by entity, receipts at any size, built without the code that verifies them.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { writeCheckpoint } from '../../../shared/core/proof/checkpoint.ts';
import { publishKey, trustKey, type TrustedKey } from '../../../shared/core/proof/keys.ts';
import { inclusionPath, rootFromLeafHashes } from '../../../shared/core/proof/merkle.ts';
import { NO_PREVIOUS, recordPrefix, type SealedRecord, sealRecord } from '../../../shared/core/proof/record.ts';
import { writeReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';

export const ORIGIN = 'custos.local/acme/live';
export const TIME_MS = Date.parse('2026-03-04T05:06:07.890Z');
/** Ed25519 seeds: RFC 8032 section 7.1, tests 1 and 2. */
export const SEEDS = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
] as const;

/** The private key of a seed: RFC 8410 section 7 prefixes it with 16 constant bytes. */
export function keyOfSeed(seed: string): KeyObject {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

export const LOG_KEY = keyOfSeed(SEEDS[0]);
export const PROMISE_KEY = keyOfSeed(SEEDS[1]);
export const VKEY = publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' }).vkey;
export const PROMISE_VKEY = publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'promise' }).vkey;
export const TRUSTED: readonly TrustedKey[] = [trustKey(VKEY), trustKey(PROMISE_VKEY)];

export interface SampleLog {
  readonly records: readonly SealedRecord[];
  readonly prefixes: readonly string[];
  proofId(index: number): string;
  checkpoint(size: number, timeMs?: number): string;
  receipt(index: number, size?: number): Receipt;
}

/** @param bodyOf the body of each record; three entities take turns */
export function sampleLog(
  size: number,
  bodyOf: (index: number) => unknown = (n) => ({ n, note: 'péril — 危' }),
): SampleLog {
  const heads = new Map<string, string>();
  const records: SealedRecord[] = [];
  const prefixes: string[] = [];
  const proofId = (index: number): string => `p-${index}`;
  for (let i = 0; i < size; i += 1) {
    const entityId = `agent-${i % 3}`;
    const prefix = recordPrefix({
      entityId,
      event: 'deploy',
      occurredAt: new Date(TIME_MS + i).toISOString(),
      body: canonicalize(bodyOf(i)),
      environment: 'live',
      organisationSlug: 'acme',
      proofId: proofId(i),
    });
    const record = sealRecord(prefix, heads.get(entityId) ?? NO_PREVIOUS);
    heads.set(entityId, record.eventHash.toString('hex'));
    records.push(record);
    prefixes.push(prefix);
  }
  const leafHashes = records.map(({ leafHash }) => leafHash);
  const checkpoint = (of: number, timeMs = TIME_MS): string =>
    writeCheckpoint({
      origin: ORIGIN,
      size: of,
      root: rootFromLeafHashes(leafHashes.slice(0, of)),
      key: LOG_KEY,
      timeMs,
    });
  return {
    records,
    prefixes,
    proofId,
    checkpoint,
    receipt: (index, of = size) =>
      writeReceipt({
        proofId: proofId(index),
        record: records[index]?.bytes ?? Buffer.alloc(0),
        index,
        path: inclusionPath(index, of, (level, at) =>
          rootFromLeafHashes(leafHashes.slice(at * 2 ** level, (at + 1) * 2 ** level)),
        ),
        checkpoint: checkpoint(of),
      }),
  };
}
