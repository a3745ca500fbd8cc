// Conformance cases: promises that were signed together.
import { sign } from 'node:crypto';
import type { FailureCode } from '../../../shared/core/proof/failures.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { keyIdOf } from '../../../shared/core/proof/keys.ts';
import { hashLeaf, rootFromLeafHashes, rootOfPath } from '../../../shared/core/proof/merkle.ts';
import { signPromise, signPromises } from '../../../shared/core/proof/promise.ts';
import { recordDigest } from '../../../shared/core/proof/record.ts';
import type { PromiseBatch, PromiseClaims, SignedPromise } from '../../../shared/core/proof/shapes.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, TIME_MS } from '../../unit/proof/sample-log.ts';
import { flipped, LOG, OTHER_KEY, type ProofCase, proofCase, type ProvenPromise } from './parts.ts';

type Batched = SignedPromise & { readonly batch: PromiseBatch };

const claimsOf = (index: number): PromiseClaims => ({
  log: ORIGIN,
  proofId: `p-${index}`,
  recordDigest: recordDigest(LOG.prefixes[index % 21] ?? ''),
  issuedAt: new Date(TIME_MS).toISOString(),
  deadline: new Date(TIME_MS + 86_400_000).toISOString(),
  keyId: keyIdOf(PROMISE_KEY),
});

function batched(all: readonly PromiseClaims[], index: number, key = PROMISE_KEY): Batched {
  const promise = signPromises(all, key)[index];
  if (promise?.batch === undefined) throw new Error('not in a batch');
  return { ...promise, batch: promise.batch };
}

const many = (size: number): PromiseClaims[] => Array.from({ length: size }, (_, i) => claimsOf(i));
const ofSeven = (index: number): Batched => batched(many(7), index);
const promise = ofSeven(4);
const { batch, ...claims } = promise;
const leaf = hashLeaf(Buffer.from(`custos-promise-v1\n${canonicalize(claims)}`));
const root = rootFromLeafHashes(many(7).map((one) => hashLeaf(Buffer.from(`custos-promise-v1\n${canonicalize(one)}`))));
const signed = (message: string): string => sign(null, Buffer.from(message), PROMISE_KEY).toString('base64');
const treeText = `{"root":"${Buffer.from(root).toString('hex')}","size":7}`;

const provenOf = ({ proofId, log, keyId }: SignedPromise): ProvenPromise => ({ ok: true, proofId, origin: log, keyId });

function good(name: string, one: SignedPromise): ProofCase {
  return proofCase('promise', `batched promise: ${name}`, JSON.stringify(one), provenOf(one));
}

