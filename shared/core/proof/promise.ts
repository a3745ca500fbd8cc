// Promises: signed statements, given at once, that a record will be in the log by a deadline.
import { type KeyObject, sign, verify } from 'node:crypto';
import { canonicalString } from './canonical.ts';
import { exactMembers, quoted, strictBase64, strictHash, strictTime } from './encoding.ts';
import { asResult, type Failed, ProofError } from './failures.ts';
import { keyIdOf, type TrustedKey } from './keys.ts';
import type { PromiseClaims, SignedPromise } from './shapes.ts';

const PREFIX = 'custos-promise-v1\n';
const MAX_TEXT = 1_024;

/** The signed message: a prefix specific to this format, and JCS of the claims. Times, digests and key ids need no escapes. */
function messageOf(c: PromiseClaims): Buffer {
  return Buffer.from(
    `${PREFIX}{"deadline":"${c.deadline}","issuedAt":"${c.issuedAt}","keyId":"${c.keyId}","log":${canonicalString(c.log)},"proofId":${canonicalString(c.proofId)},"recordDigest":"${c.recordDigest}"}`,
  );
}

/** Signs a promise with a promise key (never a log key). */
export function signPromise(claims: PromiseClaims, key: KeyObject): SignedPromise {
  const { log, proofId, recordDigest, issuedAt, deadline, keyId } = claims;
  const signature = sign(null, messageOf(claims), key).toString('base64');
  return { log, proofId, recordDigest, issuedAt, deadline, keyId, signature };
}

export interface PromiseSigner {
  readonly keyId: string;
  /** Signs a new promise; `issuedAtMs` is now, in milliseconds since 1970. About 50 µs, most of it the signature. */
  promise(about: { log: string; proofId: string; recordDigest: string; issuedAtMs: number }): SignedPromise;
  /** The same as JSON text, for answers that are concatenated from texts. */
  json(about: { log: string; proofId: string; recordDigest: string; issuedAtMs: number }): string;
}

/** Creates the signer of one promise key. @throws {TypeError} unless the key is an Ed25519 private key */
export function createPromiseSigner(deps: { key: KeyObject; maxMergeDelaySeconds: number }): PromiseSigner {
  const { key, maxMergeDelaySeconds } = deps;
  if (key.type !== 'private') throw new TypeError('a promise key is a private key');
  const keyId = keyIdOf(key);
  const promise: PromiseSigner['promise'] = ({ log, proofId, recordDigest, issuedAtMs }) => {
    const issuedAt = new Date(issuedAtMs).toISOString();
    const deadline = new Date(issuedAtMs + maxMergeDelaySeconds * 1_000).toISOString();
    return signPromise({ log, proofId, recordDigest, issuedAt, deadline, keyId }, key);
  };
  return {
    keyId,
    promise,
    json(about) {
      const p = promise(about);
      // Members in JCS order, so that an answer in canonical form stays canonical.
      return `{"deadline":"${p.deadline}","issuedAt":"${p.issuedAt}","keyId":"${p.keyId}","log":${canonicalString(p.log)},"proofId":${canonicalString(p.proofId)},"recordDigest":"${p.recordDigest}","signature":"${p.signature}"}`;
    },
  };
}

/** Reads a promise from parsed JSON. @throws {ProofError} MALFORMED */
export function promiseOf(value: unknown): SignedPromise {
  const { log, proofId, recordDigest, issuedAt, deadline, keyId, signature } = exactMembers(value, 'The promise', [
    'log',
    'proofId',
    'recordDigest',
    'issuedAt',
    'deadline',
    'keyId',
    'signature',
  ]);
  const refuse = (why: string): never => {
    throw new ProofError('MALFORMED', `The promise's ${why}.`);
  };
  if (!isShortText(log) || !isShortText(proofId)) return refuse('log or proofId is not a text');
  if (typeof recordDigest !== 'string' || strictHash(recordDigest) === undefined)
    return refuse('recordDigest is not 64 lower-case hex digits');
  if (typeof issuedAt !== 'string' || strictTime(issuedAt) === undefined) return refuse('issuedAt is not a time');
  if (typeof deadline !== 'string' || strictTime(deadline) === undefined) return refuse('deadline is not a time');
  if (typeof keyId !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(keyId)) return refuse('keyId is not a key thumbprint');
  if (typeof signature !== 'string' || strictBase64(signature)?.length !== 64)
    return refuse('signature is not 64 bytes in base64');
  return { log, proofId, recordDigest, issuedAt, deadline, keyId, signature };
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && value.isWellFormed();
}

/** Verifies the signature of a promise. Whether it was kept can be checked with an exported log (checkPromiseInLog). */
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
    if (!verify(null, messageOf(promise), key.publicKey, Buffer.from(promise.signature, 'base64')))
      throw new ProofError('PROMISE_SIGNATURE', 'The signature does not fit the promise: one of them was changed.');
    return { ok: true, promise };
  });
}
