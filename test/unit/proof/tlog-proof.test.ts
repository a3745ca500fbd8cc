// Receipts as tlog-proofs, and chains of receipts.
import { expect } from 'chai';
import { parseTlogProof, writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { verifyChain } from '../../../shared/core/proof/verify.ts';
import { failureOf, refusalOf } from './failures.ts';
import { sampleLog, TRUSTED } from './sample-log.ts';

const SIZE = 21;
const log = sampleLog(SIZE);

describe('A tlog-proof', () => {
  it('is the same receipt as text, and is converted back to it', () => {
    for (const index of [0, 6, SIZE - 1]) {
      const receipt = log.receipt(index);
      const text = writeTlogProof(receipt);
      expect(text.startsWith(`c2sp.org/tlog-proof@v1\nextra ${receipt.record}\nindex ${index}\n`)).to.equal(true);
      expect(text.endsWith(`\n\n${receipt.checkpoint}`)).to.equal(true);
      expect(parseTlogProof(text)).to.deep.equal(receipt);
    }
    const single = sampleLog(1).receipt(0);
    expect(parseTlogProof(writeTlogProof(single))).to.deep.equal(single);
  });

  it('is refused if it is malformed', () => {
    const text = writeTlogProof(log.receipt(6));
    for (const bad of [
      '',
      text.replace('@v1', '@v2'),
      text.replace('extra ', 'extra  '),
      text.replace(/extra .*\n/, ''),
      text.replace('index 6', 'index 06'),
      text.replace('index 6', `index ${2n ** 60n}`),
      text.replace('\n\n', '\n'),
      text.replace('\n', '\r\n'),
      text.replace('=\n', '\n'),
      text + 'x'.repeat(2 * 1_048_576),
    ])
      expect(
        refusalOf(() => parseTlogProof(bad)),
        bad.slice(0, 60),
      ).to.match(/^MALFORMED/);
  });

  it('is refused as an altered record if its record cannot be parsed', () => {
    const receipt = log.receipt(6);
    const text = writeTlogProof({ ...receipt, record: Buffer.from('{}').toString('base64') });
    expect(failureOf(parseTlogProof(text))).to.equal('RECORD_ALTERED');
  });
});

describe('A chain of receipts', () => {
  const chain = [1, 4, 7, 10].map((index) => log.receipt(index));

  it('is verified in any order, starting at its first record or at a later one', () => {
    const result = verifyChain(chain.toReversed(), TRUSTED);
    expect(result.ok && result.receipts.map(({ index }) => index)).to.deep.equal([1, 4, 7, 10]);
    expect(result).to.include({ ok: true, isFromTheStart: true });
    expect(verifyChain(chain.slice(1), TRUSTED)).to.include({ ok: true, isFromTheStart: false });
  });

  it('is broken by a gap, a repetition or a record of another entity', () => {
    for (const [what, receipts] of [
      ['a gap', chain.toSpliced(2, 1)],
      ['a repetition', [...chain, ...chain.slice(1, 2)]],
      ['another entity', [...chain, log.receipt(11)]],
    ] as const)
      expect(verifyChain(receipts, TRUSTED), what).to.include({ ok: false, failure: 'CHAIN_BROKEN' });
  });

  it('is broken if the log was rewritten from one record on', () => {
    const rewritten = sampleLog(SIZE, (n) => ({ n: n === 4 ? -4 : n }));
    const mixed = [log.receipt(1), log.receipt(4), rewritten.receipt(7)];
    expect(verifyChain(mixed, TRUSTED)).to.include({ ok: false, failure: 'CHAIN_BROKEN' });
  });

  it('names the failure and the receipt if a single receipt is invalid', () => {
    const result = verifyChain([...chain.slice(0, 2), { ...log.receipt(7), index: 8 }], TRUSTED);
    expect(result).to.include({ ok: false, failure: 'WRONG_INDEX' });
    expect(result.ok ? '' : result.sentence).to.match(/^"p-7": /);
  });
});
