// C2SP signed notes (c2sp.org/signed-note) with Ed25519 and cosignature/v1 signatures, and verifier keys. Strict in both directions.
import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { quoted, strictBase64 } from './encoding.ts';
import { ProofError } from './failures.ts';
import { rawPublicKey } from './ed25519.ts';

/** Signature types of signed-note: Ed25519 over the text, and Ed25519 over a time and the text (tlog-cosignature). */
export const ED25519 = 0x01;
export const COSIGNATURE_V1 = 0x04;
export type NoteAlgorithm = typeof ED25519 | typeof COSIGNATURE_V1;

const SIGNATURE_BYTES = 64;
const HASH_BYTES = 4;
const TIME_BYTES = 8;
/** A time and a signature. */
export const COSIGNATURE_BYTES = TIME_BYTES + SIGNATURE_BYTES;
const DASH = '\u2014 ';
/** The specification requires verifiers to accept 16; Go's implementation also stops at 100. */
const MAX_SIGNATURES = 100;
const MAX_NOTE_BYTES = 65_536;
/** The latest time that a date can have, 275,760-09-13. The format allows later ones. */
const MAX_TIME_SECONDS = 8_640_000_000_000n;
const KEY_NAME = /^[^\p{White_Space}\p{Cc}+]+$/u;

/** A signer of notes, which adds one signature line. */
export interface NoteSigner {
  readonly name: string;
  /** Four bytes: the key ID of signed-note. */
  readonly keyHash: Buffer;
  readonly sign: (text: string) => Buffer;
}

/** A known key, whose signatures are verified. */
export interface NoteVerifier {
  readonly name: string;
  readonly keyHash: Buffer;
  readonly verify: (text: string, signature: Buffer) => boolean;
}

/** SHA-256(name || 0x0A || algorithm || key)[:4], the key ID of signed-note and tlog-cosignature. */
export function keyHash(name: string, algorithm: NoteAlgorithm, key: Uint8Array): Buffer {
  const hash = createHash('sha256').update(name).update(Uint8Array.of(0x0a, algorithm)).update(key);
  return hash.digest().subarray(0, HASH_BYTES);
}

export interface Vkey {
  readonly name: string;
  readonly algorithm: NoteAlgorithm;
  /** 32 public bytes. */
  readonly key: Buffer;
}

/** `<name>+<key hash, hex>+<base64 of algorithm || key>` */
export function encodeVkey({ name, algorithm, key }: Vkey): string {
  if (!KEY_NAME.test(name)) throw new TypeError('a key name has no spaces, control characters or plus signs');
  const material = Buffer.concat([Uint8Array.of(algorithm), key]).toString('base64');
  return `${name}+${keyHash(name, algorithm, key).toString('hex')}+${material}`;
}

/** @throws {ProofError} MALFORMED unless it is an Ed25519 or cosignature/v1 verifier key with the right hash */
export function parseVkey(text: string): Vkey {
  // base64 may contain plus signs; names and hashes may not.
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name = '', hash = '', material = ''] = match ?? [];
  const bytes = strictBase64(material);
  const algorithm = bytes?.[0];
  if (!KEY_NAME.test(name) || bytes === undefined || bytes.length !== 33)
    throw new ProofError('MALFORMED', `${quoted(text)} is not a verifier key (<name>+<hash>+<base64>).`);
  if (algorithm !== ED25519 && algorithm !== COSIGNATURE_V1)
    throw new ProofError('MALFORMED', `The verifier key of ${quoted(name)} is not for Ed25519.`);
  const key = bytes.subarray(1);
  if (keyHash(name, algorithm, key).toString('hex') !== hash)
    throw new ProofError('MALFORMED', `The verifier key of ${quoted(name)} does not fit its hash: it was changed.`);
  return { name, algorithm, key };
}

/** Signs the text itself, with an Ed25519 private key. */
export function ed25519Signer(name: string, key: KeyObject): NoteSigner {
  return {
    name,
    keyHash: keyHash(name, ED25519, rawPublicKey(key)),
    sign: (text) => sign(null, Buffer.from(text), key),
  };
}

/** Signs the text with a time, whole seconds since 1970 (tlog-cosignature, Ed25519). */
export function cosignatureSigner(name: string, key: KeyObject, timeSeconds: number): NoteSigner {
  return {
    name,
    keyHash: keyHash(name, COSIGNATURE_V1, rawPublicKey(key)),
    sign: (text) => {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeBigUInt64BE(BigInt(timeSeconds));
      return Buffer.concat([time, sign(null, cosignedMessage(BigInt(timeSeconds), text), key)]);
    },
  };
}

