// Conformance cases: receipts in the right form that are not true.
import type { FailureCode } from '../../../shared/core/proof/failures.ts';
import { publishKey } from '../../../shared/core/proof/keys.ts';
import { hashLeaf } from '../../../shared/core/proof/merkle.ts';
import { encodeVkey, ED25519 } from '../../../shared/core/proof/note.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, SEEDS } from '../../unit/proof/sample-log.ts';
import { fromLittleEndian, L, littleEndian, oddSignature } from './edwards.ts';
import {
  flipped,
  headText,
  joined,
  LOG,
  LOG_KEY_ENTRY,
  OTHER_KEY,
  partsOf,
  type ProofCase,
  proofCase,
  RAW_LOG_KEY,
  receiptOverBytes,
  signedBy,
  SIZE,
  withBytes,
} from './parts.ts';

const receipt = LOG.receipt(6);
const { path, checkpoint } = receipt;
const { text, lines } = partsOf(checkpoint);
const [plain, timed] = lines;
const recordBytes = Buffer.from(receipt.record, 'base64');

type Forgery = readonly [name: string, change: Partial<Receipt>, failure: FailureCode, keys?: ProofCase['keys']];

function recordOf(bytes: Uint8Array): Partial<Receipt> {
  return { record: Buffer.from(bytes).toString('base64') };
}

/** The receipt with a checkpoint of these signature lines. */
function signedWith(...signatures: readonly string[]): Partial<Receipt> {
  return { checkpoint: joined(text, signatures) };
}

function altered(from: string, to: string): Partial<Receipt> {
  return recordOf(Buffer.from(recordBytes.toString().replace(from, to)));
}

/** One digit of a hash changed: the lowest bit of the digit, or all four bits. */
function withDigit(at: number, digit: number, mask: number): Partial<Receipt> {
  const hash = path[at] ?? '';
  const other = (Number.parseInt(hash.charAt(digit), 16) ^ mask).toString(16);
  return { path: path.with(at, hash.slice(0, digit) + other + hash.slice(digit + 1)) };
}

const otherHash = 'ab'.repeat(32);
const [first = '', second = '', third = '', ...others] = path;

const ofRecord: readonly Forgery[] = [
  ...[0, 1, 20, 60, 100, -90, -40, -2, -1].map(
    (at): Forgery => [`byte ${at} of the record`, recordOf(flipped(recordBytes, at)), 'RECORD_ALTERED'],
  ),
  ['one letter of the record', altered('deploy', 'Deploy'), 'RECORD_ALTERED'],
  ['a number in the record', altered('"n":6', '"n":7'), 'RECORD_ALTERED'],
  ['the time in the record', altered('07.896Z', '07.897Z'), 'RECORD_ALTERED'],
  ['a space in the record', altered(':', ': '), 'RECORD_ALTERED'],
  ['another proof id in the record', altered('"p-6"', '"p-7"'), 'RECORD_ALTERED'],
  ['another organisation in the record', altered('"acme"', '"acne"'), 'RECORD_ALTERED'],
  ['a byte after the record', recordOf(Buffer.concat([recordBytes, Buffer.from('\n')])), 'RECORD_ALTERED'],
  ['a record without its last byte', recordOf(recordBytes.subarray(0, -1)), 'RECORD_ALTERED'],
  ['a record that is no JSON', altered('{', '['), 'RECORD_ALTERED'],
  ['a record that is no UTF-8', recordOf(Buffer.concat([recordBytes, Uint8Array.of(0xff)])), 'RECORD_ALTERED'],
  ['another record of the log', { record: LOG.receipt(7).record }, 'RECORD_ALTERED'],
  [
    'another record of the log under its own proof id',
    { record: LOG.receipt(7).record, proofId: 'p-7' },
    'RECORD_ALTERED',
  ],
  ['another index and another proof id', { index: 7, proofId: 'p-7' }, 'RECORD_ALTERED'],
  ['every hash of the path', { path: path.map(() => otherHash) }, 'RECORD_ALTERED'],
  ['one hash of the path', { path: path.with(1, otherHash) }, 'RECORD_ALTERED'],
  ['a record that is no JSON, and an index outside the tree', { ...altered('{', '['), index: SIZE }, 'WRONG_SIZE'],
  ['a record that is no JSON, and no path', { ...altered('{', '['), path: [] }, 'WRONG_PATH'],
];

