// Promises: signed statements, given at once, that a record will be in the log by a deadline.
import { canonicalText } from '../json.ts';
import { fromBase64, hasExactly, isHashText, isTime, malformed, parseBounded, quoted, utf8 } from './encoding.ts';
import { asResult, type Failed, VerificationError } from './failures.ts';
import { notOfLog, readKeys, type TrustedKeys, verifySignature } from './keys.ts';

/** What a valid promise says. */
export interface VerifiedPromise {
  readonly ok: true;
  readonly proofId: string;
  /** The log that will hold the record. */
  readonly origin: string;
  readonly keyId: string;
  /** SHA-256, lower-case hex, of the canonical record without its previousHash. */
  readonly recordDigest: string;
  readonly issuedAt: string;
  readonly deadline: string;
}

const PREFIX = 'custos-promise-v1\n';
const MAX_TEXT = 1_024;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && value.isWellFormed();

/**
 * Verifies the signature of a promise. Whether it was kept shows the receipt, or the absence of one after the deadline.
 * @param promise the JSON text, or the parsed JSON: a promise, or the answer that contained it
 */
export async function verifyPromise(promise: unknown, keys: TrustedKeys): Promise<VerifiedPromise | Failed> {
  return asResult(async () => {
    const given = typeof promise === 'string' ? parseBounded(promise, 'The promise') : promise;
    const value = typeof given === 'object' && given !== null && 'promise' in given ? given.promise : given;
    if (!hasExactly(value, ['log', 'proofId', 'recordDigest', 'issuedAt', 'deadline', 'keyId', 'signature']))
      throw malformed('The promise is not an object with exactly the members of a promise.');
    const { signature, ...claims } = value;
    const { log, proofId, recordDigest, issuedAt, deadline, keyId } = claims;
    const bytes = typeof signature === 'string' ? fromBase64(signature) : undefined;
    if (!isText(log) || !isText(proofId)) throw malformed("The promise's log or proofId is not a text.");
    if (!isHashText(recordDigest) || !isTime(issuedAt) || !isTime(deadline))
      throw malformed("The promise's recordDigest, issuedAt or deadline is not in its form.");
    if (typeof keyId !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(keyId) || bytes?.length !== 64)
      throw malformed("The promise's keyId or signature is not in its form.");
    const key = readKeys(keys).find((one) => one.use === 'promise' && one.origin === log && one.keyId === keyId);
    if (key === undefined) throw notOfLog(`No trusted promise key of ${quoted(log)} is ${keyId}.`);
    if (!(await verifySignature(key, bytes, utf8(PREFIX + canonicalText(claims)))))
      throw new VerificationError('PROMISE_SIGNATURE', 'The signature does not fit the promise.');
    return { ok: true, proofId, origin: log, keyId, recordDigest, issuedAt, deadline };
  });
}