function bad(name: string, input: object | string, failure: FailureCode): ProofCase {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return proofCase('promise', `batched promise: ${name}`, text, failure);
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const [nearest = '', ...further] = batch.path;
const other = hex(flipped(Buffer.from(nearest, 'hex'), 0));

/** A signed tree that nobody could have: its path is made up, and leads to a root anyhow. */
function ofHugeTree(): Batched {
  const size = Number.MAX_SAFE_INTEGER;
  const path = Array.from({ length: 53 }, (_, i) => hashLeaf(Uint8Array.of(i)));
  const reached = rootOfPath({ index: 2 ** 40 + 1, size, leafHash: leaf, path }) ?? new Uint8Array();
  const signature = signed(`custos-promise-batch-v1\n{"root":"${hex(reached)}","size":${size}}`);
  return { ...claims, batch: { size, index: 2 ** 40 + 1, path: path.map(hex), signature } };
}

/** Changes of the batch that keep its form. */
const FORGED: Readonly<Record<string, Partial<PromiseBatch>>> = {
  'the index of its neighbour': { index: 5 },
  'the first index': { index: 0 },
  'the last index': { index: 6 },
  'an index beside the tree': { index: 7 },
  'an index far beside the tree': { index: Number.MAX_SAFE_INTEGER },
  'a size one too large': { size: 8 },
  'a size one too small': { size: 6 },
  'a size that ends at its index': { size: 4 },
  'a size of 2': { size: 2, index: 0 },
  'the largest size': { size: Number.MAX_SAFE_INTEGER },
  'a path that is too short': { path: batch.path.slice(0, -1) },
  'a path without its first hash': { path: further },
  'a path that is too long': { path: [...batch.path, nearest] },
  'a path of 53 hashes': { path: Array.from({ length: 53 }, () => nearest) },
  'no path': { path: [] },
  'its path in reverse': { path: batch.path.toReversed() },
  'one bit of its path changed': { path: [other, ...further] },
  'the path of its neighbour': { path: ofSeven(5).batch.path },
  'the batch of its neighbour': ofSeven(5).batch,
  'the batch of a promise of another tree': batched(many(8), 5).batch,
  'the signature of another tree': { signature: batched(many(8), 4).batch.signature },
  'the signature of another key': { signature: batched(many(7), 4, OTHER_KEY).batch.signature },
  'a signature of the promise alone': { signature: signPromise(claims, PROMISE_KEY).signature },
  'a signature of the tree with the prefix of a promise': { signature: signed(`custos-promise-v1\n${treeText}`) },
  'a signature of the tree without a prefix': { signature: signed(treeText) },
  'a signature of the root without the size': {
    signature: signed(`custos-promise-batch-v1\n{"root":"${hex(root)}"}`),
  },
};

/** Values of the batch that are not in its form. */
const MALFORMED: Readonly<Record<string, object>> = {
  'a size of 1 and no path': { size: 1, index: 0, path: [] },
  'a size of 0': { size: 0 },
  'a negative size': { size: -7 },
  'a size as a text': { size: '7' },
  'a size of 2^53': { size: 2 ** 53 },
  'a size with a fraction': { size: 7.5 },
  'a negative index': { index: -1 },
  'an index with a fraction': { index: 4.5 },
  'an index of null': { index: null },
  'a path that is a text': { path: nearest },
  'a path with a hash in capital letters': { path: [nearest.toUpperCase(), ...further] },
  'a path with a hash of 31 bytes': { path: [nearest.slice(2), ...further] },
  'a path with null': { path: [null, ...further] },
  'a path of 54 hashes': { path: Array.from({ length: 54 }, () => nearest) },
  'a signature of 63 bytes': { signature: Buffer.from(batch.signature, 'base64').subarray(1).toString('base64') },
  'a signature that is null': { signature: null },
  'a member too many': { root: hex(root) },
  'no size': { size: undefined },
  'no index': { index: undefined },
  'no signature': { signature: undefined },
};

export function batchedPromises(): ProofCase[] {
  const text = JSON.stringify(promise);
  const twice = [claimsOf(3), claimsOf(3), claimsOf(5)];
  return [
    ...[0, 3, 4, 5, 6].map((index) => good(`number ${index} of seven`, ofSeven(index))),
    good('one of two', batched(many(2), 1)),
    good('the last of three', batched(many(3), 2)),
    good('one of a thousand', batched(many(1_000), 999)),
    good('the same promise twice in its tree, the first', batched(twice, 0)),
    good('the same promise twice in its tree, the second', batched(twice, 1)),
    good('in a tree of 2^53-1', ofHugeTree()),
    good('with its members in another order', { batch, ...claims }),
    proofCase(
      'promise',
      'batched promise: in the answer that contained it',
      JSON.stringify({ proofId: claims.proofId, status: 'pending', recordDigest: claims.recordDigest, promise }),
      provenOf(promise),
    ),
    ...Object.entries(FORGED).map(([name, change]) =>
      bad(name, { ...promise, batch: { ...batch, ...change } }, 'PROMISE_SIGNATURE'),
    ),
    bad('about another proof of its tree', { ...promise, proofId: 'p-5' }, 'PROMISE_SIGNATURE'),
    bad('with another digest', { ...promise, recordDigest: other }, 'PROMISE_SIGNATURE'),
    bad('with another deadline', { ...promise, deadline: promise.issuedAt }, 'PROMISE_SIGNATURE'),
    bad('its signature as that of the promise alone', { ...claims, signature: batch.signature }, 'PROMISE_SIGNATURE'),
    bad('of another log', { ...promise, log: 'custos.local/acne/live' }, 'KEY_NOT_OF_LOG'),
    bad('by the log key', batched([{ ...claims, keyId: keyIdOf(LOG_KEY) }, claims], 0, LOG_KEY), 'KEY_NOT_OF_LOG'),
    ...Object.entries(MALFORMED).map(([name, change]) =>
      bad(name, { ...promise, batch: { ...batch, ...change } }, 'MALFORMED'),
    ),
    bad('with a signature beside the batch', { ...promise, signature: batch.signature }, 'MALFORMED'),
    bad('with a batch of null', { ...promise, batch: null }, 'MALFORMED'),
    bad('with a batch of null beside a signature', { ...signPromise(claims, PROMISE_KEY), batch: null }, 'MALFORMED'),
    bad('with a list for a batch', { ...promise, batch: [batch] }, 'MALFORMED'),
    bad('with an index of minus zero', text.replace('"index":4', '"index":-0'), 'MALFORMED'),
    bad('with a size twice', text.replace('"size":7', '"size":7,"size":7'), 'MALFORMED'),
  ];
}
