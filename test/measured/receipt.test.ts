// Bad receipts are refused in bounded time, however they are built.
import { expect } from 'chai';
import { ProofError } from '../../shared/core/proof/failures.ts';
import { parseReceipt, receiptOf, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { leastMs } from '../support/undisturbed.ts';
import { failureOf, refusalOf } from '../unit/proof/failures.ts';
import { sampleLog, TRUSTED } from '../unit/proof/sample-log.ts';

const log = sampleLog(21);
const receipt = log.receipt(6);

describe('A bad receipt', () => {
  it('is refused with a failure code within milliseconds if it is malformed or a value of another type', async () => {
    const hash = 'a'.repeat(64);
    const hostile: readonly unknown[] = [
      null,
      1,
      'text',
      [],
      [receipt],
      {},
      { ...receipt, root: hash },
      { ...receipt, format: 'custos-receipt/2' },
      { ...receipt, status: 'pending' },
      { ...receipt, proofId: '' },
      { ...receipt, proofId: 1 },
      { ...receipt, proofId: 'x'.repeat(257) },
      { ...receipt, record: '' },
      { ...receipt, record: `${receipt.record}=` },
      { ...receipt, record: receipt.record.replace(/=*$/, '') },
      { ...receipt, record: receipt.record.replace('A', '-') },
      { ...receipt, record: ` ${receipt.record}` },
      { ...receipt, record: 'QR==' },
      { ...receipt, record: 'A'.repeat(2 * 1_048_576 + 4) },
      { ...receipt, index: 2 ** 60 },
      { ...receipt, index: -1 },
      { ...receipt, index: -0 },
      { ...receipt, index: 1.5 },
      { ...receipt, index: '6' },
      { ...receipt, path: hash },
      { ...receipt, path: { 0: hash } },
      { ...receipt, path: [hash.toUpperCase()] },
      { ...receipt, path: [hash.slice(1)] },
      { ...receipt, path: [1] },
      { ...receipt, path: Array.from({ length: 54 }, () => hash) },
      { ...receipt, path: Array.from({ length: 1e6 }, () => hash) },
      { ...receipt, checkpoint: 1 },
      { ...receipt, checkpoint: 'x'.repeat(1e6) },
      { ...receipt, checkpoint: '\n'.repeat(1e6) },
      { ...receipt, checkpoint: receipt.checkpoint.replace('\n21\n', `\n${2n ** 60n}\n`) },
    ];
    for (const value of hostile) {
      const refused = (): number => {
        const start = performance.now();
        const refusal = refusalOf(() => {
          const result = verifyReceipt(receiptOf(value), TRUSTED);
          if (!result.ok) throw new ProofError(result.failure, result.sentence);
        });
        const tookMs = performance.now() - start;
        expect(refusal, JSON.stringify(value).slice(0, 100)).to.match(/^MALFORMED: The /);
        return tookMs;
      };
      expect(await leastMs(250, refused)).to.be.below(250);
    }
    const text = JSON.stringify(receipt);
    for (const bad of [
      '',
      '{',
      `${text}x`,
      text.replace('"index":6', '"index":6,"index":6'),
      text.replace('"index":6', `"index":${2n ** 60n}`),
      text.replace('"index":6', '"index":06'),
      `\ufeff${text}`,
      `${text}${' '.repeat(2 * 1_048_576)}`,
      '['.repeat(60_000),
      `{"a":${'['.repeat(60_000)}`,
    ])
      expect(
        refusalOf(() => parseReceipt(bad)),
        bad.slice(0, 60),
      ).to.match(/^MALFORMED/);
  });

  it('is refused in bounded time even if the defect cannot be located', async () => {
    const large = sampleLog(3_000);
    const bad = { ...large.receipt(1_234), record: log.receipt(6).record };
    const refused = (): number => {
      const start = performance.now();
      expect(failureOf(bad)).to.equal('RECORD_ALTERED');
      return performance.now() - start;
    };
    expect(await leastMs(1_000, refused)).to.be.below(1_000);
  });
});
