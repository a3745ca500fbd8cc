// Conformance cases: chains of receipts, and promises.
import type { FailureCode } from '../../../shared/core/proof/failures.ts';
import { keyIdOf, publishKey } from '../../../shared/core/proof/keys.ts';
import { signPromise } from '../../../shared/core/proof/promise.ts';
import { recordDigest } from '../../../shared/core/proof/record.ts';
import type { SignedPromise } from '../../../shared/core/proof/shapes.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, TIME_MS } from '../../unit/proof/sample-log.ts';
import { fromLittleEndian, L, littleEndian } from './edwards.ts';
import { flipped, LOG, OTHER_KEY, PROMISE_KEY_ENTRY, type ProofCase, proofCase, type ProvenPromise } from './parts.ts';

/** Receipts of the sample log as texts. */
const texts = (...indexes: readonly number[]): string[] => indexes.map((index) => JSON.stringify(LOG.receipt(index)));

function chains(): ProofCase[] {
  const ids = (...indexes: readonly number[]): string[] => indexes.map((index) => `p-${index}`);
  // Its records have other bodies: the same ids and links, other hashes.
  const otherLog = sampleLog(21, (n) => ({ n }));
  const foreign = JSON.stringify(otherLog.receipt(7));
  const broken = (name: string, input: readonly string[], failure: FailureCode = 'CHAIN_BROKEN'): ProofCase =>
    proofCase('chain', `chain: ${name}`, input, failure);
  const good = (name: string, input: readonly string[], proofIds: readonly string[], fromStart: boolean): ProofCase =>
    proofCase('chain', `chain: ${name}`, input, { ok: true, proofIds, fromStart });
  return [
    good('from the first record', texts(1, 4, 7, 10), ids(1, 4, 7, 10), true),
    good('in another order', texts(10, 1, 7, 4), ids(1, 4, 7, 10), true),
    good('from a later record', texts(4, 7), ids(4, 7), false),
    good('of one record', texts(7), ids(7), false),
    good('of receipts with different checkpoints', [JSON.stringify(LOG.receipt(1, 9)), ...texts(4)], ids(1, 4), true),
    broken('one in the middle is missing', texts(1, 7)),
    broken('records of two entities', texts(1, 2)),
    broken('the same record twice', texts(4, 4)),
    broken('the first records of two entities', texts(0, 1)),
    broken('a record of another log with the same name', [...texts(1, 4), foreign]),
    broken(
      'one receipt has another index',
      [texts(1)[0] ?? '', JSON.stringify({ ...LOG.receipt(4), index: 5 })],
      'WRONG_INDEX',
    ),
    broken(
      'one receipt is of another proof',
      [JSON.stringify({ ...LOG.receipt(4), proofId: 'p-1' }), ...texts(1)],
      'WRONG_PROOF_ID',
    ),
    broken('one receipt is no JSON', [...texts(1), '{'], 'MALFORMED'),
    broken(
      'one receipt is invalid, and one after it is no JSON',
      [JSON.stringify({ ...LOG.receipt(4), path: [] }), '{'],
      'MALFORMED',
    ),
    broken(
      'of two broken receipts the first is reported',
      [JSON.stringify({ ...LOG.receipt(4), path: [] }), JSON.stringify({ ...LOG.receipt(1), index: 5 })],
      'WRONG_PATH',
    ),
  ];
}

const claims = {
  log: ORIGIN,
  proofId: 'p-6',
  recordDigest: recordDigest(LOG.prefixes[6] ?? ''),
  issuedAt: new Date(TIME_MS).toISOString(),
  deadline: new Date(TIME_MS + 86_400_000).toISOString(),
  keyId: keyIdOf(PROMISE_KEY),
};
const promise = signPromise(claims, PROMISE_KEY);
const signature = Buffer.from(promise.signature, 'base64');

const provenOf = ({ proofId, log, keyId }: SignedPromise): ProvenPromise => ({ ok: true, proofId, origin: log, keyId });

function otherSignature(bytes: Uint8Array): Partial<SignedPromise> {
  return { signature: Buffer.from(bytes).toString('base64') };
}

