// Buckets of time: they cover the span with round beginnings, and are sums of the buckets that are counted.
import { expect } from 'chai';
import fc from 'fast-check';
import { timeBuckets } from '../../shared/kernel/time-buckets.ts';

const HOUR_MS = 3_600_000;

describe('the buckets of a time span', () => {
  for (const [name, spanMs, most, seconds, counted] of [
    ['ten minutes', 600_000, 60, 10, 10],
    ['an hour', HOUR_MS, 120, 30, 10],
    ['a day', 24 * HOUR_MS, 144, 600, 60],
    ['thirty days', 30 * 24 * HOUR_MS, 120, 21_600, 3_600],
    ['ten years', 3_650 * 24 * HOUR_MS, 60, 9 * 604_800, 3_600],
    ['nothing', 0, 60, 10, 10],
  ] as const)
    it(`are ${seconds} s long for ${name} in ${most}`, () => {
      const { stepMs, countedSeconds } = timeBuckets(HOUR_MS, HOUR_MS + spanMs, most);
      expect([stepMs, countedSeconds]).to.deep.equal([seconds * 1_000, counted]);
    });

  it('cover every span, begin at a multiple of their length, and are multiples of a counted one', () => {
    const ms = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(ms, ms, fc.integer({ min: 1, max: 500 }), (a, b, most) => {
        const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
        const { startMs, stepMs, length, countedSeconds } = timeBuckets(fromMs, toMs, most);
        expect([startMs % stepMs, stepMs % (countedSeconds * 1_000)]).to.deep.equal([0, 0]);
        expect(startMs).to.be.within(fromMs - stepMs + 1, fromMs);
        expect(startMs + length * stepMs).to.be.least(toMs);
        expect(length).to.be.most(most + 1);
      }),
    );
  });
});
