// What the conformance cases of proofs are made of: a log with fixed keys and times, and ways to change a checkpoint.
import { createHash } from 'node:crypto';
import { rawPublicKey } from '../../../shared/core/proof/ed25519.ts';
import type { FailureCode } from '../../../shared/core/proof/failures.ts';
import { keyIdOf, publishKey } from '../../../shared/core/proof/keys.ts';
import { hashLeaf } from '../../../shared/core/proof/merkle.ts';
import { cosignatureSigner, ed25519Signer, signNote } from '../../../shared/core/proof/note.ts';
import { writeReceipt } from '../../../shared/core/proof/receipt.ts';
import type { PublishedKey, Receipt } from '../../../shared/core/proof/shapes.ts';
import { keyOfSeed, LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, TIME_MS } from '../../unit/proof/sample-log.ts';

/** What a valid receipt proves, as a runner prints it. */
export interface Proven {
  readonly ok: true;
  readonly proofId: string;
  readonly index: number;
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly timeMs: number;
  readonly keyId: string;
  readonly eventHash: string;
}

export interface ProvenChain {
  readonly ok: true;
  readonly proofIds: readonly string[];
  readonly fromStart: boolean;
}

export interface ProvenPromise {
  readonly ok: true;
  readonly proofId: string;
  readonly origin: string;
  readonly keyId: string;
}

type Expected = Proven | ProvenChain | ProvenPromise | { readonly ok: false; readonly failure: FailureCode };

export type ProofCase = Expected & {
  readonly name: string;
  readonly kind: 'receipt' | 'tlog-proof' | 'promise' | 'chain';
  readonly input: string | readonly string[];
  readonly keys?: Keys;
};

/** A list, an answer of GET /v1/log/keys, or the text of a file. */
type Keys = string | readonly (string | PublishedKey)[] | object;

/** One case. @param expected what it proves, or the name of its failure */
export function proofCase(
  kind: ProofCase['kind'],
  name: string,
  input: string | readonly string[],
  expected: Proven | ProvenChain | ProvenPromise | FailureCode,
  keys?: Keys,
): ProofCase {
  const result = typeof expected === 'string' ? ({ ok: false, failure: expected } as const) : expected;
  return { name, kind, ...(keys === undefined ? {} : { keys }), ...result, input };
}

export const SIZE = 21;
export const LOG = sampleLog(SIZE);
/** Another log key, not trusted unless a case says so: RFC 8032 section 7.1, test 3. */
export const OTHER_SEED = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
export const OTHER_KEY = keyOfSeed(OTHER_SEED);
export const RAW_LOG_KEY = rawPublicKey(LOG_KEY);

export const LOG_KEY_ENTRY = publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' });
export const PROMISE_KEY_ENTRY = publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'promise' });
export const FILE_KEYS: readonly PublishedKey[] = [LOG_KEY_ENTRY, PROMISE_KEY_ENTRY];

/** The time of a checkpoint in whole seconds, as its cosignature has it. */
export const SIGNED_SECONDS = Math.floor(TIME_MS / 1_000);

/** What a receipt of the sample log proves. */
export function provenBy(receipt: Receipt, about: Partial<Proven> = {}): Proven {
  const [origin = '', size = '', root = ''] = receipt.checkpoint.split('\n');
  return {
    ok: true,
    proofId: receipt.proofId,
    index: receipt.index,
    origin,
    size: Number(size),
    root: Buffer.from(root, 'base64').toString('hex'),
    timeMs: SIGNED_SECONDS * 1_000,
    keyId: keyIdOf(LOG_KEY),
    eventHash: createHash('sha256').update(Buffer.from(receipt.record, 'base64')).digest('hex'),
    ...about,
  };
}

/** The signed part of a checkpoint. */
export function headText(origin: string, size: number | string, root: string): string {
  return `${origin}\n${size}\n${root}\n`;
}

/** A checkpoint with both lines of a key over any text. */
export function signedBy(text: string, key = LOG_KEY, name = ORIGIN, seconds = SIGNED_SECONDS): string {
  return signNote(text, [ed25519Signer(name, key), cosignatureSigner(name, key, seconds)]);
}

/** A receipt for these bytes from a correctly signed log of one leaf, as only a faulty log could issue it. */
export function receiptOverBytes(bytes: Buffer, proofId: string, origin = ORIGIN): Receipt {
  const text = headText(origin, 1, Buffer.from(hashLeaf(bytes)).toString('base64'));
  return writeReceipt({ proofId, record: bytes, index: 0, path: [], checkpoint: signedBy(text, LOG_KEY, origin) });
}

/** The text and the signature lines of a checkpoint, without their newlines. */
export function partsOf(checkpoint: string): { readonly text: string; readonly lines: readonly [string, string] } {
  const end = checkpoint.indexOf('\n\n');
  const [plain = '', timed = ''] = checkpoint.slice(end + 2).split('\n');
  return { text: checkpoint.slice(0, end + 1), lines: [plain, timed] };
}

export function joined(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** A signature line with other bytes: four of the key hash, eight of the time in the second line, and 64 of the signature. */
export function withBytes(line: string, change: (bytes: Buffer) => Uint8Array): string {
  const at = line.lastIndexOf(' ') + 1;
  const bytes = change(Buffer.from(line.slice(at), 'base64'));
  return line.slice(0, at) + Buffer.from(bytes).toString('base64');
}

/** The bytes with one bit of one byte flipped; a negative place counts from the end. */
export function flipped(bytes: Uint8Array, at: number, mask = 1): Buffer {
  const copy = Buffer.from(bytes);
  const place = at < 0 ? copy.length + at : at;
  copy[place] = (copy[place] ?? 0) ^ mask;
  return copy;
}
