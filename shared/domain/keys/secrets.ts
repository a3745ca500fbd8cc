// Hashing and comparing the secrets of API keys.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export interface SecretHasher {
  /** HMAC-SHA-256 of the secret's characters under the pepper: 32 bytes. */
  hash(secret: string): Buffer;
  /** Compares in constant time. With undefined (no such key) it does the same work and returns false. */
  matches(presented: Buffer, stored: Buffer | undefined): boolean;
}

/** @param pepper CUSTOS_PEPPER, 32 characters or more */
export function createSecretHasher(pepper: string): SecretHasher {
  const key = createSecretKey(pepper, 'utf8');
  const noHash = Buffer.alloc(32);
  return {
    hash: (secret) => createHmac('sha256', key).update(secret, 'ascii').digest(),
    matches(presented, stored) {
      const known = stored !== undefined && stored.length === presented.length;
      const equal = timingSafeEqual(presented, known ? stored : noHash);
      return known && equal;
    },
  };
}
