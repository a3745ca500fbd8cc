// Keys: private keys from PEM, key ids, JSON Web Keys, and published keys with their log and the tree sizes that each may sign.
import { createHash, createPrivateKey, KeyObject } from 'node:crypto';
import { publicKeyFromRaw, rawPublicKey } from './ed25519.ts';
import { exactMembers, isCount, quoted } from './encoding.ts';
import { ProofError } from './failures.ts';
import { ED25519, encodeVkey, parseVkey } from './note.ts';
import type { PublishedKey } from './shapes.ts';

/** A log names its promise key `<origin>/promise`, so that a promise key can never be used as a log key. */
const PROMISE_SUFFIX = '/promise';
const MAX_KEYS = 10_000;

/** Loads an Ed25519 private key from PKCS 8 PEM. @throws {TypeError} when it is invalid */
export function loadPrivateKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // OpenSSL's message names internal routines and could quote the key.
    throw new TypeError('not a private key in PEM (PKCS 8)');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  return key;
}

/** The id of a key everywhere: its JWK thumbprint (RFC 7638, SHA-256, base64url, 43 characters). */
export function keyIdOf(key: KeyObject | Uint8Array): string {
  const x = Buffer.from(key instanceof KeyObject ? rawPublicKey(key) : key).toString('base64url');
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}

export interface Jwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 public bytes, base64url. */
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** The public key as a JSON Web Key (RFC 8037). */
export function jwkOf(key: KeyObject | Uint8Array): Jwk {
  const raw = key instanceof KeyObject ? rawPublicKey(key) : Buffer.from(key);
  return { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url'), kid: keyIdOf(raw), use: 'sig', alg: 'EdDSA' };
}

/** The JWK set of several keys (RFC 7517 section 5); a key given twice appears once. */
export function jwksOf(keys: readonly (KeyObject | Uint8Array)[]): { readonly keys: readonly Jwk[] } {
  return { keys: [...new Map(keys.map((key) => [keyIdOf(key), jwkOf(key)])).values()] };
}

export type KeyUse = PublishedKey['use'];

export const PUBLISHED_MEMBERS = ['keyId', 'vkey', 'use', 'firstSize', 'lastSize'] as const;

/** A key that the verifier trusts, decoded. */
export interface TrustedKey {
  readonly keyId: string;
  /** The log that the key belongs to. */
  readonly origin: string;
  readonly use: KeyUse;
  readonly publicKey: KeyObject;
  readonly raw: Buffer;
  readonly firstSize: number;
  readonly lastSize: number | null;
}

export interface PublishOptions {
  readonly origin: string;
  readonly use: KeyUse;
  readonly firstSize?: number;
  readonly lastSize?: number | null;
}

/** The published form of a key: one entry of `GET /v1/log/keys`. */
export function publishKey(key: KeyObject | Uint8Array, options: PublishOptions): PublishedKey {
  const { origin, use, firstSize = 0, lastSize = null } = options;
  const raw = key instanceof KeyObject ? rawPublicKey(key) : Buffer.from(key);
  const name = use === 'promise' ? `${origin}${PROMISE_SUFFIX}` : origin;
  return { keyId: keyIdOf(raw), vkey: encodeVkey({ name, algorithm: ED25519, key: raw }), use, firstSize, lastSize };
}

/**
 * Decodes a trusted key from its verifier key text. Its name determines its purpose; without sizes it may sign any size. @throws
 * {ProofError} MALFORMED
 */
export function trustKey(vkey: string, sizes: { firstSize?: number; lastSize?: number | null } = {}): TrustedKey {
  const { name, algorithm, key } = parseVkey(vkey);
  // The log signs the note and the time with one key, so the Ed25519 verifier key is sufficient.
  if (algorithm !== ED25519)
    throw new ProofError('MALFORMED', `The key of ${quoted(name)} is a cosigner's, not that of a log.`);
  const isPromise = name.endsWith(PROMISE_SUFFIX);
  return {
    keyId: keyIdOf(key),
    origin: isPromise ? name.slice(0, -PROMISE_SUFFIX.length) : name,
    use: isPromise ? 'promise' : 'log',
    publicKey: publicKeyFromRaw(key),
    raw: key,
    firstSize: sizes.firstSize ?? 0,
    lastSize: sizes.lastSize ?? null,
  };
}

/** The entries of a key list: `{items, nextCursor}`, or a bare array as in exported logs and in answers of earlier versions. */
function publishedEntries(value: unknown): readonly unknown[] {
  const wrong = 'The keys are not a JSON list as /v1/log/keys gives it';
  if (typeof value !== 'object' || value === null) throw new ProofError('MALFORMED', `${wrong}.`);
  const { items, nextCursor } = Array.isArray(value)
    ? { items: value, nextCursor: null }
    : exactMembers(value, 'The list of keys', ['items', 'nextCursor']);
  if (!Array.isArray(items) || items.length > MAX_KEYS) throw new ProofError('MALFORMED', `${wrong}.`);
  // Without the rest, a receipt that a missing key has signed would be called forged.
  if (nextCursor !== null) throw new ProofError('MALFORMED', `${wrong}: its nextCursor says that more keys follow.`);
  return items;
}

/** Decodes the key list of `GET /v1/log/keys`, given as parsed JSON. @throws {ProofError} MALFORMED */
export function trustPublishedKeys(value: unknown): TrustedKey[] {
  return publishedEntries(value).map((entry, i) => {
    const what = `Key ${i + 1} of the list`;
    const { keyId, vkey, use, firstSize, lastSize } = exactMembers(entry, what, PUBLISHED_MEMBERS);
    if (typeof vkey !== 'string' || !isCount(firstSize) || !(lastSize === null || isCount(lastSize)))
      throw new ProofError('MALFORMED', `${what} has a vkey, firstSize or lastSize of the wrong kind.`);
    const key = trustKey(vkey, { firstSize, lastSize });
    if (key.keyId !== keyId || key.use !== use)
      throw new ProofError('MALFORMED', `${what} has a keyId or use that does not fit its vkey.`);
    return key;
  });
}
