// The keys that a verifier trusts: C2SP verifier keys, or the answer of GET /v1/log/keys.
import { sha256, toHex } from '../sha256.ts';
import {
  type Bytes,
  concat,
  fromBase64,
  hasExactly,
  isCount,
  isObject,
  malformed,
  parseBounded,
  quoted,
  toBase64Url,
  utf8,
} from './encoding.ts';
import { VerificationError } from './failures.ts';

/** Signature types of c2sp.org/signed-note. */
export const ED25519 = 0x01;
export const COSIGNATURE_V1 = 0x04;
/** A log names its promise key so; it can never be used as a log key. */
const PROMISE_SUFFIX = '/promise';
/** No white space, no control characters and no plus sign. */
export const KEY_NAME = /^[^\p{White_Space}\p{Cc}+]+$/u;

/** A key as GET /v1/log/keys lists it. */
export interface PublishedKey {
  readonly keyId: string;
  /** `<name>+<hash>+<base64>` (c2sp.org/signed-note). */
  readonly vkey: string;
  readonly use: 'log' | 'promise';
  /** The sizes of trees that the key may sign; null: no end. */
  readonly firstSize: number;
  readonly lastSize: number | null;
}

/**
 * Verifier keys, one a line or in a list, or the answer of GET /v1/log/keys, as JSON text or parsed. A verifier key alone may sign trees of
 * every size.
 */
export type TrustedKeys =
  | string
  | readonly (string | PublishedKey)[]
  | { readonly items: readonly PublishedKey[]; readonly nextCursor: string | null };
const MAX_KEYS = 10_000;

export interface TrustedKey {
  /** JWK thumbprint (RFC 7638). */
  readonly keyId: string;
  readonly origin: string;
  readonly use: 'log' | 'promise';
  /** The 32 bytes of RFC 8032. */
  readonly raw: Bytes;
  readonly firstSize: number;
  readonly lastSize: number | null;
}

/** SHA-256(name || 0x0A || algorithm || key)[:4], the key hash of signature lines. */
export function keyHash(name: string, algorithm: number, key: Uint8Array): Bytes {
  return sha256(utf8(name), Uint8Array.of(0x0a, algorithm), key).slice(0, 4);
}

function readVkey(text: string, firstSize: number, lastSize: number | null): TrustedKey {
  // base64 may contain plus signs; names and hashes may not.
  const [, name = '', hash = '', material = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = fromBase64(material);
  if (!KEY_NAME.test(name) || bytes?.length !== 33 || bytes[0] !== ED25519)
    throw malformed(`${quoted(text)} is not a verifier key for Ed25519 (<name>+<hash>+<base64>).`);
  const raw = bytes.slice(1);
  if (toHex(keyHash(name, ED25519, raw)) !== hash)
    throw malformed(`The verifier key of ${quoted(name)} does not fit its hash: it was changed.`);
  const isPromise = name.endsWith(PROMISE_SUFFIX);
  return {
    keyId: toBase64Url(sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${toBase64Url(raw)}"}`))),
    origin: isPromise ? name.slice(0, -PROMISE_SUFFIX.length) : name,
    use: isPromise ? 'promise' : 'log',
    raw,
    firstSize,
    lastSize,
  };
}

function readKey(value: unknown): TrustedKey {
  if (typeof value === 'string') return readVkey(value, 0, null);
  if (!hasExactly(value, ['keyId', 'vkey', 'use', 'firstSize', 'lastSize']))
    throw malformed('A key has not the members of an entry of /v1/log/keys.');
  const { keyId, vkey, use, firstSize, lastSize } = value;
  if (typeof vkey !== 'string' || !isCount(firstSize) || !(lastSize === null || isCount(lastSize)))
    throw malformed('A key has a vkey, firstSize or lastSize of the wrong kind.');
  const key = readVkey(vkey, firstSize, lastSize);
  if (key.keyId !== keyId || key.use !== use) throw malformed('A key has a keyId or use that does not fit its vkey.');
  return key;
}

/** The line without white space around it, such as the carriage return of a file from Windows. */
function stripped(line: string): string {
  const isSpace = (at: number): boolean => ' \t\r\n'.includes(line.charAt(at));
  let [start, end] = [0, line.length];
  while (start < end && isSpace(start)) start += 1;
  while (start < end && isSpace(end - 1)) end -= 1;
  return line.slice(start, end);
}

/** The entries of keys as they are given. */
function entriesOf(keys: unknown): unknown {
  if (typeof keys === 'string') {
    const text = stripped(keys);
    if (/^[[{]/.test(text)) return entriesOf(parseBounded(text, 'The list of keys'));
    return text
      .split('\n')
      .map(stripped)
      .filter((line) => line !== '');
  }
  if (!isObject(keys)) return keys;
  if (!hasExactly(keys, ['items', 'nextCursor'])) return undefined;
  // Without the rest, a receipt that a missing key has signed would be called forged.
  if (keys['nextCursor'] !== null) throw malformed('The list of keys has a nextCursor: more keys follow.');
  return keys['items'];
}

/** @throws {VerificationError} MALFORMED */
export function readKeys(keys: TrustedKeys): TrustedKey[] {
  const list = entriesOf(keys);
  if (!Array.isArray(list) || list.length > MAX_KEYS)
    throw malformed('The keys are not a list as /v1/log/keys gives it.');
  return list.map(readKey);
}

/** RFC 8032 section 5.1.7, by the runtime. */
export async function verifySignature({ raw }: TrustedKey, signature: Bytes, message: Bytes): Promise<boolean> {
  const algorithm = { name: 'Ed25519' };
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  } catch (cause) {
    // Other errors are about the bytes: they are no point of the curve.
    if (!(cause instanceof DOMException && cause.name === 'NotSupportedError')) return false;
    throw new Error('This runtime can not verify Ed25519 signatures.', { cause });
  }
  return crypto.subtle.verify(algorithm, key, signature, message);
}

/** The message of a cosignature/v1 (c2sp.org/tlog-cosignature). */
export function cosignedMessage(timeSeconds: bigint, text: string): Bytes {
  return concat(utf8(`cosignature/v1\ntime ${timeSeconds}\n`), utf8(text));
}

export function notOfLog(sentence: string): VerificationError {
  return new VerificationError('KEY_NOT_OF_LOG', sentence);
}
