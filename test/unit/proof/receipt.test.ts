// Receipts: valid ones are verified, and each defect has its own failure code.
import { expect } from 'chai';
import { writeCheckpoint } from '../../../shared/core/proof/checkpoint.ts';
import { type FailureCode, FAILURES } from '../../../shared/core/proof/failures.ts';
import { publishKey, trustKey } from '../../../shared/core/proof/keys.ts';
import { hashLeaf, rootFromLeafHashes } from '../../../shared/core/proof/merkle.ts';
import { parseReceipt, verifyReceipt, writeReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { failureOf } from './failures.ts';
import { LOG_KEY, ORIGIN, sampleLog, TIME_MS, TRUSTED } from './sample-log.ts';

const SIZE = 21;
const log = sampleLog(SIZE);

/** A receipt for these bytes from a correctly signed log of one leaf, which only a faulty log could issue. */
function receiptOverBytes(bytes: Buffer, proofId: string, origin = ORIGIN): Receipt {
  const checkpoint = writeCheckpoint({ origin, size: 1, root: hashLeaf(bytes), key: LOG_KEY, timeMs: TIME_MS });
  return writeReceipt({ proofId, record: bytes, index: 0, path: [], checkpoint });
}

describe('A receipt', () => {
  it('is verified against the signed checkpoint, and the result states what it proves', () => {
    const result = verifyReceipt(log.receipt(4), TRUSTED);
    if (!result.ok) throw new Error(result.sentence);
    expect(result).to.deep.include({
      proofId: 'p-4',
      origin: ORIGIN,
      size: SIZE,
      index: 4,
      timeMs: Math.floor(TIME_MS / 1_000) * 1_000,
      eventHash: log.records[4]?.eventHash.toString('hex'),
      root: Buffer.from(rootFromLeafHashes(log.records.map((r) => r.leafHash))).toString('hex'),
    });
    expect(result.record).to.deep.include({ agentId: 'agent-1', eventType: 'deploy' });
    expect(result.record.payload).to.deep.equal({
      body: { n: 4, note: 'péril — 危' },
      environment: 'live',
      organisation: 'acme',
      proofId: 'p-4',
    });
  });

  it('is verified after a JSON round trip with any spacing, escapes and order of members', () => {
    const receipt = log.receipt(9);
    const reversed = Object.fromEntries(Object.entries(receipt).reverse());
    const escaped = JSON.stringify(receipt).replaceAll('—', '\\u2014');
    for (const text of [JSON.stringify(receipt), JSON.stringify(reversed, null, 4), escaped])
      expect(failureOf(parseReceipt(text))).to.equal('VALID');
  });

  it('is verified for a record whose body has the maximum nesting depth of a request', () => {
    let body: unknown = 1;
    for (let i = 0; i < 62; i += 1) body = [body];
    expect(failureOf(sampleLog(1, () => body).receipt(0))).to.equal('VALID');
  });

  it('belongs to the new origin if the log was restarted', () => {
    const record = log.records[0]?.bytes ?? Buffer.alloc(0);
    for (const [origin, expected] of [
      [`${ORIGIN}/2`, 'VALID'],
      [`${ORIGIN}/12`, 'VALID'],
      [`${ORIGIN}/1`, 'WRONG_LOG'],
      [`${ORIGIN}/02`, 'WRONG_LOG'],
      ['custos.local/acme/test', 'WRONG_LOG'],
      ['custos.local/acme2/live', 'WRONG_LOG'],
      ['custos.local/other/live', 'WRONG_LOG'],
      ['acme/live', 'WRONG_LOG'],
    ] as const)
      expect(
        failureOf(receiptOverBytes(record, 'p-0', origin), [
          trustKey(publishKey(LOG_KEY, { origin, use: 'log' }).vkey),
        ]),
        origin,
      ).to.equal(expected);
  });

  const receipt = log.receipt(6);
  const otherHash = 'ab'.repeat(32);
  const flip = (hash: string | undefined): string => (hash ?? '').replace(/^./, (c) => (c === '0' ? '1' : '0'));
  const altered = (change: (text: string) => string): Receipt => ({
    ...receipt,
    record: Buffer.from(change(Buffer.from(receipt.record, 'base64').toString())).toString('base64'),
  });
  const wrong: readonly (readonly [string, Receipt, FailureCode])[] = [
    ['one letter of the record', altered((text) => text.replace('deploy', 'Deploy')), 'RECORD_ALTERED'],
    ['a record that is no JSON any more', altered((text) => text.replace('{', '[')), 'RECORD_ALTERED'],
    ['a space in the record', altered((text) => text.replace(':', ': ')), 'RECORD_ALTERED'],
    ['another record of the log', { ...receipt, record: log.receipt(7).record }, 'RECORD_ALTERED'],
    ['the index of its neighbour', { ...receipt, index: 7 }, 'WRONG_INDEX'],
    ['an index far away', { ...receipt, index: 20 }, 'WRONG_INDEX'],
    ['an index outside the tree', { ...receipt, index: 6_000 }, 'WRONG_INDEX'],
    ['a checkpoint of a larger tree', { ...receipt, checkpoint: sampleLog(40).checkpoint(40) }, 'WRONG_SIZE'],
    ['a checkpoint before it', { ...receipt, checkpoint: log.checkpoint(5) }, 'WRONG_SIZE'],
    ['a checkpoint of a smaller tree', { ...receipt, checkpoint: log.checkpoint(9) }, 'WRONG_SIZE'],
    ['one digit of the path', { ...receipt, path: receipt.path.with(2, flip(receipt.path[2])) }, 'WRONG_PATH'],
    ['the path in reverse', { ...receipt, path: receipt.path.toReversed() }, 'WRONG_PATH'],
    ['a hash too many at its end', { ...receipt, path: [...receipt.path, otherHash] }, 'WRONG_PATH'],
    ['a hash too many at its start', { ...receipt, path: [otherHash, ...receipt.path] }, 'WRONG_PATH'],
    ['no path', { ...receipt, path: [] }, 'WRONG_PATH'],
    ['a path without its last hash', { ...receipt, path: receipt.path.slice(0, -1) }, 'WRONG_SIZE'],
    ['another proof', { ...receipt, proofId: 'p-7' }, 'WRONG_PROOF_ID'],
    [
      'the size in the checkpoint',
      { ...receipt, checkpoint: receipt.checkpoint.replace('\n21\n', '\n22\n') },
      'CHECKPOINT_SIGNATURE',
    ],
    [
      'another log in the checkpoint',
      { ...receipt, checkpoint: receipt.checkpoint.replaceAll('acme', 'acne') },
      'KEY_NOT_OF_LOG',
    ],
  ];
  for (const [what, bad, failure] of wrong) {
    it(`with ${what} is refused as ${failure}, with an explanation`, () => {
      const result = verifyReceipt(bad, TRUSTED);
      expect(result).to.include({ ok: false, failure });
      expect(result.ok ? '' : result.sentence).to.match(/^[A-Z"].*\.$/);
    });
  }

  it('is refused for bytes that are not a record, even if they are in the log', () => {
    const sound = log.records[0]?.bytes.toString() ?? '';
    for (const text of [
      'not JSON',
      '{}',
      'null',
      sound.replace(':', ': '),
      sound.replace('{', '{"a":1,'),
      sound.replace(',"environment":"live"', ''),
      sound.replace('.890Z', 'Z'),
      sound.replace(/0{64}/, '0'.repeat(63)),
      sound.replace('"p-0"', '0'),
      `\ufeff${sound}`,
      '['.repeat(30_000) + ']'.repeat(30_000),
    ])
      expect(failureOf(receiptOverBytes(Buffer.from(text), 'p-0')), text.slice(0, 60)).to.equal('RECORD_NOT_CANONICAL');
    expect(failureOf(receiptOverBytes(Buffer.from([0xff]), 'p-0'))).to.equal('RECORD_NOT_CANONICAL');
    expect(failureOf(receiptOverBytes(Buffer.from(sound), 'p-0'))).to.equal('VALID');
  });
});

describe('The table of failures', () => {
  it('gives each failure a unique exit code that no shell or tool uses', () => {
    const codes = Object.values(FAILURES).map(({ exitCode }) => exitCode);
    expect(new Set(codes).size).to.equal(codes.length);
    expect(codes.every((code) => code >= 10 && code < 64)).to.equal(true);
  });
});
