// Receipts are valid for all trees up to 200 records, and a change of any character of one is refused with a named failure.
import { expect } from 'chai';
import fc from 'fast-check';
import { FAILURES, ProofError } from '../../../shared/core/proof/failures.ts';
import { verifyReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { parseEvidence } from '../../../shared/core/proof/verify.ts';
import { sampleLog, TRUSTED } from '../proof/sample-log.ts';

/** Whether a text is refused; diagnosing the reason has its own test. */
function verdictOf(bytes: Uint8Array): string {
  try {
    const evidence = parseEvidence(bytes);
    if (evidence.kind !== 'receipt') return 'a promise';
    const result = verifyReceipt(evidence.receipt, TRUSTED, { searchHashes: 0 });
    return result.ok ? 'VALID' : result.failure;
  } catch (error) {
    if (error instanceof ProofError) return error.failure;
    throw error;
  }
}

function failureOf(receipt: Receipt): string {
  const result = verifyReceipt(receipt, TRUSTED);
  return result.ok ? 'VALID' : result.failure;
}

/** Characters that often distinguish valid from invalid text. */
const TELLING = [...'0123456789abefABEF+/=-_. \t\n\r"\\{}[],:uneE\u2014\u00a0\ufeff'];

describe('Receipts of all logs up to 200 records', () => {
  const log = sampleLog(200);

  it('are valid at every size, and at no other index', () => {
    for (let size = 1; size <= 200; size += 1) {
      for (const index of new Set([0, size >> 1, size - 1, Math.floor(size / 3)])) {
        const receipt = log.receipt(index, size);
        expect(failureOf(receipt), `${index} of ${size}`).to.equal('VALID');
        if (size === 1) continue;
        for (const other of [(index + 1) % size, (index + size - 1) % size, size])
          expect(failureOf({ ...receipt, index: other }), `${index} as ${other} of ${size}`).to.equal('WRONG_INDEX');
      }
    }
  });

  it('are refused with the checkpoint of another size, and with a path too short or too long', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.nat(),
        fc.integer({ min: 1, max: 200 }),
        fc.nat(),
        (size, at, other, cut) => {
          const index = at % size;
          const receipt = log.receipt(index, size);
          if (other !== size)
            expect(failureOf({ ...receipt, checkpoint: log.checkpoint(other) })).to.be.oneOf([
              'WRONG_SIZE',
              'WRONG_PATH',
              'RECORD_ALTERED',
              'WRONG_INDEX',
            ]);
          if (other <= index)
            expect(failureOf({ ...receipt, checkpoint: log.checkpoint(other) })).to.equal('WRONG_SIZE');
          const short = receipt.path.toSpliced(cut % receipt.path.length, 1);
          expect(failureOf({ ...receipt, path: short })).to.be.oneOf(['WRONG_SIZE', 'WRONG_PATH']);
          const long = receipt.path.toSpliced(cut % (receipt.path.length + 1), 0, 'cd'.repeat(32));
          expect(failureOf({ ...receipt, path: long })).to.equal('WRONG_PATH');
        },
      ),
      { numRuns: 80 },
    );
  });

  it('name the path when one of its bits was changed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), fc.nat(), fc.nat(255), (size, at, which, bit) => {
        const receipt = log.receipt(at % size, size);
        const place = which % receipt.path.length;
        const hash = Buffer.from(receipt.path[place] ?? '', 'hex');
        hash[bit >> 3] = (hash[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(failureOf({ ...receipt, path: receipt.path.with(place, hash.toString('hex')) })).to.equal('WRONG_PATH');
      }),
      { numRuns: 40 },
    );
  });
});

describe('Any change of a receipt', () => {
  const receipt = sampleLog(13).receipt(5);
  const texts = { JSON: JSON.stringify(receipt), 'tlog-proof': writeTlogProof(receipt) };

  for (const [form, text] of Object.entries(texts)) {
    it(`as ${form}, in any one character, is refused by name`, () => {
      const characters = [...text];
      for (const [i, before] of characters.entries()) {
        // All positions, with different replacements at each: all replacements at all positions would take minutes.
        for (const after of [
          ...TELLING.filter((_, n) => n % 8 === i % 8),
          String.fromCodePoint((before.codePointAt(0) ?? 0) ^ 1),
        ]) {
          if (after === before) continue;
          const changed = characters.with(i, after).join('');
          expect(verdictOf(Buffer.from(changed)), `${before} at ${i} as ${after}`).to.be.oneOf(Object.keys(FAILURES));
        }
        expect(verdictOf(Buffer.from(characters.toSpliced(i, 1).join(''))), `without ${before} at ${i}`).to.be.oneOf(
          Object.keys(FAILURES),
        );
      }
    });

    it(`as ${form}, in any one bit, is refused by name`, () => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 1) {
        for (const bit of [at % 8, (at + 3) % 8, (at + 6) % 8]) {
          const changed = Buffer.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ (1 << bit);
          expect(verdictOf(changed), `bit ${bit} of byte ${at}`).to.be.oneOf(Object.keys(FAILURES));
        }
      }
    });

    it(`as ${form}, by cutting it anywhere, is refused by name`, () => {
      for (let end = 0; end < text.length; end += 7)
        expect(verdictOf(Buffer.from(text.slice(0, end))), `cut at ${end}`).to.be.oneOf(Object.keys(FAILURES));
    });
  }

  it('by any other value of its members is refused, and never throws another kind of error', () => {
    const members = Object.keys(receipt);
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue(), (member, value) => {
        const changed = { ...receipt, [member]: value };
        fc.pre(JSON.stringify(changed) !== JSON.stringify(receipt));
        expect(verdictOf(Buffer.from(JSON.stringify(changed)))).to.be.oneOf(Object.keys(FAILURES));
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.uint8Array({ maxLength: 200 })), (input) => {
        expect(verdictOf(Buffer.from(input))).to.be.oneOf(Object.keys(FAILURES));
      }),
    );
  });
});