const ofPlace: readonly Forgery[] = [
  ...[0, 2, 5, 7, 15, 16, 20, SIZE, 6_000, 2 ** 53 - 1].map(
    (index): Forgery => [`the index ${index}`, { index }, 'WRONG_INDEX'],
  ),
  ['no path', { path: [] }, 'WRONG_PATH'],
  ['a hash too many at its end', { path: [...path, otherHash] }, 'WRONG_PATH'],
  ['a hash too many at its start', { path: [otherHash, ...path] }, 'WRONG_PATH'],
  [
    'two hashes too many in the middle',
    { path: [first, otherHash, otherHash, second, third, ...others] },
    'WRONG_PATH',
  ],
  ['a hash twice', { path: [first, first, second, third, ...others] }, 'WRONG_PATH'],
  ['the path in reverse', { path: path.toReversed() }, 'WRONG_PATH'],
  ['its first two hashes swapped', { path: [second, first, third, ...others] }, 'WRONG_PATH'],
  ['its second and third hash swapped', { path: [first, third, second, ...others] }, 'WRONG_PATH'],
  ['its first and third hash swapped', { path: [third, second, first, ...others] }, 'RECORD_ALTERED'],
  ...path.flatMap((_, at): Forgery[] => [
    [`the first digit of hash ${at + 1}`, withDigit(at, 0, 1), 'WRONG_PATH'],
    [`the last digit of hash ${at + 1}, all bits`, withDigit(at, 63, 15), 'WRONG_PATH'],
  ]),
  ['a path without its first hash', { path: path.slice(1) }, 'WRONG_SIZE'],
  ['a path without its last hash', { path: path.slice(0, -1) }, 'WRONG_SIZE'],
  ['a checkpoint of a larger tree', { checkpoint: sampleLog(40).checkpoint(40) }, 'WRONG_SIZE'],
  ['a checkpoint of a smaller tree', { checkpoint: LOG.checkpoint(9) }, 'WRONG_SIZE'],
  ['a checkpoint from before the record', { checkpoint: LOG.checkpoint(5) }, 'WRONG_SIZE'],
  ['a checkpoint of the empty tree', { checkpoint: LOG.checkpoint(0) }, 'WRONG_SIZE'],
  [
    'a checkpoint of another tree of this size',
    { checkpoint: sampleLog(SIZE, () => 0).checkpoint(SIZE) },
    'RECORD_ALTERED',
  ],
];

