// Checkpoints: signed tree heads (C2SP signed-note, tlog-checkpoint and tlog-cosignature).
import { type Bytes, fromBase64, fromDecimal, isEqual, malformed, quoted, utf8 } from './encoding.ts';
import { VerificationError } from './failures.ts';
import {
  COSIGNATURE_V1,
  cosignedMessage,
  ED25519,
  KEY_NAME,
  keyHash,
  notOfLog,
  type TrustedKey,
  verifySignature,
} from './keys.ts';

const DASH = '\u2014 ';
const MAX_SIGNATURES = 100;
const MAX_CHARACTERS = 65_536;
const HASH_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** The latest time that a date can have. */
const MAX_TIME_SECONDS = 8_640_000_000_000n;

interface SignatureLine {
  readonly name: string;
  readonly keyHash: Bytes;
  readonly signature: Bytes;
}

/** A tree head that a trusted key has signed. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
  /** When it was signed, milliseconds since 1970. */
  readonly timeMs: number;
  readonly keyId: string;
}

function parseLine(row: string): SignatureLine {
  const [name = '', base64 = '', ...more] = row.startsWith(DASH) ? row.slice(DASH.length).split(' ') : [];
  const bytes = fromBase64(base64);
  if (!KEY_NAME.test(name) || more.length > 0 || bytes === undefined || bytes.length <= HASH_BYTES)
    throw malformed('A signature line of the checkpoint is not a dash, a name and base64.');
  return { name, keyHash: bytes.slice(0, HASH_BYTES), signature: bytes.slice(HASH_BYTES) };
}

function parseNote(note: string): { readonly text: string; readonly lines: readonly SignatureLine[] } {
  // Control characters except newlines.
  if (note.length > MAX_CHARACTERS || !note.endsWith('\n') || !note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note))
    throw malformed('The checkpoint is too large, has control characters, or its last line has no end.');
  const end = note.lastIndexOf('\n\n');
  if (end === -1) throw malformed('The checkpoint has no empty line before its signatures.');
  const rows = note.slice(end + 2, -1).split('\n');
  if (rows.length > MAX_SIGNATURES) throw malformed(`The checkpoint has more than ${MAX_SIGNATURES} signatures.`);
  return { text: note.slice(0, end + 1), lines: rows.map(parseLine) };
}

function parseHead(text: string): Pick<Checkpoint, 'origin' | 'size' | 'root'> {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n');
  const size = fromDecimal(sizeText);
  const root = fromBase64(rootText);
  if (origin === '' || extensions.includes('')) throw malformed('The checkpoint has an empty line.');
  if (size === undefined) throw malformed(`The checkpoint's size ${quoted(sizeText)} is not a number below 2^53.`);
  if (root?.length !== 32) throw malformed("The checkpoint's root is not 32 bytes in base64.");
  return { origin, size, root };
}

/** One valid signature line of a trusted key. */
interface Signed {
  readonly key: TrustedKey;
  /** Of a cosignature/v1, which includes the time. */
  readonly timeSeconds: bigint | undefined;
}

/** @returns undefined when the signature does not fit */
async function checkLine(
  { signature }: SignatureLine,
  key: TrustedKey,
  algorithm: number,
  text: string,
): Promise<Signed | undefined> {
  if (algorithm === ED25519) {
    const fits = signature.length === SIGNATURE_BYTES && (await verifySignature(key, signature, utf8(text)));
    return fits ? { key, timeSeconds: undefined } : undefined;
  }
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const timeSeconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  if (timeSeconds > MAX_TIME_SECONDS) return undefined;
  const fits = await verifySignature(key, signature.slice(TIME_BYTES), cosignedMessage(timeSeconds, text));
  return fits ? { key, timeSeconds } : undefined;
}

/** Checks every line of a trusted key; lines of other keys are ignored. */
async function checkLines(
  lines: readonly SignatureLine[],
  keys: readonly TrustedKey[],
  text: string,
): Promise<Signed[]> {
  const verifiers = keys.flatMap((key) =>
    [ED25519, COSIGNATURE_V1].map((algorithm) => ({ key, algorithm, hash: keyHash(key.origin, algorithm, key.raw) })),
  );
  const signed: Signed[] = [];
  for (const line of lines) {
    // More than one only when hashes of 32 bits collide, or when a key is listed for several ranges of sizes.
    const known = verifiers.filter(({ key, hash }) => key.origin === line.name && isEqual(hash, line.keyHash));
    if (known.length === 0) continue;
    const results = await Promise.all(known.map(({ key, algorithm }) => checkLine(line, key, algorithm, text)));
    const fitting = results.find((result) => result !== undefined);
    if (fitting === undefined)
      throw new VerificationError('CHECKPOINT_SIGNATURE', `The signature of ${quoted(line.name)} does not fit.`);
    signed.push(fitting);
  }
  return signed;
}

/** @throws {VerificationError} MALFORMED, KEY_NOT_OF_LOG, CHECKPOINT_SIGNATURE, KEY_NOT_AT_SIZE */
export async function verifyCheckpoint(note: string, trusted: readonly TrustedKey[]): Promise<Checkpoint> {
  const { text, lines } = parseNote(note);
  const head = parseHead(text);
  const keys = trusted.filter(({ use, origin }) => use === 'log' && origin === head.origin);
  const signed = await checkLines(lines, keys, text);
  if (signed.length === 0) throw notOfLog(`No trusted key of the log ${quoted(head.origin)} has signed.`);
  // Without the plain line or the timed line of a key, one of the two was removed.
  const plainIds = signed.filter(({ timeSeconds }) => timeSeconds === undefined).map(({ key }) => key.keyId);
  const timed = signed.find(({ key, timeSeconds }) => timeSeconds !== undefined && plainIds.includes(key.keyId));
  if (timed === undefined)
    throw new VerificationError('CHECKPOINT_SIGNATURE', 'One of the two signatures of the log key is missing.');
  const { keyId } = timed.key;
  const isInRange = ({ firstSize, lastSize }: TrustedKey): boolean =>
    firstSize <= head.size && (lastSize === null || head.size <= lastSize);
  if (!keys.some((key) => key.keyId === keyId && isInRange(key)))
    throw new VerificationError('KEY_NOT_AT_SIZE', `The key ${keyId} may not sign a tree of ${head.size} leaves.`);
  return { ...head, timeMs: Number(timed.timeSeconds) * 1_000, keyId };
}
