// The trust formula: its published examples, and properties for all signals.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  decay,
  type EvidenceBucket,
  evidenceOf,
  SIGNAL_TYPES,
  type SignalType,
  scoreOn,
} from '../../../shared/core/trust/beta.ts';

interface Signal {
  type: SignalType;
  weight: number;
  day: number;
  key: string;
}

const TODAY = 20_000;

/** Folds signals as the worker does: one bucket per day and key. */
function fold(signals: readonly Signal[]): EvidenceBucket[] {
  const buckets = new Map<string, { day: number; positive: number; negative: number }>();
  for (const { type, weight, day, key } of signals) {
    const id = `${day} ${key}`;
    const bucket = buckets.get(id) ?? { day, positive: 0, negative: 0 };
    const { positive, negative } = evidenceOf(type, weight);
    buckets.set(id, { day, positive: bucket.positive + positive, negative: bucket.negative + negative });
  }
  return [...buckets.values()];
}

const score = (signals: readonly Signal[], day = TODAY): number => scoreOn(day, fold(signals)).score;

const signal: fc.Arbitrary<Signal> = fc.record({
  type: fc.constantFrom(...SIGNAL_TYPES),
  weight: fc.integer({ min: 1, max: 1_000 }),
  day: fc.integer({ min: TODAY - 1_000, max: TODAY }),
  key: fc.constantFrom('a', 'b', 'c'),
});
const signals = fc.array(signal, { maxLength: 60 });
const full = (type: SignalType, day = TODAY, key = 'a'): Signal => ({ type, weight: 1_000, day, key });

describe('trust score', () => {
  it('is 250 with uncertainty 1 without evidence', () => {
    expect(scoreOn(TODAY, [])).to.deep.equal({ score: 250, uncertainty: 1 });
  });

  it('is 192 after one full failure and 62 after one full violation', () => {
    expect(score([full('failure')])).to.equal(192);
    expect(score([full('violation')])).to.equal(62);
  });

  it('heals one full failure to level 1 in about 8 idle days', () => {
    const days = Array.from({ length: 30 }, (_, i) => i).find((i) => score([full('failure')], TODAY + i) >= 200);
    expect(days).to.be.within(7, 9);
  });

  it('reaches level 7 with 144 fresh successes, which one key can give in about 19 days', () => {
    const many = Array.from({ length: 144 }, (_, i) => full('success', TODAY, `key ${i % 15}`));
    expect(score(many)).to.equal(951);
    expect(score(many.slice(1))).to.equal(950);
    const fromOneKey = (days: number): number =>
      score(Array.from({ length: days * 10 }, (_, i) => full('success', TODAY - Math.floor(i / 10))));
    const days = Array.from({ length: 60 }, (_, i) => i).find((n) => fromOneKey(n) >= 951);
    expect(days).to.be.within(17, 21);
  });

  it('decays by the integers of the formula', () => {
    for (let days = 0; days <= 990; days += 1) {
      const exact = 2 ** 32 * 2 ** (-days / 30);
      expect(Math.abs(Number(decay(days)) - exact), `day ${days}`).to.be.at.most(0.500_001);
    }
    expect([decay(990), decay(991)], 'the last day that counts').to.deep.equal([1n, 0n]);
    expect(decay(-1), 'of a clock that was set back').to.equal(decay(0));
    expect(decay(30)).to.equal(2n ** 31n);
  });

  it('is the same in any order and any split into buckets of the same day and key', () => {
    fc.assert(
      fc.property(signals, fc.infiniteStream(fc.nat()), (list, random) => {
        const shuffled = list
          .map((item) => ({ item, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
        expect(scoreOn(TODAY, fold(shuffled))).to.deep.equal(scoreOn(TODAY, fold(list)));
      }),
    );
  });

  it('is never raised by a violation or a failure, and never lowered by a success', () => {
    fc.assert(
      fc.property(signals, signal, (list, extra) => {
        const change = score([...list, extra]) - score(list);
        if (extra.type === 'success') expect(change).to.be.at.least(0);
        else expect(change).to.be.at.most(0);
      }),
    );
  });

  it('approaches the base rate when idle, and never passes it', () => {
    fc.assert(
      fc.property(signals, fc.integer({ min: 1, max: 400 }), (list, days) => {
        const recent = list.map((item) => ({ ...item, day: TODAY }));
        const [now, later] = [score(recent), score(recent, TODAY + days)];
        if (now >= 250) expect(later).to.be.within(250, now);
        else expect(later).to.be.within(now, 250);
      }),
    );
  });

  it('stays within 0..1000, and uncertainty within 0..1', () => {
    fc.assert(
      fc.property(signals, (list) => {
        const { score: value, uncertainty } = scoreOn(TODAY, fold(list));
        expect(value).to.be.within(0, 1_000);
        expect(uncertainty).to.be.within(0, 1);
      }),
    );
  });

  it('counts positive evidence of one key and day only up to the cap', () => {
    const ten = Array.from({ length: 10 }, () => full('success'));
    expect(score([...ten, full('success')])).to.equal(score(ten));
    expect(score([...ten, full('success', TODAY, 'b')])).to.be.above(score(ten));
  });
});
