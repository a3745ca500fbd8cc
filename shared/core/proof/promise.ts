// Promises: signed statements, given at once, that a record will be in the log by a deadline.
import { type KeyObject, sign, verify } from 'node:crypto';
import { canonicalString } from './canonical.ts';
import { exactMembers, has, isCount, quoted, strictBase64, strictHash, strictTime } from './encoding.ts';
import { asResult, type Failed, ProofError } from './failures.ts';
import { keyIdOf, type TrustedKey } from './keys.ts';
import { hashLeaf, levelsOf, pathIn, rootOfPath } from './merkle.ts';
import type { PromiseBatch, PromiseClaims, SignedPromise } from './shapes.ts';

const PREFIX = 'custos-promise-v1\n';
const BATCH_PREFIX = 'custos-promise-batch-v1\n';
const MAX_TEXT = 1_024;
/** Paths in a tree of 2^53 leaves have 53 hashes. */
const MAX_PATH = 53;

/** The message of a promise: a prefix specific to this format, and JCS of the claims. Times, digests and key ids need no escapes. */
function messageOf(c: PromiseClaims): Buffer {
  return Buffer.from(
    `${PREFIX}{"deadline":"${c.deadline}","issuedAt":"${c.issuedAt}","keyId":"${c.keyId}","log":${canonicalString(c.log)},"proofId":${canonicalString(c.proofId)},"recordDigest":"${c.recordDigest}"}`,
  );
}

/** The message of a batch, whose leaves are the messages of its promises: a prefix of its own, and JCS of the tree. */
function batchMessageOf(root: Uint8Array, size: number): Buffer {
  return Buffer.from(`${BATCH_PREFIX}{"root":"${Buffer.from(root).toString('hex')}","size":${size}}`);
}

/** Signs one promise alone, with a promise key (never a log key). */
export function signPromise(claims: PromiseClaims, key: KeyObject): SignedPromise & { readonly signature: string } {
  const { log, proofId, recordDigest, issuedAt, deadline, keyId } = claims;
  const signature = sign(null, messageOf(claims), key).toString('base64');
  return { log, proofId, recordDigest, issuedAt, deadline, keyId, signature };
}

/**
 * Signs several promises at once: they become the leaves of a Merkle tree (RFC 9162), whose root and size are signed. One promise is
 * signed alone. All should be of one log, because a path shows hashes of the others.
 */
export function signPromises(all: readonly PromiseClaims[], key: KeyObject): SignedPromise[] {
  const [first] = all;
  if (first === undefined) return [];
  const size = all.length;
  if (size === 1) return [signPromise(first, key)];
  const levels = levelsOf(all.map((claims) => hashLeaf(messageOf(claims))));
  const root = levels.at(-1)?.[0] ?? new Uint8Array();
  const signature = sign(null, batchMessageOf(root, size), key).toString('base64');
  const texts = levels.map((level) => level.map((hash) => Buffer.from(hash).toString('hex')));
  return all.map(({ log, proofId, recordDigest, issuedAt, deadline, keyId }, index) => {
    const batch = { size, index, path: pathIn(texts, index), signature };
    return { log, proofId, recordDigest, issuedAt, deadline, keyId, batch };
  });
}

/** JCS of a promise, for answers in canonical form that are concatenated from texts. */
export function promiseText(p: SignedPromise): string {
  const { batch, signature } = p;
  const path = batch?.path.map((hash) => `"${hash}"`).join(',');
  const batchText =
    batch === undefined
      ? ''
      : `"batch":{"index":${batch.index},"path":[${path}],"signature":"${batch.signature}","size":${batch.size}},`;
  const signatureText = signature === undefined ? '' : `,"signature":"${signature}"`;
  return `{${batchText}"deadline":"${p.deadline}","issuedAt":"${p.issuedAt}","keyId":"${p.keyId}","log":${canonicalString(p.log)},"proofId":${canonicalString(p.proofId)},"recordDigest":"${p.recordDigest}"${signatureText}}`;
}

/** What a promise is about; `issuedAtMs` is now, in milliseconds since 1970. */
export interface Promised {
  readonly log: string;
  readonly proofId: string;
  readonly recordDigest: string;
  readonly issuedAtMs: number;
}

export interface PromiseSigner {
  readonly keyId: string;
  /** Signs a promise alone: about 50 µs, most of it the signature. The same promise always gets the same signature. */
  promise(about: Promised): SignedPromise;
  /** Signs promises of one log together. */
  promises(all: readonly Promised[]): SignedPromise[];
}

