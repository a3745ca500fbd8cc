// Verifies any kind of evidence: a receipt as JSON or text, several receipts of one chain, a promise with an exported log.
import { has, parseBounded, quoted } from './encoding.ts';
import { asResult, type Failed, ProofError } from './failures.ts';
import { createLogFileVerifier, type VerifiedLog } from './log-file.ts';
import { promiseOf } from './promise.ts';
import type { Receipt, SignedPromise } from './shapes.ts';
import { MAX_RECEIPT_BYTES, receiptOf, type VerifiedReceipt, type VerifyOptions, verifyReceipt } from './receipt.ts';
import { readRecord, recordDigestOf } from './record-read.ts';
import { NO_PREVIOUS } from './record.ts';
import { isTlogProof, parseTlogProof } from './tlog-proof.ts';
import type { TrustedKey } from './keys.ts';

/** The kinds of evidence. */
export type Evidence =
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'promise'; readonly promise: SignedPromise };

/**
 * Distinguishes receipts and promises. A promise may stand alone or in the answer that contained it (`{proofId, status, promise}`). @throws
 * {ProofError} MALFORMED
 */
export function parseEvidence(bytes: Uint8Array): Evidence {
  const text = textOf(bytes);
  if (isTlogProof(text)) return { kind: 'receipt', receipt: parseTlogProof(text) };
  const value = parseBounded(text, 'The file', MAX_RECEIPT_BYTES);
  // The answer of POST /v1/proofs has a recordDigest too, beside its promise.
  if (has(value, 'promise')) return { kind: 'promise', promise: promiseOf(value.promise) };
  if (has(value, 'recordDigest')) return { kind: 'promise', promise: promiseOf(value) };
  return { kind: 'receipt', receipt: receiptOf(value) };
}

/** A chain of records that refer to one another. */
export interface VerifiedChain {
  readonly ok: true;
  /** In chain order. */
  readonly receipts: readonly VerifiedReceipt[];
  /** Whether the first of them is the entity's first record. */
  readonly isFromTheStart: boolean;
}

/**
 * Verifies that receipts are consecutive records of one entity in one log: each refers to the event hash of the previous one. They may be
 * given in any order, because their index in the log sorts them. The first receipt that is invalid by itself is reported.
 */
export function verifyChain(
  receipts: readonly Receipt[],
  trustedKeys: readonly TrustedKey[],
  options: VerifyOptions = {},
): VerifiedChain | Failed {
  const verified: VerifiedReceipt[] = [];
  for (const receipt of receipts) {
    const result = verifyReceipt(receipt, trustedKeys, options);
    if (!result.ok) return { ...result, sentence: `${quoted(receipt.proofId)}: ${result.sentence}` };
    verified.push(result);
  }
  verified.sort((a, b) => a.index - b.index);
  return asResult(() => {
    for (const [i, receipt] of verified.entries()) {
      const before = verified[i - 1];
      if (before !== undefined) checkLink(before, receipt);
    }
    return { ok: true, receipts: verified, isFromTheStart: verified[0]?.record.previousHash === NO_PREVIOUS };
  });
}

function checkLink(before: VerifiedReceipt, after: VerifiedReceipt): void {
  const broken = (why: string): never => {
    throw new ProofError('CHAIN_BROKEN', `${quoted(after.proofId)} does not follow ${quoted(before.proofId)}: ${why}.`);
  };
  if (before.origin !== after.origin) broken('they are in two logs');
  if (before.record.agentId !== after.record.agentId) broken('they concern two entities');
  if (before.index === after.index) broken('they are the same record');
  if (after.record.previousHash === NO_PREVIOUS) broken('it says that it is the first of its chain');
  if (after.record.previousHash !== before.eventHash)
    broken('it names another record as the one before; one between them is missing here, or the chain was altered');
}