function promises(): ProofCase[] {
  const strange = signPromise({ ...claims, proofId: 'p "é" \\ \u2028 😀\u0007' }, PROMISE_KEY);
  const longLog = signPromise({ ...claims, proofId: '😀'.repeat(512) }, PROMISE_KEY);
  const byLogKey = signPromise({ ...claims, keyId: keyIdOf(LOG_KEY) }, LOG_KEY);
  const forged: readonly (readonly [string, Partial<SignedPromise>, FailureCode])[] = [
    ['the proof id', { proofId: 'p-7' }, 'PROMISE_SIGNATURE'],
    [
      'the record digest',
      { recordDigest: flipped(Buffer.from(claims.recordDigest, 'hex'), 0).toString('hex') },
      'PROMISE_SIGNATURE',
    ],
    ['the time', { issuedAt: new Date(TIME_MS + 1).toISOString() }, 'PROMISE_SIGNATURE'],
    ['the deadline', { deadline: new Date(TIME_MS + 2 * 86_400_000).toISOString() }, 'PROMISE_SIGNATURE'],
    ['the log', { log: 'custos.local/acne/live' }, 'KEY_NOT_OF_LOG'],
    ['the key id', { keyId: keyIdOf(OTHER_KEY) }, 'KEY_NOT_OF_LOG'],
    ...[0, 31, 32, 63].map(
      (at) => [`byte ${at} of the signature`, otherSignature(flipped(signature, at)), 'PROMISE_SIGNATURE'] as const,
    ),
    [
      'an S that is too large by L',
      otherSignature(
        Buffer.concat([signature.subarray(0, 32), littleEndian(fromLittleEndian(signature.subarray(32)) + L)]),
      ),
      'PROMISE_SIGNATURE',
    ],
    ['a signature of another key', { signature: signPromise(claims, OTHER_KEY).signature }, 'PROMISE_SIGNATURE'],
    ['the log key', byLogKey, 'KEY_NOT_OF_LOG'],
    ['a signature of 63 bytes', otherSignature(signature.subarray(1)), 'MALFORMED'],
    ['a signature in the alphabet of URLs', { signature: `${'_'.repeat(85)}w==` }, 'MALFORMED'],
    ['a digest in capital letters', { recordDigest: claims.recordDigest.toUpperCase() }, 'MALFORMED'],
    ['a time without milliseconds', { issuedAt: '2026-03-04T05:06:07Z' }, 'MALFORMED'],
    ['a day that does not exist', { deadline: '2026-02-30T05:06:07.890Z' }, 'MALFORMED'],
    ['a key id of 42 characters', { keyId: claims.keyId.slice(1) }, 'MALFORMED'],
    ['an empty proof id', { proofId: '' }, 'MALFORMED'],
    ['a proof id of 1,025 UTF-16 units', { proofId: `${'😀'.repeat(512)}x` }, 'MALFORMED'],
  ];
  const text = JSON.stringify(promise);
  const { proofId, recordDigest } = promise;
  const answer = { proofId, status: 'pending', recordDigest, promise };
  const malformed: Readonly<Record<string, string>> = {
    'an empty text': '',
    'a list': `[${text}]`,
    'a duplicate member': text.replace('{', `{"proofId":"p-6",`),
    'a member too many': JSON.stringify({ ...promise, extra: 1 }),
    'no signature': JSON.stringify({ ...promise, signature: undefined }),
    'text after it': `${text},`,
    'a lone surrogate': text.replace('p-6', '\\udfff'),
  };
  return [
    proofCase('promise', 'promise', text, provenOf(promise)),
    proofCase(
      'promise',
      'promise with its members in reverse',
      JSON.stringify(Object.fromEntries(Object.entries(promise).reverse()), null, 2),
      provenOf(promise),
    ),
    proofCase('promise', 'promise in the answer that contained it', JSON.stringify(answer), provenOf(promise)),
    proofCase('promise', 'answer whose promise is null', JSON.stringify({ ...answer, promise: null }), 'MALFORMED'),
    proofCase('promise', 'promise about an id with escapes', JSON.stringify(strange), provenOf(strange)),
    proofCase('promise', 'promise about an id of 1,024 UTF-16 units', JSON.stringify(longLog), provenOf(longLog)),
    ...forged.map(([name, change, failure]) =>
      proofCase('promise', `promise with ${name}`, JSON.stringify({ ...promise, ...change }), failure),
    ),
    ...Object.entries(malformed).map(([name, input]) =>
      proofCase('promise', `promise with ${name} instead`, input, 'MALFORMED'),
    ),
    proofCase('promise', 'promise without a trusted key', text, 'KEY_NOT_OF_LOG', []),
    proofCase('promise', 'promise with only the log key trusted', text, 'KEY_NOT_OF_LOG', [
      publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'log' }),
    ]),
    proofCase('promise', 'promise with the key of another log', text, 'KEY_NOT_OF_LOG', [
      publishKey(PROMISE_KEY, { origin: 'custos.local/other/live', use: 'promise' }),
    ]),
    proofCase('promise', 'promise with its key as verifier key', text, provenOf(promise), [PROMISE_KEY_ENTRY.vkey]),
  ];
}

export function chainsAndPromises(): ProofCase[] {
  return [...chains(), ...promises()];
}