export function ed25519Verifier(name: string, publicKey: KeyObject, raw: Uint8Array): NoteVerifier {
  return {
    name,
    keyHash: keyHash(name, ED25519, raw),
    verify: (text, signature) =>
      signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), publicKey, signature),
  };
}

export function cosignatureVerifier(name: string, publicKey: KeyObject, raw: Uint8Array): NoteVerifier {
  return {
    name,
    keyHash: keyHash(name, COSIGNATURE_V1, raw),
    verify: (text, signature) => {
      if (signature.length !== COSIGNATURE_BYTES) return false;
      const time = signature.readBigUInt64BE();
      if (time > MAX_TIME_SECONDS) return false;
      return verify(null, cosignedMessage(time, text), publicKey, signature.subarray(TIME_BYTES));
    },
  };
}

/** The time of a verified cosignature/v1, whole seconds since 1970. */
export function cosignatureTimeSeconds(signature: Buffer): number {
  return Number(signature.readBigUInt64BE());
}

function cosignedMessage(timeSeconds: bigint, text: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`);
}

/** Builds the note of a text that ends in a newline, with one line per signer. @throws {TypeError} when the text or a name is invalid */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  if (!isText(text) || signers.length === 0) throw new TypeError('this text cannot be signed as a note');
  const lines = signers.map(({ name, keyHash, sign }) => {
    if (!KEY_NAME.test(name)) throw new TypeError('a key name has no spaces, control characters or plus signs');
    return `${DASH}${name} ${Buffer.concat([keyHash, sign(text)]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

export interface SignatureLine {
  readonly name: string;
  readonly keyHash: Buffer;
  readonly signature: Buffer;
}

/** Parses a note without verifying it. @throws {ProofError} MALFORMED */
export function parseNote(note: string): { readonly text: string; readonly signatures: readonly SignatureLine[] } {
  const refuse = (why: string): never => {
    throw new ProofError('MALFORMED', `The checkpoint is not a signed note: ${why}.`);
  };
  if (note.length > MAX_NOTE_BYTES) refuse(`it is larger than ${MAX_NOTE_BYTES} bytes`);
  const end = note.lastIndexOf('\n\n');
  if (end === -1) refuse('no empty line stands before the signatures');
  const text = note.slice(0, end + 1);
  const rest = note.slice(end + 2);
  if (!isText(text) || !isText(rest)) refuse('it has control characters, or its last line has no end');
  const lines = rest.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) refuse(`it has more than ${MAX_SIGNATURES} signatures`);
  const signatures = lines.map((line) => {
    const [name = '', base64 = '', ...more] = line.startsWith(DASH) ? line.slice(DASH.length).split(' ') : [];
    const bytes = strictBase64(base64);
    if (!KEY_NAME.test(name) || more.length > 0 || bytes === undefined || bytes.length <= HASH_BYTES)
      return refuse('a signature line is not a dash, a name and base64');
    return { name, keyHash: bytes.subarray(0, HASH_BYTES), signature: bytes.subarray(HASH_BYTES) };
  });
  return { text, signatures };
}

export interface OpenedNote<V extends NoteVerifier> {
  readonly text: string;
  /** Verified signatures of known keys, in the order of their lines. */
  readonly verified: readonly { readonly verifier: V; readonly signature: Buffer }[];
}

/**
 * Opens a note. Lines of unknown keys are ignored; an invalid signature of a known key invalidates the whole note. @throws {ProofError}
 * MALFORMED, CHECKPOINT_SIGNATURE, or KEY_NOT_OF_LOG when no known key has signed
 */
export function openNote<V extends NoteVerifier>(note: string, verifiers: readonly V[]): OpenedNote<V> {
  const { text, signatures } = parseNote(note);
  const verified: { verifier: V; signature: Buffer }[] = [];
  for (const { name, keyHash, signature } of signatures) {
    // Two keys with the same name and hash are a 32-bit collision: either may be the signer.
    const known = verifiers.filter((v) => v.name === name && v.keyHash.equals(keyHash));
    if (known.length === 0) continue;
    const verifier = known.find((v) => v.verify(text, signature));
    if (verifier === undefined)
      throw new ProofError('CHECKPOINT_SIGNATURE', `The signature of ${quoted(name)} does not fit the checkpoint.`);
    verified.push({ verifier, signature });
  }
  if (verified.length === 0)
    throw new ProofError('KEY_NOT_OF_LOG', 'None of the keys that are trusted has signed this checkpoint.');
  return { text, verified };
}

function isText(text: string): boolean {
  return text.endsWith('\n') && text.isWellFormed() && !/[\u0000-\u0009\u000b-\u001f]/.test(text);
}
