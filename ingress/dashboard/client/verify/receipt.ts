// Verifies a receipt in the browser, step by step, with the service's published keys. Independent of shared/core/proof.
import type { RecordView } from '#shared/core/proof/record-read.js';
import type { PublishedKey, Receipt } from '#shared/core/proof/shapes.js';
import {
  type Bytes,
  equal,
  fromBase64,
  fromDecimal,
  fromHashHex,
  isCount,
  quoted,
  sha256,
  toBase64,
  toHex,
  utf8,
} from './bytes.ts';
import { CannotVerify, Failure, type FailureCode } from './failures.ts';
import { checkSignatures, checkSize, findKeys, type Head, parseNote, readKeys } from './note.ts';
import { isOfLog, readRecord } from './record.ts';
import { diagnose, hashLeaf, rootOf } from './tree.ts';

/** As offline: a record may be as large as a request, 1 MB, and base64 adds a third. */
export const MAX_RECEIPT_BYTES = 2 * 1_048_576;
const FORMAT = 'custos-receipt/1';
const TLOG_PROOF = 'c2sp.org/tlog-proof@v1';
const MEMBERS = ['checkpoint', 'format', 'index', 'path', 'proofId', 'record', 'status'];
const MAX_PATH = 53;
const MAX_PROOF_ID = 256;

/** The checks in order. */
export const STEPS = [
  ['form', 'The receipt has its exact form'],
  ['checkpoint', 'Its checkpoint is a signed note'],
  ['key', 'A key of this log has signed it'],
  ['signature', 'Both signatures of the key are valid'],
  ['size', 'The key may sign a tree of this size'],
  ['place', 'The record leads to the signed root'],
  ['record', 'The record is canonical'],
  ['names', 'Receipt, record and log belong together'],
] as const;
export type StepName = (typeof STEPS)[number][0];

export interface Step {
  readonly name: StepName;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'open';
  /** The computed values. */
  readonly detail?: string;
}

export interface Verification {
  /** `unable`: the browser lacks a needed function, or the receipt is too large for it. */
  readonly outcome: 'valid' | 'invalid' | 'unable';
  readonly failure?: FailureCode;
  /** The failure in words; undefined when it is valid. */
  readonly sentence?: string;
  readonly steps: readonly Step[];
  /** The parts below are present as far as they could be parsed. */
  readonly receipt?: Receipt;
  readonly head?: Head;
  readonly record?: RecordView;
  readonly leafHash?: string;
  readonly eventHash?: string;
  /** When the log signed, milliseconds since 1970. */
  readonly timeMs?: number;
  readonly keyId?: string;
}

/** Why this page cannot verify anything, or undefined. */
export function cannotVerify(): string | undefined {
  // Declared as always present; it is absent on plain HTTP from another machine.
  if ((globalThis.crypto as Partial<typeof crypto> | undefined)?.subtle !== undefined) return undefined;
  return 'A browser offers no cryptography to pages over plain http: open the dashboard over https or on localhost, or use "custos verify".';
}

/** The receipt of its JSON or tlog-proof text. @throws {Failure} MALFORMED @throws {CannotVerify} when it is too large */
export function parseReceipt(text: string): Receipt {
  if (utf8(text).length > MAX_RECEIPT_BYTES)
    throw new CannotVerify(
      `This page verifies receipts of at most ${MAX_RECEIPT_BYTES} bytes: no receipt of Custos has more.`,
    );
  return text.startsWith(`${TLOG_PROOF}\n`) ? parseTlogProof(text) : parseJsonReceipt(text);
}

