// Receipts in text form (c2sp.org/tlog-proof): the same parts as the JSON form, with the record as extra data.
import { quoted, strictBase64, strictDecimal } from './encoding.ts';
import { ProofError } from './failures.ts';
import { MAX_RECEIPT_BYTES, receiptOf } from './receipt.ts';
import type { Receipt } from './shapes.ts';
import { readRecord } from './record-read.ts';

const HEADER = 'c2sp.org/tlog-proof@v1';
/** The id for a record that can not be read; verifying such a receipt fails on the record. */
const UNKNOWN_PROOF_ID = '?';

/** Whether a text starts as a tlog-proof does. */
export function isTlogProof(text: string): boolean {
  return text.startsWith(`${HEADER}\n`);
}

/** Formats a receipt as tlog-proof. */
export function writeTlogProof({ record, index, path, checkpoint }: Receipt): string {
  const hashes = path.map((hash) => `${Buffer.from(hash, 'hex').toString('base64')}\n`);
  return `${HEADER}\nextra ${record}\nindex ${index}\n${hashes.join('')}\n${checkpoint}`;
}

/** Parses a tlog-proof whose extra data is the record. The id of the proof is the one in the record. @throws {ProofError} MALFORMED */
export function parseTlogProof(text: string): Receipt {
  const refuse = (why: string): never => {
    throw new ProofError('MALFORMED', `The tlog-proof ${why}.`);
  };
  if (text.length > MAX_RECEIPT_BYTES || Buffer.byteLength(text) > MAX_RECEIPT_BYTES)
    refuse(`is larger than ${MAX_RECEIPT_BYTES} bytes`);
  const end = text.indexOf('\n\n');
  if (end === -1) refuse('has no empty line before its checkpoint');
  const [header, extra = '', index = '', ...hashes] = text.slice(0, end).split('\n');
  if (header !== HEADER) refuse(`does not begin with ${HEADER}`);
  if (!extra.startsWith('extra ')) refuse('has no extra line with the record');
  if (!index.startsWith('index ')) refuse('has no index line');
  const place = strictDecimal(index.slice('index '.length));
  if (place === undefined) refuse(`has an index ${quoted(index.slice('index '.length))} that is none`);
  const path = hashes.map((line) => {
    const hash = strictBase64(line);
    return hash?.length === 32 ? hash.toString('hex') : refuse('has a path line that is not 32 bytes in base64');
  });
  const record = extra.slice('extra '.length);
  const read = readRecord(strictBase64(record) ?? Buffer.alloc(0));
  return receiptOf({
    format: 'custos-receipt/1',
    status: 'anchored',
    proofId: 'record' in read ? read.record.payload.proofId : UNKNOWN_PROOF_ID,
    record,
    index: place,
    path,
    checkpoint: text.slice(end + 2),
  });
}
