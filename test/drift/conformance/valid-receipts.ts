// Conformance cases: receipts and tlog-proofs that are valid.
import { publishKey } from '../../../shared/core/proof/keys.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { LOG_KEY, ORIGIN, sampleLog } from '../../unit/proof/sample-log.ts';
import {
  joined,
  LOG,
  OTHER_KEY,
  partsOf,
  type ProofCase,
  proofCase,
  provenBy,
  receiptOverBytes,
  signedBy,
  SIZE,
} from './parts.ts';

const json = (receipt: Receipt, indent?: number): string => JSON.stringify(receipt, null, indent);

const sixth = LOG.receipt(6);
const { text, lines } = partsOf(sixth.checkpoint);
const record = LOG.records[0]?.bytes ?? Buffer.alloc(0);

/** A line of a signer that nobody knows. */
const foreignLine = partsOf(signedBy(text, OTHER_KEY, 'witness.example')).lines[0];

function withCheckpoint(checkpoint: string): Receipt {
  return { ...sixth, checkpoint };
}

function valid(name: string, receipt: Receipt, input = json(receipt)): ProofCase {
  return proofCase('receipt', name, input, provenBy(receipt));
}

/** A record of the sample log's first entity with another body, in a log of one leaf. */
function withBody(body: unknown): Receipt {
  return sampleLog(1, () => body).receipt(0);
}

/** A record with numbers as they stand, which no JSON writer makes. */
function withRawBody(body: string): Receipt {
  const bytes = Buffer.from(record.toString().replace(/"body":\{[^}]*\}/, () => `"body":${body}`));
  return receiptOverBytes(bytes, 'p-0');
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i += 1) value = [value];
  return value;
}

function spellings(): ProofCase[] {
  const compact = json(sixth);
  const index = (spelling: string): string => compact.replace('"index":6', `"index":${spelling}`);
  return [
    valid('indented', sixth, json(sixth, 4)),
    valid('with white space of every kind', sixth, ` \t\r\n${compact.replaceAll('":', '" \t:\r\n')} \n`),
    valid('with its members in reverse', sixth, JSON.stringify(Object.fromEntries(Object.entries(sixth).reverse()))),
    valid('with escapes in its texts', sixth, compact.replaceAll('—', '\\u2014').replaceAll('/', '\\/')),
    valid('with escapes in its member names', sixth, compact.replace('"path"', '"\\u0070ath"')),
    valid('with the index as 6.0', sixth, index('6.0')),
    valid('with the index as 60e-1', sixth, index('60e-1')),
    valid('with the index as 0.6E+1', sixth, index('0.6E+1')),
  ];
}

function checkpoints(): ProofCase[] {
  const rotated = [
    publishKey(LOG_KEY, { origin: ORIGIN, use: 'log', firstSize: 0, lastSize: SIZE }),
    publishKey(OTHER_KEY, { origin: ORIGIN, use: 'log', firstSize: SIZE + 1 }),
  ];
  const twice = [
    publishKey(LOG_KEY, { origin: ORIGIN, use: 'log', firstSize: 0, lastSize: 3 }),
    publishKey(LOG_KEY, { origin: ORIGIN, use: 'log', firstSize: SIZE, lastSize: null }),
  ];
  const extended = signedBy(`${text}a line of an extension\nanother — line\n`);
  const hundred = [...Array.from({ length: 98 }, () => foreignLine), ...lines];
  return [
    valid('signature lines in the other order', withCheckpoint(joined(text, [lines[1], lines[0]]))),
    valid('a signature line twice', withCheckpoint(joined(text, [lines[0], lines[1], lines[0]]))),
    valid('a signature of a key that is not known', withCheckpoint(joined(text, [foreignLine, ...lines]))),
    valid('a hundred signatures', withCheckpoint(joined(text, hundred))),
    valid(
      'a signature with the name of the log and an unknown key hash',
      withCheckpoint(joined(text, [...lines, partsOf(signedBy(text, OTHER_KEY)).lines[0]])),
    ),
    valid('extension lines in the checkpoint', withCheckpoint(extended)),
    proofCase('receipt', 'a key that may sign up to this size', json(sixth), provenBy(sixth), rotated),
    proofCase('receipt', 'a key with two ranges of sizes', json(sixth), provenBy(sixth), twice),
    proofCase('receipt', 'a key given as verifier key', json(sixth), provenBy(sixth), [
      publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' }).vkey,
    ]),
    proofCase('receipt', 'a checkpoint that was signed in 1970', ...signedAt(0)),
    proofCase('receipt', 'a checkpoint that is signed in 2106, beyond 32 bits', ...signedAt(4_294_967_296)),
    proofCase('receipt', 'a checkpoint that is signed at the end of all dates', ...signedAt(8_640_000_000_000)),
  ];
}

