// What is stored of an API key's secret, and how a presented one is compared with it.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export interface SecretHasher {
  /** HMAC-SHA-256 under the pepper of the secret's characters: 32 bytes. */
  hash(secret: string): Buffer;
  /** Compares in constant time; with undefined (no such key) it does the same work and says no. */
  matches(presented: Buffer, stored: Buffer | undefined): boolean;
}

/** @param pepper the service's secret, of 32 characters or more (CUSTOS_PEPPER) */
export function createSecretHasher(pepper: string): SecretHasher {
  const key = createSecretKey(pepper, 'utf8');
  const nobody = Buffer.alloc(32);
  return {
    hash: (secret) => createHmac('sha256', key).update(secret, 'ascii').digest(),
    matches(presented, stored) {
      const known = stored !== undefined && stored.length === presented.length;
      const equal = timingSafeEqual(presented, known ? stored : nobody);
      return known && equal;
    },
  };
}
