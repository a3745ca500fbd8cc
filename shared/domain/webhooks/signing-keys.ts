// Keys that sign webhooks, as in the Standard Webhooks specification: `whsec_` (HMAC-SHA256) and `whsk_`/`whpk_` (Ed25519).
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Seals } from '../../platform/db/seals/seals.ts';

export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

const SECRET = 'whsec_';
const PRIVATE_KEY = 'whsk_';
const PUBLIC_KEY = 'whpk_';
/** Bytes of a secret that is generated here; the specification permits 24 to 64. */
const SECRET_BYTES = 32;
const SEED_BYTES = 32;
/** DER of an Ed25519 private key up to its seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key as the column `signing_keys` holds it. */
export interface StoredSigningKey {
  /** The secret or private key, in its text form. */
  readonly encrypted: string;
  /** `whpk_...` of an Ed25519 key. */
  readonly publicKey?: string;
  /** RFC 3339. It signs until then; absent: until it is replaced. */
  readonly until?: string;
}

function seedOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PRIVATE_KEY.length), 'base64').subarray(0, SEED_BYTES);
}

const privateKeyOf = (secret: string) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seedOf(secret)]), format: 'der', type: 'pkcs8' });

function publicKeyOf(secret: string): string {
  // The key's 32 bytes are the end of its DER encoding.
  const der = createPublicKey(privateKeyOf(secret)).export({ format: 'der', type: 'spki' });
  return `${PUBLIC_KEY}${der.subarray(-32).toString('base64')}`;
}

export function generateSecret(signature: Signature): string {
  if (signature === 'hmac') return `${SECRET}${randomBytes(SECRET_BYTES).toString('base64')}`;
  const { privateKey } = generateKeyPairSync('ed25519');
  // The seed is the end of the DER encoding.
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES);
  return `${PRIVATE_KEY}${seed.toString('base64')}`;
}

/** What is wrong with a secret that a caller chose; undefined: nothing. */
export function secretProblem(secret: string): string | undefined {
  const prefix = [SECRET, PRIVATE_KEY].find((known) => secret.startsWith(known));
  if (prefix === undefined) return `must begin with ${SECRET} (a secret) or ${PRIVATE_KEY} (an Ed25519 private key)`;
  const text = secret.slice(prefix.length);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return `must have base64 with padding after ${prefix}`;
  if (prefix === SECRET)
    return bytes.length >= 24 && bytes.length <= 64 ? undefined : 'must have 24 to 64 bytes, in base64';
  if (bytes.length === SEED_BYTES) return undefined;
  const isWhole = bytes.length === 2 * SEED_BYTES;
  if (isWhole && bytes.subarray(SEED_BYTES).toString('base64') === publicKeyOf(secret).slice(PUBLIC_KEY.length))
    return undefined;
  return 'must have the 32 bytes of an Ed25519 private key, or these and the 32 of its public key, in base64';
}

export function storeSecret(seals: Seals, endpointId: string, secret: string): StoredSigningKey {
  const encrypted = seals.encryptText('webhook-key', endpointId, secret);
  return secret.startsWith(PRIVATE_KEY) ? { encrypted, publicKey: publicKeyOf(secret) } : { encrypted };
}

/** The keys that sign at this time, newest first. */
export function validKeys(keys: readonly StoredSigningKey[], nowMs: number): StoredSigningKey[] {
  return keys.filter(({ until }) => until === undefined || Date.parse(until) > nowMs);
}

/** The secrets of these keys; undefined when one can't be decrypted. */
export function readSecrets(seals: Seals, endpointId: string, keys: readonly StoredSigningKey[]): string[] | undefined {
  const secrets = keys.map(({ encrypted }) => seals.decryptText('webhook-key', endpointId, encrypted));
  return secrets.every((secret) => secret !== undefined) ? secrets : undefined;
}

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly payload: string;
}

/** Value of the header webhook-signature: one signature for each secret. */
export function signMessage(secrets: readonly string[], { id, timestampSeconds, payload }: SignedMessage): string {
  const content = Buffer.from(`${id}.${timestampSeconds}.${payload}`, 'utf8');
  return secrets
    .map((secret) => {
      if (secret.startsWith(PRIVATE_KEY)) return `v1a,${sign(null, content, privateKeyOf(secret)).toString('base64')}`;
      const key = Buffer.from(secret.slice(SECRET.length), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}