/** A promise that an exported log fulfils. */
export interface KeptPromise {
  readonly ok: true;
  readonly promise: SignedPromise;
  /** Position of the record in the log. */
  readonly index: number;
  /** The log that promised it, or the one by which it was replaced while the record waited. */
  readonly log: VerifiedLog;
}

/** The log that a record replaces, when it is the first record of a log that was forked. */
function replacedBy(record: Buffer): string | undefined {
  const read = readRecord(record);
  if (!('record' in read) || read.record.eventType !== FORK_EVENT) return undefined;
  const { body } = read.record.payload;
  return has(body, 'log') && typeof body.log === 'string' ? body.log : undefined;
}
const FORK_EVENT = 'custos.fork';

/** Checks a promise against an exported log, line by line. */
export interface PromiseCheck {
  /** @param line one line of the log, without its newline. @returns what is wrong with the log, if anything */
  next(line: string): Failed | undefined;
  end(): KeptPromise | Failed;
}

/** @param promise its signature must be verified already */
export function checkPromiseInLog(promise: SignedPromise, trustedKeys: readonly TrustedKey[]): PromiseCheck {
  let foundAt: number | undefined;
  let otherAt: number | undefined;
  let droppedAt: number | undefined;
  let replaced: string | undefined;
  const needle = Buffer.from(promise.proofId);
  const log = createLogFileVerifier({
    trustedKeys,
    onLeaf: (index, record) => {
      if (index === 0) replaced = replacedBy(record);
      if (foundAt !== undefined) return;
      if (recordDigestOf(record) === promise.recordDigest) foundAt = index;
      else if (record.includes(needle) && idOf(record) === promise.proofId) otherAt ??= index;
    },
    onDropped: (index, { proofId }) => {
      if (proofId === promise.proofId) droppedAt = index;
    },
  });
  return {
    next(line) {
      const result = asResult(() => {
        log.next(line);
        return { ok: true };
      });
      return result.ok ? undefined : result;
    },
    end: () =>
      asResult(() => {
        const verified = log.end();
        const isNext = replaced === promise.log;
        if (verified.origin !== promise.log && !isNext)
          throw new ProofError(
            'KEY_NOT_OF_LOG',
            `The promise is about the log ${quoted(promise.log)}, and the file is of ${quoted(verified.origin)}.`,
          );
        // A leaf that no checkpoint covers is not in the log yet.
        if (foundAt !== undefined && foundAt < verified.size)
          return { ok: true, promise, index: foundAt, log: verified };
        const signedAt = new Date(verified.timeMs).toISOString();
        if (otherAt !== undefined && otherAt < verified.size)
          throw new ProofError(
            'PROMISE_BROKEN',
            `The log has another record for ${quoted(promise.proofId)}, at index ${otherAt}, than the one that was promised.`,
          );
        if (droppedAt !== undefined && droppedAt < verified.size)
          throw new ProofError(
            'RECORD_DROPPED',
            `The log has a leaf for ${quoted(promise.proofId)}, at index ${droppedAt}, and retention has dropped its record.`,
          );
        if (isNext)
          throw new ProofError(
            'KEY_NOT_OF_LOG',
            `The promise is about the log ${quoted(promise.log)}, which ${quoted(verified.origin)} replaced, and the record is not in the latter: export the former.`,
          );
        if (verified.timeMs <= Date.parse(promise.deadline))
          throw new ProofError(
            'PROMISE_NOT_DUE',
            `The record is not in the log as of ${signedAt}; the promise is due at ${promise.deadline}.`,
          );
        throw new ProofError(
          'PROMISE_BROKEN',
          `The log was signed at ${signedAt} without the record that was promised by ${promise.deadline}.`,
        );
      }),
  };
}

function idOf(record: Buffer): string | undefined {
  const read = readRecord(record);
  return 'record' in read ? read.record.payload.proofId : undefined;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ProofError('MALFORMED', 'The file is not UTF-8.');
  }
}