function signedAt(seconds: number): readonly [string, ReturnType<typeof provenBy>] {
  const receipt = withCheckpoint(signedBy(text, LOG_KEY, ORIGIN, seconds));
  return [json(receipt), provenBy(receipt, { timeMs: seconds * 1_000 })];
}

function origins(): ProofCase[] {
  return [`${ORIGIN}/2`, `${ORIGIN}/12`, `${ORIGIN}/100`, 'log.example/custos/acme/live'].map((origin) => {
    const receipt = receiptOverBytes(record, 'p-0', origin);
    const keys = [publishKey(LOG_KEY, { origin, use: 'log' })];
    return proofCase('receipt', `the origin ${origin}`, json(receipt), provenBy(receipt), keys);
  });
}

function records(): ProofCase[] {
  const longId = '\u{1f600}'.repeat(128);
  const long = receiptOverBytes(Buffer.from(record.toString().replace('"p-0"', `"${longId}"`)), longId);
  return [
    valid('a body of 62 levels', withBody(nested(62))),
    valid('a record of 80 levels', withBody(nested(78))),
    valid('an empty body', withBody({})),
    valid('a body that is null', withBody(null)),
    valid('a body whose keys sort by UTF-16 units', withBody({ '\ufb33': 1, '\u{1f600}': 2, '€': 3, a: 4, '': 5 })),
    valid('a body with a member __proto__', withBody(JSON.parse('{"__proto__":{"a":1}}'))),
    valid('a body with escapes', withBody('"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é😀')),
    valid(
      'a body with numbers',
      withRawBody('[0,1e+21,1e-7,0.000001,5e-324,1.7976931348623157e+308,12345678901234567000,-1.5]'),
    ),
    valid('a body with brackets in a text', withBody('['.repeat(200))),
    valid('a proof id of 256 UTF-16 units', long),
  ];
}

export function validReceipts(): ProofCase[] {
  const sizes = [1, 2, 3, 4, 7, 8, 9].flatMap((size) => {
    const log = sampleLog(size);
    return [...new Set([0, size - 1])].map((index) => valid(`index ${index} of ${size}`, log.receipt(index)));
  });
  const large = sampleLog(1_100).receipt(1_023);
  return [
    ...[0, 6, 15, 16, 20].map((index) => valid(`index ${index} of ${SIZE}`, LOG.receipt(index))),
    ...sizes,
    valid('index 1023 of 1100', large),
    valid('an older checkpoint', LOG.receipt(6, 9)),
    ...spellings(),
    ...checkpoints(),
    ...origins(),
    ...records(),
    ...[0, 6, 20].map((index) =>
      proofCase(
        'tlog-proof',
        `tlog-proof of index ${index}`,
        writeTlogProof(LOG.receipt(index)),
        provenBy(LOG.receipt(index)),
      ),
    ),
    proofCase(
      'tlog-proof',
      'tlog-proof in a log of one record',
      writeTlogProof(sampleLog(1).receipt(0)),
      provenBy(sampleLog(1).receipt(0)),
    ),
  ];
}
