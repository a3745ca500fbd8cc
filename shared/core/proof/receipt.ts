// Receipts, which prove one record of the log to anyone who trusts the log's keys: parsing and offline verification.
import { readCheckpoint } from './checkpoint.ts';
import { DEFAULT_SEARCH_HASHES, diagnose } from './diagnose.ts';
import { exactMembers, isCount, parseBounded, quoted, strictBase64, strictHash } from './encoding.ts';
import { asResult, type Failed, ProofError } from './failures.ts';
import type { TrustedKey } from './keys.ts';
import { hashLeaf, verifyInclusion } from './merkle.ts';
import { eventHashOf, isOfLog, logOf, type RecordView, readRecord } from './record-read.ts';
import type { Receipt } from './shapes.ts';

export const RECEIPT_FORMAT: Receipt['format'] = 'custos-receipt/1';
/** A record may be as large as a request, 1 MB, and base64 adds a third. POST /v1/proofs/verify takes only small ones. */
export const MAX_RECEIPT_BYTES = 2 * 1_048_576;
/** The path length in a tree of 2^53 leaves. */
const MAX_PATH = 53;
const MAX_PROOF_ID = 256;

/** Builds a receipt from its parts. Sizes and hashes are not checked. */
export function writeReceipt(parts: {
  readonly proofId: string;
  readonly record: Uint8Array;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: string;
}): Receipt {
  return {
    format: RECEIPT_FORMAT,
    status: 'anchored',
    proofId: parts.proofId,
    record: Buffer.from(parts.record).toString('base64'),
    index: parts.index,
    path: parts.path.map((hash) => Buffer.from(hash).toString('hex')),
    checkpoint: parts.checkpoint,
  };
}

/**
 * Parses a receipt from JSON text. White space and escapes may vary as in any JSON; every other value has exactly one accepted form.
 * @throws {ProofError} MALFORMED
 */
export function parseReceipt(text: string): Receipt {
  return receiptOf(parseBounded(text, 'The receipt', MAX_RECEIPT_BYTES));
}

/** Reads a receipt from parsed JSON. @throws {ProofError} MALFORMED */
export function receiptOf(value: unknown): Receipt {
  const { format, status, proofId, record, index, path, checkpoint } = exactMembers(value, 'The receipt', [
    'format',
    'status',
    'proofId',
    'record',
    'index',
    'path',
    'checkpoint',
  ]);
  const refuse = (why: string): never => {
    throw new ProofError('MALFORMED', `The receipt's ${why}.`);
  };
  if (format !== RECEIPT_FORMAT) return refuse(`format is not "${RECEIPT_FORMAT}"`);
  if (status !== 'anchored') return refuse('status is not "anchored"');
  if (typeof proofId !== 'string' || proofId === '' || proofId.length > MAX_PROOF_ID)
    return refuse(`proofId is not a text of 1 to ${MAX_PROOF_ID} characters`);
  if (typeof record !== 'string' || record.length > MAX_RECEIPT_BYTES || !strictBase64(record)?.length)
    return refuse('record is not standard base64 of some bytes');
  if (!isCount(index)) return refuse('index is not a whole number from 0 to 2^53-1');
  if (!Array.isArray(path) || path.length > MAX_PATH) return refuse(`path is not a list of at most ${MAX_PATH} hashes`);
  if (!path.every((hash): hash is string => strictHash(hash) !== undefined))
    return refuse('path has something that is not 64 lower-case hex digits');
  if (typeof checkpoint !== 'string') return refuse('checkpoint is not a text');
  return { format, status, proofId, record, index, path, checkpoint };
}

/** The statements that a verified receipt proves. */
export interface VerifiedReceipt {
  readonly ok: true;
  readonly proofId: string;
  /** The log, and the size of the tree that its key signed. */
  readonly origin: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
  /** When the log signed the tree, milliseconds since 1970. */
  readonly timeMs: number;
  readonly keyId: string;
  readonly index: number;
  readonly record: RecordView;
  /** SHA-256 of the record, which the entity's next record refers to. Lower-case hex. */
  readonly eventHash: string;
}

export interface VerifyOptions {
  /** The largest number of hashes spent on a diagnosis (not on the verification): about 700 per millisecond. */
  readonly searchHashes?: number;
}

/**
 * Verifies a receipt against the trusted keys, without any other source. Size and root are taken from the signed checkpoint, never from the
 * receipt. The first failed check is reported: signature, then position in the tree, then the record.
 */
export function verifyReceipt(
  receipt: Receipt,
  trustedKeys: readonly TrustedKey[],
  { searchHashes = DEFAULT_SEARCH_HASHES }: VerifyOptions = {},
): VerifiedReceipt | Failed {
  return asResult(() => {
    const bytes = strictBase64(receipt.record);
    if (bytes === undefined) throw new ProofError('MALFORMED', "The receipt's record is not base64.");
    const { origin, size, root, timeMs, keyId } = readCheckpoint(receipt.checkpoint, trustedKeys);
    const path = receipt.path.map((hash) => Buffer.from(hash, 'hex'));
    const proof = { index: receipt.index, size, leafHash: hashLeaf(bytes), path, root };
    const read = readRecord(bytes);
    const isIncluded = verifyInclusion(proof);
    if ('why' in read) {
      // The log accepts only canonical records, so a record that is not canonical is the altered part.
      if (isIncluded) throw new ProofError('RECORD_NOT_CANONICAL', `The log holds the record, but it ${read.why}.`);
      const { failure, sentence } = diagnose(proof, false, 0);
      throw new ProofError(failure, failure === 'RECORD_ALTERED' ? `${sentence} It ${read.why}.` : sentence);
    }
    const { record } = read;
    if (!isIncluded) {
      // A record that contradicts the receipt or the log was altered itself.
      const isSound = record.payload.proofId === receipt.proofId && isOfLog(record, origin);
      const { failure, sentence } = diagnose(proof, isSound, searchHashes);
      throw new ProofError(failure, sentence);
    }
    if (record.payload.proofId !== receipt.proofId)
      throw new ProofError(
        'WRONG_PROOF_ID',
        `The record is that of the proof ${quoted(record.payload.proofId)}, not of ${quoted(receipt.proofId)}.`,
      );
    if (!isOfLog(record, origin))
      throw new ProofError('WRONG_LOG', `The record is one of ${logOf(record)}, but the log is ${quoted(origin)}.`);
    return {
      ok: true,
      proofId: receipt.proofId,
      origin,
      size,
      root: root.toString('hex'),
      timeMs,
      keyId,
      index: receipt.index,
      record,
      eventHash: eventHashOf(bytes),
    };
  });
}