const ofCheckpoint: readonly Forgery[] = [
  ['the size', { checkpoint: checkpoint.replace('\n21\n', '\n22\n') }, 'CHECKPOINT_SIGNATURE'],
  [
    'the root',
    { checkpoint: checkpoint.replace(/(\n21\n)(.)/, (_, size: string, c: string) => size + (c === 'A' ? 'B' : 'A')) },
    'CHECKPOINT_SIGNATURE',
  ],
  ['an extension line added', { checkpoint: checkpoint.replace('\n\n', '\nextension\n\n') }, 'CHECKPOINT_SIGNATURE'],
  ['the origin in the text', { checkpoint: checkpoint.replace('acme', 'acne') }, 'KEY_NOT_OF_LOG'],
  ['the origin in text and signatures', { checkpoint: checkpoint.replaceAll('acme', 'acne') }, 'KEY_NOT_OF_LOG'],
  ['the name of the first signature', signedWith(plain.replace('acme', 'acne'), timed), 'CHECKPOINT_SIGNATURE'],
  [
    'the names of both signatures',
    signedWith(plain.replace('acme', 'acne'), timed.replace('acme', 'acne')),
    'KEY_NOT_OF_LOG',
  ],
  ...[4, 20, 35, 36, 50, -1].map(
    (at): Forgery => [
      `byte ${at} of the first signature line`,
      signedWith(
        withBytes(plain, (b) => flipped(b, at)),
        timed,
      ),
      'CHECKPOINT_SIGNATURE',
    ],
  ),
  ...[4, 11, 12, 43, 44, -1].map(
    (at): Forgery => [
      `byte ${at} of the second signature line${at < 12 ? ' (its time)' : ''}`,
      signedWith(
        plain,
        withBytes(timed, (b) => flipped(b, at)),
      ),
      'CHECKPOINT_SIGNATURE',
    ],
  ),
  [
    'the key hash of the first line',
    signedWith(
      withBytes(plain, (b) => flipped(b, 0)),
      timed,
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'the key hash of the second line',
    signedWith(
      plain,
      withBytes(timed, (b) => flipped(b, 3)),
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'the key hashes of both lines',
    signedWith(
      withBytes(plain, (b) => flipped(b, 0)),
      withBytes(timed, (b) => flipped(b, 0)),
    ),
    'KEY_NOT_OF_LOG',
  ],
  ['only the first signature line', signedWith(plain), 'CHECKPOINT_SIGNATURE'],
  ['only the second signature line', signedWith(timed), 'CHECKPOINT_SIGNATURE'],
  [
    'a valid line and an invalid one of the same key',
    signedWith(
      plain,
      timed,
      withBytes(plain, (b) => flipped(b, 30)),
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'a signature of 63 bytes',
    signedWith(
      withBytes(plain, (b) => b.subarray(0, -1)),
      timed,
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'a signature of 65 bytes',
    signedWith(
      withBytes(plain, (b) => Buffer.concat([b, b.subarray(0, 1)])),
      timed,
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'a time beyond 2^53',
    signedWith(
      plain,
      withBytes(timed, (b) => flipped(b, 4, 0x80)),
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'a time after the end of all dates',
    { checkpoint: signedBy(text, LOG_KEY, ORIGIN, 8_640_000_000_001) },
    'CHECKPOINT_SIGNATURE',
  ],
  [
    'the signatures of another checkpoint',
    { checkpoint: joined(text, partsOf(LOG.checkpoint(9)).lines) },
    'CHECKPOINT_SIGNATURE',
  ],
];

/** Another S in the first signature line. */
function withS(change: (s: bigint) => bigint): Partial<Receipt> {
  const other = withBytes(plain, (b) =>
    Buffer.concat([b.subarray(0, 36), littleEndian(change(fromLittleEndian(b.subarray(36))))]),
  );
  return signedWith(other, timed);
}

function withSignature(signature: Buffer): Partial<Receipt> {
  return signedWith(
    withBytes(plain, (b) => Buffer.concat([b.subarray(0, 4), signature])),
    timed,
  );
}

/** A verifier key whose 32 bytes are no point of the curve. */
const offCurve = encodeVkey({ name: ORIGIN, algorithm: ED25519, key: littleEndian(2n) });
const offCurveHash = Buffer.from(offCurve.split('+')[1] ?? '', 'hex');

const ofEd25519: readonly Forgery[] = [
  ['an S that is too large by L', withS((s) => s + L), 'CHECKPOINT_SIGNATURE'],
  ['an S that is too large by 2 L', withS((s) => s + 2n * L), 'CHECKPOINT_SIGNATURE'],
  ['an S with its highest bit set', withS((s) => s | (1n << 255n)), 'CHECKPOINT_SIGNATURE'],
  ['the negative S', withS((s) => L - s), 'CHECKPOINT_SIGNATURE'],
  ['an S of zero', withS(() => 0n), 'CHECKPOINT_SIGNATURE'],
  ['a signature of zeros', withSignature(Buffer.alloc(64)), 'CHECKPOINT_SIGNATURE'],
  ['a signature of ones', withSignature(Buffer.alloc(64, 0xff)), 'CHECKPOINT_SIGNATURE'],
  [
    'an R with its sign changed',
    signedWith(
      withBytes(plain, (b) => flipped(b, 35, 0x80)),
      timed,
    ),
    'CHECKPOINT_SIGNATURE',
  ],
  ...(
    ['with a part of order 2', 'the identity with a coordinate above the prime', 'the identity with a sign'] as const
  ).map(
    (kind): Forgery => [
      `an R that is ${kind}`.replace('is with', 'has'),
      withSignature(oddSignature(Buffer.from(text), SEEDS[0], RAW_LOG_KEY, kind)),
      'CHECKPOINT_SIGNATURE',
    ],
  ),
  [
    'a key that is no point of the curve',
    {
      checkpoint: joined(
        text,
        lines.map((line) => withBytes(line, (b) => Buffer.concat([offCurveHash, b.subarray(4)]))),
      ),
    },
    'CHECKPOINT_SIGNATURE',
    [offCurve],
  ],
];

function ofKeys(): readonly Forgery[] {
  const ofOther = publishKey(OTHER_KEY, { origin: ORIGIN, use: 'log' });
  const mixed = joined(text, [plain, partsOf(signedBy(text, OTHER_KEY)).lines[1]]);
  const ranged = (firstSize: number, lastSize: number | null) => [{ ...LOG_KEY_ENTRY, firstSize, lastSize }];
  return [
    ['the signatures of a key that is not trusted', { checkpoint: signedBy(text, OTHER_KEY) }, 'KEY_NOT_OF_LOG'],
    ['no key of the log', {}, 'KEY_NOT_OF_LOG', [ofOther]],
    ['no key at all', {}, 'KEY_NOT_OF_LOG', []],
    [
      'a key of another log',
      {},
      'KEY_NOT_OF_LOG',
      [publishKey(LOG_KEY, { origin: 'custos.local/other/live', use: 'log' })],
    ],
    [
      'a key of the test environment',
      {},
      'KEY_NOT_OF_LOG',
      [publishKey(LOG_KEY, { origin: 'custos.local/acme/test', use: 'log' })],
    ],
    [
      'only the promise key of the log',
      {},
      'KEY_NOT_OF_LOG',
      [publishKey(LOG_KEY, { origin: ORIGIN, use: 'promise' })],
    ],
    ['the signatures of the promise key', { checkpoint: signedBy(text, PROMISE_KEY) }, 'KEY_NOT_OF_LOG'],
    ['each line by another trusted key', { checkpoint: mixed }, 'CHECKPOINT_SIGNATURE', [LOG_KEY_ENTRY, ofOther]],
    ['a key that was not yet in use', {}, 'KEY_NOT_AT_SIZE', ranged(SIZE + 1, null)],
    ['a key that was no longer in use', {}, 'KEY_NOT_AT_SIZE', ranged(0, SIZE - 1)],
    ['a key between its two ranges', {}, 'KEY_NOT_AT_SIZE', [...ranged(0, 3), ...ranged(40, null)]],
    [
      'a key that was no longer in use, and a changed signature',
      signedWith(
        withBytes(plain, (b) => flipped(b, 9)),
        timed,
      ),
      'CHECKPOINT_SIGNATURE',
      ranged(0, 3),
    ],
    ['a key that was no longer in use, and another index', { index: 7 }, 'KEY_NOT_AT_SIZE', ranged(0, 3)],
  ];
}

/** Bytes that the log holds, though they are no record. */
function notCanonical(): ProofCase[] {
  const sound = LOG.records[0]?.bytes.toString() ?? '';
  const body = (json: string): string => sound.replace(/"body":\{[^}]*\}/, () => `"body":${json}`);
  const texts: Readonly<Record<string, string>> = {
    'no JSON': 'not JSON',
    'an empty object': '{}',
    null: 'null',
    'a space after a colon': sound.replace(':', ': '),
    'a newline at the end': `${sound}\n`,
    'a byte order mark': `\ufeff${sound}`,
    'a member too many': sound.replace('{', '{"a":1,'),
    'a member too many in its payload': sound.replace('"payload":{', '"payload":{"a":1,'),
    'no environment': sound.replace(',"environment":"live"', ''),
    'members in another order': sound.replace(/("eventType":"deploy"),("occurredAt":"[^"]*")/, '$2,$1'),
    'a duplicate member': sound.replace('{', '{"agentId":"agent-0",'),
    'an escape that is not needed': sound.replace('deploy', '\\u0064eploy'),
    'a time without milliseconds': sound.replace('.890Z', 'Z'),
    'a time with an offset': sound.replace('.890Z', '.890+00:00'),
    'a day that does not exist': sound.replace('2026-03-04', '2026-02-30'),
    'an hour 24': sound.replace('T05:', 'T24:'),
    'a previous hash of 63 digits': sound.replace(/0{64}/, '0'.repeat(63)),
    'a previous hash in capital letters': sound.replace(/0{64}/, 'A'.repeat(64)),
    'a proof id that is a number': sound.replace('"p-0"', '0'),
    'a payload that is a list': sound.replace(/"payload":.*,"previousHash"/, '"payload":[],"previousHash"'),
    'a body with 1.0': body('1.0'),
    'a body with 1e3': body('1e3'),
    'a body with -0': body('-0'),
    'a body with 1E400': body('1E400'),
    'a body with an integer that a double cannot hold': body('12345678901234567890'),
    'a body with a lone surrogate': body('"\\ud800"'),
    'a body with keys sorted by code point': body('{"\u{1f600}":1,"\ufb33":2}').replace(
      /\{"\u{1f600}":1,"\ufb33":2\}/u,
      '{"\ufb33":2,"\u{1f600}":1}',
    ),
    'a body of 79 levels': body(`${'['.repeat(79)}${']'.repeat(79)}`),
    'nested 30,000 levels': '['.repeat(3_000) + ']'.repeat(3_000),
  };
  return [
    ...Object.entries(texts).map(([name, text]) =>
      proofCase(
        'receipt',
        `the log holds: ${name}`,
        JSON.stringify(receiptOverBytes(Buffer.from(text), 'p-0')),
        'RECORD_NOT_CANONICAL',
      ),
    ),
    proofCase(
      'receipt',
      'the log holds: bytes that are no UTF-8',
      JSON.stringify(receiptOverBytes(Buffer.from([0xff]), 'p-0')),
      'RECORD_NOT_CANONICAL',
    ),
    proofCase(
      'receipt',
      'the log holds: an overlong UTF-8 form',
      JSON.stringify(receiptOverBytes(Buffer.from([0xc0, 0xaf]), 'p-0')),
      'RECORD_NOT_CANONICAL',
    ),
    proofCase(
      'receipt',
      'the log holds: a surrogate in UTF-8',
      JSON.stringify(receiptOverBytes(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'p-0')),
      'RECORD_NOT_CANONICAL',
    ),
  ];
}

function ofLogs(): ProofCase[] {
  const bytes = LOG.records[0]?.bytes ?? Buffer.alloc(0);
  const origins = [
    `${ORIGIN}/1`,
    `${ORIGIN}/0`,
    `${ORIGIN}/02`,
    `${ORIGIN}/2/2`,
    `${ORIGIN}/x`,
    `${ORIGIN}2`,
    'custos.local/acme/test',
    'custos.local/acme2/live',
    'custos.local/other/live',
    'custos.localacme/live',
    '/acme/live',
    'acme/live',
  ];
  return origins.map((origin) =>
    proofCase('receipt', `the origin ${origin}`, JSON.stringify(receiptOverBytes(bytes, 'p-0', origin)), 'WRONG_LOG', [
      publishKey(LOG_KEY, { origin, use: 'log' }),
    ]),
  );
}

/** Slips of the index in a tree that is too large to try every index. */
function ofLargeTree(): ProofCase[] {
  const large = sampleLog(1_100).receipt(300);
  const slip = (index: number): ProofCase =>
    proofCase(
      'receipt',
      `the index ${index} instead of 300 in a large tree`,
      JSON.stringify({ ...large, index }),
      'WRONG_INDEX',
    );
  const [head = '', ...rest] = large.path;
  const digit = (Number.parseInt(head.charAt(7), 16) ^ 4).toString(16);
  const bit = { ...large, path: [head.slice(0, 7) + digit + head.slice(8), ...rest] };
  return [
    ...[299, 301, 302, 300 ^ 64, 700].map(slip),
    proofCase('receipt', 'one bit of the path in a large tree', JSON.stringify(bit), 'WRONG_PATH'),
  ];
}

function tlogProofs(): ProofCase[] {
  const proof = writeTlogProof(receipt);
  const malformed: Readonly<Record<string, string>> = {
    'another version': proof.replace('@v1', '@v2'),
    'two spaces after extra': proof.replace('extra ', 'extra  '),
    'no extra line': proof.replace(/extra .*\n/, ''),
    'an empty extra line': proof.replace(/extra .*\n/, 'extra \n'),
    'no index line': proof.replace(/index .*\n/, ''),
    'index before extra': proof.replace(/(extra .*\n)(index .*\n)/, '$2$1'),
    'an index with a leading zero': proof.replace('index 6', 'index 06'),
    'an index with a plus sign': proof.replace('index 6', 'index +6'),
    'an index with a fraction': proof.replace('index 6', 'index 6.0'),
    'an index of 2^60': proof.replace('index 6', `index ${2n ** 60n}`),
    'a space after the index': proof.replace('index 6', 'index 6 '),
    'no empty line': proof.replace('\n\n', '\n'),
    'CRLF in the first line': proof.replace('\n', '\r\n'),
    'a hash without padding': proof.replace('=\n', '\n'),
    'a hash in hexadecimal': proof.replace(/(index 6\n).*\n/, `$1${first}\n`),
    'an empty line more': proof.replace('\n\n', '\n\n\n'),
    '54 hashes': proof.replace(/(index 6\n)(.*\n)/, (_, index: string, hash: string) => index + hash.repeat(50)),
  };
  const notRecord = writeTlogProof(receiptOverBytes(Buffer.from('{}'), '?'));
  return [
    ...Object.entries(malformed).map(([name, input]) =>
      proofCase('tlog-proof', `tlog-proof with ${name}`, input, 'MALFORMED'),
    ),
    proofCase('tlog-proof', 'tlog-proof with another index', proof.replace('index 6', 'index 7'), 'WRONG_INDEX'),
    proofCase('tlog-proof', 'tlog-proof with no path', writeTlogProof({ ...receipt, path: [] }), 'WRONG_PATH'),
    proofCase(
      'tlog-proof',
      'tlog-proof with another record',
      writeTlogProof({ ...receipt, ...altered('deploy', 'Deploy') }),
      'RECORD_ALTERED',
    ),
    proofCase(
      'tlog-proof',
      'tlog-proof with a record that is none',
      writeTlogProof({ ...receipt, ...altered('{', '[') }),
      'RECORD_ALTERED',
    ),
    proofCase('tlog-proof', 'tlog-proof of bytes in the log that are no record', notRecord, 'RECORD_NOT_CANONICAL'),
    proofCase('tlog-proof', 'tlog-proof with another size', proof.replace('\n21\n', '\n22\n'), 'CHECKPOINT_SIGNATURE'),
    proofCase('tlog-proof', 'tlog-proof of another log', proof.replaceAll('acme', 'acne'), 'KEY_NOT_OF_LOG'),
  ];
}

export function forgedReceipts(): ProofCase[] {
  const groups = { record: ofRecord, place: ofPlace, checkpoint: ofCheckpoint, Ed25519: ofEd25519, keys: ofKeys() };
  const forged = Object.entries(groups).flatMap(([group, forgeries]) =>
    forgeries.map(([name, change, failure, keys]) =>
      proofCase('receipt', `${group}: ${name}`, JSON.stringify({ ...receipt, ...change }), failure, keys),
    ),
  );
  const root = Buffer.from(hashLeaf(recordBytes)).toString('base64');
  const single = { ...receipt, index: 0, path: [], checkpoint: signedBy(headText(ORIGIN, 1, root)) };
  return [
    ...forged,
    ...notCanonical(),
    ...ofLogs(),
    ...ofLargeTree(),
    proofCase('receipt', 'another proof id', JSON.stringify({ ...receipt, proofId: 'p-7' }), 'WRONG_PROOF_ID'),
    proofCase(
      'receipt',
      'a proof id in capital letters',
      JSON.stringify({ ...receipt, proofId: 'P-6' }),
      'WRONG_PROOF_ID',
    ),
    proofCase('receipt', 'a proof id with a space', JSON.stringify({ ...single, proofId: 'p-6 ' }), 'WRONG_PROOF_ID'),
    ...tlogProofs(),
  ];
}
