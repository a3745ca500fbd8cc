// Confidence can be converted back to the product of doubts. Texts with their confidence: test/texts/parse/confidence.jsonl.
import { expect } from 'chai';
import { rawOf } from '../../../shared/core/intent/assess/confidence.ts';

describe('confidence', () => {
  it('comes from a strictly rising curve, so that a calibration can invert it', () => {
    const raw = Array.from({ length: 101 }, (_, at) => rawOf(at / 100));
    for (const [at, value] of raw.entries()) {
      expect(value).to.be.within(0, 1);
      if (at > 0 && at < 100) expect(value, String(at)).to.be.greaterThan(raw[at - 1] ?? 1);
    }
    expect(rawOf(-1)).to.equal(rawOf(0));
    expect(rawOf(2)).to.equal(rawOf(1));
  });
});
