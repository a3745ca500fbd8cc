// Converts Ed25519 public keys to and from the 32 bytes of RFC 8032.
import { createPublicKey, type KeyObject } from 'node:crypto';

/** The prefix of an Ed25519 public key in its SubjectPublicKeyInfo (RFC 8410 section 4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The 32 bytes of a key's public part (RFC 8032). @throws {TypeError} unless it is Ed25519 */
export function rawPublicKey(key: KeyObject): Buffer {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
}

/** The key object of 32 public bytes. @throws {TypeError} for any other length */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  if (raw.length !== 32) throw new TypeError('an Ed25519 public key has 32 bytes');
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
}
