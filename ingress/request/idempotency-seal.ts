// Encryption of stored answers under the service's secret and the caller's Idempotency-Key, so that the row alone reveals nothing.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** AES-256-GCM under HKDF-SHA-256(pepper, salt = the caller's Idempotency-Key). */
export function sealingKey(pepper: Buffer, idempotencyKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, idempotencyKey, 'custos idempotency answer 1', 32));
}

/** Nonce (12 bytes), tag (16 bytes), ciphertext. */
export function seal(key: Buffer, text: string, associated: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(associated);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @returns undefined when the key or the associated data differs, or a byte was changed */
export function unsealed(key: Buffer, sealed: Buffer, associated: Buffer): string | undefined {
  if (sealed.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(12, 28));
  const text = decipher.update(sealed.subarray(28), undefined, 'utf8');
  try {
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
