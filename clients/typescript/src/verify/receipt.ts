// Receipts: their two forms (JSON and c2sp.org/tlog-proof), and their verification.
import { sha256, toHex } from '../sha256.ts';
import { type Checkpoint, verifyCheckpoint } from './checkpoint.ts';
import { diagnose } from './diagnose.ts';
import {
  type Bytes,
  checkLength,
  fromBase64,
  fromDecimal,
  fromHex,
  hasExactly,
  isCount,
  isHashText,
  malformed,
  parseBounded,
  quoted,
} from './encoding.ts';
import { asResult, type Failed, VerificationError } from './failures.ts';
import { readKeys, type TrustedKey, type TrustedKeys } from './keys.ts';
import { isOfLog, type LogRecord, logOf, readRecord } from './record.ts';
import { hashLeaf, isIncluded } from './tree.ts';

/** What a valid receipt proves. */
export interface VerifiedReceipt {
  readonly ok: true;
  readonly proofId: string;
  /** The log, and the size of the tree that its key has signed. */
  readonly origin: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
  /** When the tree was signed, milliseconds since 1970. */
  readonly timeMs: number;
  /** JWK thumbprint (RFC 7638) of the key that has signed. */
  readonly keyId: string;
  readonly index: number;
  readonly record: LogRecord;
  /** SHA-256 of the record, lower-case hex: the next record of the entity refers to it. */
  readonly eventHash: string;
}

/** A receipt in its exact form. */
export interface ParsedReceipt {
  readonly proofId: string;
  readonly record: Bytes;
  readonly index: number;
  readonly path: readonly Bytes[];
  readonly checkpoint: string;
}

const TLOG_PROOF = 'c2sp.org/tlog-proof@v1';
/** The longest path, in a tree of 2^53 leaves. */
const MAX_PATH = 53;
const MAX_PROOF_ID = 256;

function parseValue(value: unknown): ParsedReceipt {
  if (!hasExactly(value, ['format', 'status', 'proofId', 'record', 'index', 'path', 'checkpoint']))
    throw malformed('The receipt is not an object with exactly the members of a receipt.');
  const { format, status, proofId, record, index, path, checkpoint } = value;
  const bytes = typeof record === 'string' ? fromBase64(record) : undefined;
  if (format !== 'custos-receipt/1' || status !== 'anchored')
    throw malformed('The receipt has another format or status.');
  if (typeof proofId !== 'string' || proofId === '' || proofId.length > MAX_PROOF_ID)
    throw malformed(`The receipt's proofId is not a text of 1 to ${MAX_PROOF_ID} characters.`);
  if (bytes === undefined || bytes.length === 0) throw malformed("The receipt's record is not base64 of some bytes.");
  if (!isCount(index)) throw malformed("The receipt's index is not a whole number from 0 to 2^53-1.");
  if (!Array.isArray(path) || path.length > MAX_PATH || !path.every(isHashText))
    throw malformed(`The receipt's path is not a list of at most ${MAX_PATH} hashes in lower-case hex.`);
  if (typeof checkpoint !== 'string') throw malformed("The receipt's checkpoint is not a text.");
  return { proofId, record: bytes, index, path: path.map(fromHex), checkpoint };
}

function parseTlogProof(text: string): ParsedReceipt {
  checkLength(text, 'The tlog-proof');
  const end = text.indexOf('\n\n');
  if (end === -1) throw malformed('The tlog-proof has no empty line before its checkpoint.');
  const [header, extra = '', indexLine = '', ...hashes] = text.slice(0, end).split('\n');
  const [, record] = /^extra (.+)$/.exec(extra) ?? [];
  const index = indexLine.startsWith('index ') ? fromDecimal(indexLine.slice('index '.length)) : undefined;
  const path = hashes.map((line) => fromBase64(line));
  const bytes = fromBase64(record ?? '');
  if (header !== TLOG_PROOF || bytes === undefined || bytes.length === 0 || index === undefined)
    throw malformed(`The tlog-proof does not begin with ${TLOG_PROOF}, its record and its index.`);
  if (path.length > MAX_PATH || !path.every((hash): hash is Bytes => hash?.length === 32))
    throw malformed(`The tlog-proof's path is not at most ${MAX_PATH} lines of 32 bytes in base64.`);
  const read = readRecord(bytes);
  // This form does not name its proof apart from the record. A record that can't be read fails later.
  const proofId = 'record' in read ? read.record.payload.proofId : '?';
  if (proofId === '' || proofId.length > MAX_PROOF_ID) throw malformed("The record's proof id is empty or too long.");
  return { proofId, record: bytes, index, path, checkpoint: text.slice(end + 2) };
}

/** @throws {VerificationError} MALFORMED */
export function parseReceipt(receipt: unknown): ParsedReceipt {
  if (typeof receipt !== 'string') return parseValue(receipt);
  return receipt.startsWith('c2sp.org/tlog-proof')
    ? parseTlogProof(receipt)
    : parseValue(parseBounded(receipt, 'The receipt'));
}

function checkInclusion(receipt: ParsedReceipt, { origin, size, root }: Checkpoint): LogRecord {
  const { index, path, proofId } = receipt;
  const proof = { index, size, leaf: hashLeaf(receipt.record), path, root };
  const read = readRecord(receipt.record);
  const isCanonical = 'record' in read;
  if (!isIncluded(proof)) {
    // A record that contradicts the receipt or the log was changed itself.
    const isSound = isCanonical && read.record.payload.proofId === proofId && isOfLog(read.record, origin);
    const { failure, sentence } = diagnose(proof, isSound);
    throw new VerificationError(failure, sentence);
  }
  if (!isCanonical)
    throw new VerificationError('RECORD_NOT_CANONICAL', `The log holds the record, but it ${read.why}.`);
  const { record } = read;
  if (record.payload.proofId !== proofId)
    throw new VerificationError('WRONG_PROOF_ID', `The record is that of the proof ${quoted(record.payload.proofId)}.`);
  if (!isOfLog(record, origin))
    throw new VerificationError(
      'WRONG_LOG',
      `The record is one of ${logOf(record)}, but the log is ${quoted(origin)}.`,
    );
  return record;
}

/** @throws {VerificationError} */
export async function checkReceipt(parsed: ParsedReceipt, keys: readonly TrustedKey[]): Promise<VerifiedReceipt> {
  const checkpoint = await verifyCheckpoint(parsed.checkpoint, keys);
  const record = checkInclusion(parsed, checkpoint);
  const { origin, size, root, timeMs, keyId } = checkpoint;
  const { proofId, index } = parsed;
  const eventHash = toHex(sha256(parsed.record));
  return { ok: true, proofId, origin, size, root: toHex(root), timeMs, keyId, index, record, eventHash };
}

/**
 * Verifies a receipt against keys that the caller trusts, without any other source. The first failed check is reported: form, checkpoint,
 * place in the tree, record.
 * @param receipt the JSON text, the parsed JSON (which hides duplicate members), or the text of a tlog-proof
 */
export async function verifyReceipt(receipt: unknown, keys: TrustedKeys): Promise<VerifiedReceipt | Failed> {
  return asResult(() => checkReceipt(parseReceipt(receipt), readKeys(keys)));
}