/** Creates the signer of one promise key. @throws {TypeError} unless the key is an Ed25519 private key */
export function createPromiseSigner(deps: { key: KeyObject; maxMergeDelaySeconds: number }): PromiseSigner {
  const { key, maxMergeDelaySeconds } = deps;
  if (key.type !== 'private') throw new TypeError('a promise key is a private key');
  const keyId = keyIdOf(key);
  // Promises of the same millisecond share them.
  let last = { atMs: Number.NaN, issuedAt: '', deadline: '' };
  const claimsOf = ({ log, proofId, recordDigest, issuedAtMs }: Promised): PromiseClaims => {
    if (last.atMs !== issuedAtMs)
      last = {
        atMs: issuedAtMs,
        issuedAt: new Date(issuedAtMs).toISOString(),
        deadline: new Date(issuedAtMs + maxMergeDelaySeconds * 1_000).toISOString(),
      };
    const { issuedAt, deadline } = last;
    return { log, proofId, recordDigest, issuedAt, deadline, keyId };
  };
  return {
    keyId,
    promise: (about) => signPromise(claimsOf(about), key),
    promises: (all) => signPromises(all.map(claimsOf), key),
  };
}

const CLAIMS = ['log', 'proofId', 'recordDigest', 'issuedAt', 'deadline', 'keyId'] as const;

/** Reads a promise from parsed JSON. @throws {ProofError} MALFORMED */
export function promiseOf(value: unknown): SignedPromise {
  const evidence = has(value, 'batch') ? 'batch' : 'signature';
  const members = exactMembers<(typeof CLAIMS)[number] | 'batch' | 'signature'>(value, 'The promise', [
    ...CLAIMS,
    evidence,
  ]);
  const { log, proofId, recordDigest, issuedAt, deadline, keyId, batch, signature } = members;
  if (!isShortText(log) || !isShortText(proofId)) return refuse('log or proofId is not a text');
  if (typeof recordDigest !== 'string' || strictHash(recordDigest) === undefined)
    return refuse('recordDigest is not 64 lower-case hex digits');
  if (typeof issuedAt !== 'string' || strictTime(issuedAt) === undefined) return refuse('issuedAt is not a time');
  if (typeof deadline !== 'string' || strictTime(deadline) === undefined) return refuse('deadline is not a time');
  if (typeof keyId !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(keyId)) return refuse('keyId is not a key thumbprint');
  const claims = { log, proofId, recordDigest, issuedAt, deadline, keyId };
  if (evidence === 'batch') return { ...claims, batch: batchOf(batch) };
  if (!isSignature(signature)) return refuse('signature is not 64 bytes in base64');
  return { ...claims, signature };
}

function batchOf(value: unknown): PromiseBatch {
  const { size, index, path, signature } = exactMembers(value, "The promise's batch", [
    'size',
    'index',
    'path',
    'signature',
  ]);
  // There is one form for a promise that was signed alone: without a batch.
  if (!isCount(size) || size < 2) return refuse("batch's size is not a whole number from 2 to 2^53-1");
  if (!isCount(index)) return refuse("batch's index is not a whole number from 0 to 2^53-1");
  if (!Array.isArray(path) || path.length > MAX_PATH || !path.every((hash) => strictHash(hash) !== undefined))
    return refuse(`batch's path is not a list of at most ${MAX_PATH} hashes in lower-case hex`);
  if (!isSignature(signature)) return refuse("batch's signature is not 64 bytes in base64");
  return { size, index, path, signature };
}

function refuse(why: string): never {
  throw new ProofError('MALFORMED', `The promise's ${why}.`);
}

function isSignature(value: unknown): value is string {
  return typeof value === 'string' && strictBase64(value)?.length === 64;
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && value.isWellFormed();
}

/** What was signed: the promise, or the tree to which its path leads; undefined when the path fits no tree of its size. */
function signedBytes(promise: SignedPromise): readonly [message: Buffer, signature: string | undefined] | undefined {
  const message = messageOf(promise);
  const { batch } = promise;
  if (batch === undefined) return [message, promise.signature];
  const { index, size, signature } = batch;
  const path = batch.path.map((hash) => Buffer.from(hash, 'hex'));
  const root = rootOfPath({ index, size, leafHash: hashLeaf(message), path });
  return root && [batchMessageOf(root, size), signature];
}

/**
 * Verifies the signature of a promise, made for it alone or for its batch. Whether it was kept can be checked with an exported log
 * (checkPromiseInLog).
 */
export function verifyPromise(
  promise: SignedPromise,
  trustedKeys: readonly TrustedKey[],
): { readonly ok: true; readonly promise: SignedPromise } | Failed {
  return asResult(() => {
    const keys = trustedKeys.filter((one) => one.use === 'promise' && one.origin === promise.log);
    const key = keys.find((one) => one.keyId === promise.keyId);
    if (key === undefined)
      throw new ProofError(
        'KEY_NOT_OF_LOG',
        `None of the promise keys of ${quoted(promise.log)} that are trusted is ${promise.keyId}.`,
      );
    const [message, signature] = signedBytes(promise) ?? [];
    if (
      message === undefined ||
      signature === undefined ||
      !verify(null, message, key.publicKey, Buffer.from(signature, 'base64'))
    )
      throw new ProofError('PROMISE_SIGNATURE', 'The signature does not fit the promise: one of them was changed.');
    return { ok: true, promise };
  });
}