function parseJsonReceipt(text: string): Receipt {
  const refuse = (why: string): never => {
    throw new Failure('MALFORMED', `The receipt${why}.`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(' is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(' is not a JSON object');
  if ('promise' in value || 'recordDigest' in value)
    return refuse(' is a promise: "custos verify promise.json --log FILE" checks one against an exported log');
  const names = Object.keys(value).sort();
  for (const name of names) if (!MEMBERS.includes(name)) refuse(` has a member ${quoted(name)} that it may not have`);
  for (const name of MEMBERS) if (!names.includes(name)) refuse(` has no member "${name}"`);
  // JSON.parse silently keeps the last of two members with the same name.
  const given = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
  if (given !== MEMBERS.length) refuse(' is not valid JSON: a member is given twice');
  // All names were checked above.
  const { format, status, proofId, record, index, path, checkpoint } = value as Readonly<Record<string, unknown>>;
  if (format !== FORMAT) refuse(`'s format is not "${FORMAT}"`);
  if (status !== 'anchored') refuse('\'s status is not "anchored"');
  if (typeof proofId !== 'string' || proofId === '' || proofId.length > MAX_PROOF_ID)
    return refuse(`'s proofId is not a text of 1 to ${MAX_PROOF_ID} characters`);
  if (typeof record !== 'string' || !fromBase64(record)?.length)
    return refuse("'s record is not standard base64 of some bytes");
  if (!isCount(index)) return refuse("'s index is not a whole number from 0 to 2^53-1");
  if (!Array.isArray(path) || path.length > MAX_PATH)
    return refuse(`'s path is not a list of at most ${MAX_PATH} hashes`);
  if (!path.every((hash): hash is string => fromHashHex(hash) !== undefined))
    return refuse("'s path has something that is not 64 lower-case hex digits");
  if (typeof checkpoint !== 'string') return refuse("'s checkpoint is not a text");
  return { format: FORMAT, status: 'anchored', proofId, record, index, path, checkpoint };
}

function parseTlogProof(text: string): Receipt {
  const refuse = (why: string): never => {
    throw new Failure('MALFORMED', `The tlog-proof ${why}.`);
  };
  const end = text.indexOf('\n\n');
  if (end === -1) refuse('has no empty line before its checkpoint');
  const [, extra = '', indexLine = '', ...hashes] = text.slice(0, end).split('\n');
  const record = extra.startsWith('extra ') ? extra.slice(6) : refuse('has no extra line with the record');
  const bytes = fromBase64(record);
  if (bytes === undefined || bytes.length === 0)
    return refuse('has a record that is not standard base64 of some bytes');
  const index = indexLine.startsWith('index ') ? fromDecimal(indexLine.slice(6)) : undefined;
  if (index === undefined) return refuse('has no index line with a number');
  if (hashes.length > MAX_PATH) refuse(`has more than ${MAX_PATH} hashes`);
  const path = hashes.map((line) => {
    const hash = fromBase64(line);
    return hash?.length === 32 ? toHex(hash) : refuse('has a path line that is not 32 bytes in base64');
  });
  const read = readRecord(bytes);
  const proofId = 'record' in read ? read.record.payload.proofId : '?';
  if (proofId === '' || proofId.length > MAX_PROOF_ID)
    refuse(`has a record whose proofId is not a text of 1 to ${MAX_PROOF_ID} characters`);
  return { format: FORMAT, status: 'anchored', proofId, record, index, path, checkpoint: text.slice(end + 2) };
}

/** The same receipt as C2SP tlog-proof text. */
export function tlogProofOf({ record, index, path, checkpoint }: Receipt): string {
  const hashes = path.map((hash) => `${toBase64(fromHashHex(hash) ?? new Uint8Array())}\n`).join('');
  return `${TLOG_PROOF}\nextra ${record}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** The bytes of a receipt's record. */
export function recordBytes({ record }: Pick<Receipt, 'record'>): Bytes {
  return fromBase64(record) ?? new Uint8Array();
}

/** Verifies a receipt of unknown origin against the log keys that the service publishes. Never throws. */
export async function verifyReceipt(text: string, published: readonly PublishedKey[]): Promise<Verification> {
  const found: { -readonly [K in keyof Verification]?: Verification[K] } = {};
  const done: Step[] = [];
  let current = 0;
  const pass = (detail?: string): void => {
    const [name, title] = STEPS[current] ?? STEPS[0];
    done.push({ name, title, state: 'passed', ...(detail === undefined ? {} : { detail }) });
    current += 1;
  };
  const end = (outcome: Verification['outcome'], rest: Partial<Verification> = {}): Verification => {
    const open = STEPS.slice(current).map(([name, title], i): Step => {
      const isFailed = outcome === 'invalid' && i === 0;
      const detail = isFailed && rest.sentence !== undefined ? { detail: rest.sentence } : {};
      return { name, title, state: isFailed ? 'failed' : 'open', ...detail };
    });
    return { ...found, ...rest, outcome, steps: [...done, ...open] };
  };
  try {
    const receipt = (found.receipt = parseReceipt(text));
    pass(`${receipt.path.length} hashes from leaf ${receipt.index} upwards`);
    const reason = cannotVerify();
    if (reason !== undefined) throw new CannotVerify(reason);

    const note = parseNote(receipt.checkpoint);
    const head = (found.head = note.head);
    pass(`${head.origin}, a tree of ${head.size}, root ${begin(head.root)}`);
    const trusted = await readKeys(published);
    const known = await findKeys(note, trusted);
    pass(`${known.length} of its signature lines`);
    const { key, timeMs } = await checkSignatures(note, known);
    Object.assign(found, { keyId: key.keyId, timeMs });
    pass(`by key ${key.keyId.slice(0, 16)}…, at ${new Date(timeMs).toISOString()}`);
    checkSize(key, head, trusted);
    pass();

    const bytes = recordBytes(receipt);
    const leafHash = await hashLeaf(bytes);
    Object.assign(found, { leafHash: toHex(leafHash), eventHash: toHex(await sha256(bytes)) });
    const path = receipt.path.map((hash) => fromHashHex(hash) ?? new Uint8Array());
    const place = { index: receipt.index, size: head.size, leafHash, path, root: head.root };
    const root = await rootOf(place);
    const read = readRecord(bytes);
    if ('record' in read) found.record = read.record;
    if (root === undefined || !equal(root, head.root)) {
      const isSound =
        'record' in read && read.record.payload.proofId === receipt.proofId && isOfLog(read.record, head.origin);
      const failure = await diagnose(place, isSound);
      if ('why' in read && failure.code === 'RECORD_ALTERED')
        throw new Failure('RECORD_ALTERED', `${failure.message} It ${read.why}.`);
      throw failure;
    }
    pass(`from leaf hash ${begin(leafHash)} to root ${begin(root)}`);
    if ('why' in read) throw new Failure('RECORD_NOT_CANONICAL', `The log holds the record, but it ${read.why}.`);
    pass(`${bytes.length} bytes`);
    checkNames(read.record, receipt, head);
    pass();
    return end('valid');
  } catch (error) {
    if (error instanceof Failure) return end('invalid', { failure: error.code, sentence: error.message });
    if (error instanceof CannotVerify) return end('unable', { sentence: error.message });
    throw error;
  }
}

/** Enough of a hash to compare it by eye. */
function begin(hash: Uint8Array): string {
  return `${toHex(hash).slice(0, 16)}…`;
}

function checkNames(record: RecordView, { proofId }: Receipt, { origin }: Head): void {
  const { payload } = record;
  if (payload.proofId !== proofId)
    throw new Failure(
      'WRONG_PROOF_ID',
      `The record is that of the proof ${quoted(payload.proofId)}, not of ${quoted(proofId)}.`,
    );
  if (!isOfLog(record, origin))
    throw new Failure(
      'WRONG_LOG',
      `The record is one of ${quoted(`${payload.organisation}/${payload.environment}`)}, but the log is ${quoted(origin)}.`,
    );
}
