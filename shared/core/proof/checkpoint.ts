// Checkpoints (c2sp.org/tlog-checkpoint): origin, size and root of the log, with two signatures of the log key, one of them over the time.
import type { KeyObject } from 'node:crypto';
import { quoted, strictBase64, strictDecimal } from './encoding.ts';
import { ProofError } from './failures.ts';
import type { TrustedKey } from './keys.ts';
import {
  COSIGNATURE_BYTES,
  cosignatureSigner,
  cosignatureTimeSeconds,
  cosignatureVerifier,
  ed25519Signer,
  ed25519Verifier,
  type NoteVerifier,
  openNote,
  parseNote,
  signNote,
} from './note.ts';

export interface TreeHead {
  readonly origin: string;
  /** Number of leaves of the tree. */
  readonly size: number;
  /** 32 bytes */
  readonly root: Buffer;
}

export interface Checkpoint extends TreeHead {
  /** Signing time, whole seconds in milliseconds since 1970. */
  readonly timeMs: number;
  /** The key that signed. */
  readonly keyId: string;
}

/**
 * Builds the signed note of a tree head with two signature lines of the log key: Ed25519, and cosignature/v1, which includes the time.
 * @throws {TypeError} when origin, size or root are not valid in a checkpoint
 */
export function writeCheckpoint(head: {
  origin: string;
  size: number;
  root: Uint8Array;
  key: KeyObject;
  timeMs: number;
}): string {
  const { origin, size, root, key, timeMs } = head;
  if (!Number.isSafeInteger(size) || size < 0 || root.length !== 32) throw new TypeError('not the head of a tree');
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) throw new TypeError('not a time');
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  return signNote(text, [ed25519Signer(origin, key), cosignatureSigner(origin, key, Math.floor(timeMs / 1_000))]);
}

/** Parses a checkpoint without verifying it, in order to find the keys for it. @throws {ProofError} MALFORMED */
export function peekCheckpoint(note: string): TreeHead {
  return parseHead(parseNote(note).text);
}

/** As peekCheckpoint; undefined when the text is no checkpoint. */
export function peekIfCheckpoint(note: string): TreeHead | undefined {
  try {
    return peekCheckpoint(note);
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}

/** The time of a checkpoint, without verifying it: whole seconds in milliseconds since 1970; undefined when it has none. */
export function peekTimeMs(note: string): number | undefined {
  try {
    const timed = parseNote(note).signatures.find(({ signature }) => signature.length === COSIGNATURE_BYTES);
    return timed && cosignatureTimeSeconds(timed.signature) * 1_000;
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}

/**
 * Verifies a checkpoint: both lines of a key that is trusted for this origin and may sign this size must be valid. @throws {ProofError}
 * MALFORMED, KEY_NOT_OF_LOG, CHECKPOINT_SIGNATURE, KEY_NOT_AT_SIZE
 */
export function readCheckpoint(note: string, trustedKeys: readonly TrustedKey[]): Checkpoint {
  const head = peekCheckpoint(note);
  const keys = trustedKeys.filter((key) => key.use === 'log' && key.origin === head.origin);
  if (keys.length === 0)
    throw new ProofError(
      'KEY_NOT_OF_LOG',
      `None of the keys that are trusted belongs to the log ${quoted(head.origin)}.`,
    );
  const { verified } = openNote(note, keys.flatMap(verifiersOf));
  // Both lines are required: if one was removed, either the time or the log's plain signature is missing.
  const signed = verified.find(
    ({ verifier }) =>
      verifier.isTimed &&
      verified.some((other) => !other.verifier.isTimed && other.verifier.key.raw.equals(verifier.key.raw)),
  );
  if (signed === undefined)
    throw new ProofError('CHECKPOINT_SIGNATURE', 'One of the two signatures of the log key is missing or was changed.');
  const { keyId } = signed.verifier.key;
  // A key that is listed twice was in use for two ranges of sizes.
  const spans = keys.filter((key) => key.keyId === keyId);
  if (!spans.some(({ firstSize, lastSize }) => firstSize <= head.size && (lastSize === null || head.size <= lastSize)))
    throw new ProofError(
      'KEY_NOT_AT_SIZE',
      `The key ${keyId} may sign trees of ${spans.map(({ firstSize, lastSize }) => `${firstSize} to ${lastSize ?? 'any number of'}`).join(', or ')} leaves, not one of ${head.size}.`,
    );
  return { ...head, timeMs: cosignatureTimeSeconds(signed.signature) * 1_000, keyId };
}

interface LogVerifier extends NoteVerifier {
  readonly key: TrustedKey;
  readonly isTimed: boolean;
}

function verifiersOf(key: TrustedKey): LogVerifier[] {
  return [
    { ...ed25519Verifier(key.origin, key.publicKey, key.raw), key, isTimed: false },
    { ...cosignatureVerifier(key.origin, key.publicKey, key.raw), key, isTimed: true },
  ];
}

function parseHead(text: string): TreeHead {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n');
  const root = strictBase64(rootText);
  if (origin === '' || extensions.includes(''))
    throw new ProofError('MALFORMED', 'The checkpoint has an empty line where it may not have one.');
  const size = strictDecimal(sizeText);
  if (size === undefined)
    throw new ProofError(
      'MALFORMED',
      `The checkpoint's size ${quoted(sizeText)} is not a number of leaves below 2^53.`,
    );
  if (root === undefined || root.length !== 32)
    throw new ProofError('MALFORMED', "The checkpoint's root is not 32 bytes in base64.");
  return { origin, size, root };
}
