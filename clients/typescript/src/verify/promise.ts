// Promises: signed statements, given at once, that a record will be in the log by a deadline.
import { canonicalText } from '../json.ts';
import { toHex } from '../sha256.ts';
import {
  type Bytes,
  fromBase64,
  fromHex,
  hasExactly,
  isCount,
  isHashText,
  isObject,
  isTime,
  malformed,
  parseBounded,
  quoted,
  utf8,
} from './encoding.ts';
import { asResult, type Failed, VerificationError } from './failures.ts';
import { notOfLog, readKeys, type TrustedKeys, verifySignature } from './keys.ts';
import { hashLeaf, rootOfPath } from './tree.ts';

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
const BATCH_PREFIX = 'custos-promise-batch-v1\n';
const MAX_TEXT = 1_024;
/** The path length in a tree of 2^53 leaves. */
const MAX_PATH = 53;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && value.isWellFormed();

const signatureOf = (value: unknown): Bytes | undefined => {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  return bytes?.length === 64 ? bytes : undefined;
};

/** The root and size of promises that were signed together, from the message of one of them; undefined when its path does not fit. */
function readBatch(batch: unknown): { signature: Bytes; signed: (message: Bytes) => Bytes | undefined } {
  if (!hasExactly(batch, ['size', 'index', 'path', 'signature']))
    throw malformed("The promise's batch is not an object with exactly the members of a batch.");
  const { size, index, path } = batch;
  const signature = signatureOf(batch['signature']);
  // A promise that was signed alone has no batch.
  if (!isCount(size) || size < 2 || !isCount(index) || signature === undefined)
    throw malformed("The size, index or signature of the promise's batch is not in its form.");
  if (!Array.isArray(path) || path.length > MAX_PATH || !path.every(isHashText))
    throw malformed(`The path of the promise's batch is not a list of at most ${MAX_PATH} hashes in lower-case hex.`);
  return {
    signature,
    signed: (message) => {
      const root = rootOfPath({ index, size, leaf: hashLeaf(message), path: path.map(fromHex) });
      return root && utf8(`${BATCH_PREFIX}{"root":"${toHex(root)}","size":${size}}`);
    },
  };
}

/** What was signed, and the signature. @throws {VerificationError} MALFORMED */
function readSignature(value: Readonly<Record<string, unknown>>): ReturnType<typeof readBatch> {
  if (Object.hasOwn(value, 'batch')) return readBatch(value['batch']);
  const signature = signatureOf(value['signature']);
  if (signature === undefined) throw malformed("The promise's signature is not in its form.");
  return { signature, signed: (message) => message };
}

/**
 * Verifies the signature of a promise, which is its own or that of its batch. Whether it was kept shows the receipt, or the absence of one after the deadline.
 * @param promise the JSON text, or the parsed JSON: a promise, or the answer that contained it
 */
export async function verifyPromise(promise: unknown, keys: TrustedKeys): Promise<VerifiedPromise | Failed> {
  return asResult(async () => {
    const given = typeof promise === 'string' ? parseBounded(promise, 'The promise') : promise;
    const value = typeof given === 'object' && given !== null && 'promise' in given ? given.promise : given;
    const evidence = isObject(value) && Object.hasOwn(value, 'batch') ? 'batch' : 'signature';
    if (!hasExactly(value, ['log', 'proofId', 'recordDigest', 'issuedAt', 'deadline', 'keyId', evidence]))
      throw malformed('The promise is not an object with exactly the members of a promise.');
    const { [evidence]: _, ...claims } = value;
    const { log, proofId, recordDigest, issuedAt, deadline, keyId } = claims;
    if (!isText(log) || !isText(proofId)) throw malformed("The promise's log or proofId is not a text.");
    if (!isHashText(recordDigest) || !isTime(issuedAt) || !isTime(deadline))
      throw malformed("The promise's recordDigest, issuedAt or deadline is not in its form.");
    if (typeof keyId !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(keyId))
      throw malformed("The promise's keyId is not in its form.");
    const { signature, signed } = readSignature(value);
    const key = readKeys(keys).find((one) => one.use === 'promise' && one.origin === log && one.keyId === keyId);
    if (key === undefined) throw notOfLog(`No trusted promise key of ${quoted(log)} is ${keyId}.`);
    const bytes = signed(utf8(PREFIX + canonicalText(claims)));
    if (bytes === undefined || !(await verifySignature(key, signature, bytes)))
      throw new VerificationError('PROMISE_SIGNATURE', 'The signature does not fit the promise.');
    return { ok: true, proofId, origin: log, keyId, recordDigest, issuedAt, deadline };
  });
}
