// Folding as a pure function: numbers without gaps, leaves of bounded size, and scores that an auditor can recompute.
import { expect } from 'chai';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { dayOf, scoreOn, type SignalType } from '../../../shared/core/trust/beta.ts';
import { type Fold, foldSignals, type WaitingSignal } from '../../../shared/core/trust/fold.ts';
import { NOTHING_RECORDED, parseEvidence, recordedTrust } from '../../../shared/core/trust/recorded.ts';
import { recordedScoreOf } from '../../../shared/core/trust/score.ts';

const TODAY = 20_000;
const CAP = 10_000;
const NOTHING = { signals: 0, buckets: [] };

const signal = (signalId: string, more: Partial<WaitingSignal> = {}): WaitingSignal => ({
  signalId,
  type: 'success',
  weight: 1_000,
  day: TODAY,
  keyId: 'key1',
  ...more,
});

interface LeafBody {
  asOf: { day: string; signals: number };
  dailyCapThousandths: number;
  score: number;
  uncertainty: number;
  signals: { n: number; signalId: string; type: SignalType; weight: number; day: string; key: string }[];
}
const bodyOf = (fold: Fold): LeafBody => JSON.parse(fold.body) as LeafBody;

describe('a fold', () => {
  it('is a canonical leaf body with the signals, the score, the level and the inputs of the score', () => {
    const added = [signal('ä"1', { type: 'violation', weight: 123 }), signal('2', { day: TODAY - 3, keyId: 'key2' })];
    const { folds } = foldSignals(NOTHING, added, TODAY, CAP);
    expect(folds.map(({ firstN, lastN }) => [firstN, lastN])).to.deep.equal([[1, 2]]);
    const [fold] = folds as [Fold];
    expect(fold.body).to.equal(canonicalize(JSON.parse(fold.body)));
    expect(JSON.parse(fold.body)).to.deep.equal({
      asOf: { day: '2024-10-04', signals: 2 },
      dailyCapThousandths: CAP,
      level: 1,
      score: fold.score,
      signals: [
        { day: '2024-10-04', key: 'key1', n: 1, signalId: 'ä"1', type: 'violation', weight: 0.123 },
        { day: '2024-10-01', key: 'key2', n: 2, signalId: '2', type: 'success', weight: 1 },
      ],
      uncertainty: fold.uncertainty,
    });
  });

  it("adds to the agent's evidence, and returns only the changed buckets", () => {
    const had = [
      { day: TODAY, keyId: 'key1', positive: 500, negative: 70 },
      { day: TODAY - 1, keyId: 'key1', positive: 900, negative: 0 },
    ];
    const { folds, changed } = foldSignals(
      { signals: 7, buckets: had },
      [signal('a', { type: 'failure' })],
      TODAY,
      CAP,
    );
    expect(changed).to.deep.equal([{ day: TODAY, keyId: 'key1', positive: 500, negative: 1_070 }]);
    expect(folds[0]).to.include({ firstN: 8, lastN: 8 });
    expect(folds[0]?.score).to.equal(
      scoreOn(TODAY, [...changed, { day: TODAY - 1, positive: 900, negative: 0 }], CAP).score,
    );
  });

  it('is split into leaves that fit into a receipt of 64 kB, without a gap in the numbers', () => {
    const added = Array.from({ length: 1_000 }, (_, i) =>
      signal(`${'長'.repeat(250)}${i}`, { weight: (i % 1_000) + 1 }),
    );
    const { folds } = foldSignals(NOTHING, added, TODAY, CAP);
    expect(folds.length).to.be.above(10);
    const seen = folds.flatMap((fold) => bodyOf(fold).signals);
    expect(seen.map((s) => s.n)).to.deep.equal(added.map((_, i) => i + 1));
    expect(seen.map((s) => s.signalId)).to.deep.equal(added.map((s) => s.signalId));
    for (const fold of folds) expect(Buffer.byteLength(fold.body)).to.be.below(26_000);
  });

  it('has a score that can be recomputed from its leaf and the earlier ones alone', () => {
    const types: SignalType[] = ['success', 'failure', 'violation', 'success'];
    const added = Array.from({ length: 700 }, (_, i) =>
      signal(`signal ${i}`, { type: types[i % 4] ?? 'success', weight: ((i * 37) % 1_000) + 1, day: TODAY - (i % 20) }),
    );
    const { folds } = foldSignals(NOTHING, added, TODAY, CAP);
    expect(folds.length).to.be.above(2);
    const buckets: { day: number; positive: number; negative: number }[] = [];
    for (const fold of folds) {
      for (const s of bodyOf(fold).signals) {
        const weight = Math.round(s.weight * 1_000);
        const negative = s.type === 'success' ? 0 : s.type === 'failure' ? weight : 10 * weight;
        buckets.push({ day: dayOf(Date.parse(s.day)), positive: s.type === 'success' ? weight : 0, negative });
      }
      const days = [...new Set(buckets.map((b) => b.day))].map((day) => ({
        day,
        positive: buckets.filter((b) => b.day === day).reduce((sum, b) => sum + b.positive, 0),
        negative: buckets.filter((b) => b.day === day).reduce((sum, b) => sum + b.negative, 0),
      }));
      expect(bodyOf(fold)).to.include(scoreOn(TODAY, days, CAP));
    }
  });
});

describe('recorded trust', () => {
  const evidence = `${TODAY} 4000 1000;${TODAY - 40} 9000 0`;
  const trust = recordedTrust({ signals: 14, lastSignalAtMs: 5, evidence });

  it('has the score of any day, even after a query for another day', () => {
    const buckets = parseEvidence(evidence);
    for (const day of [TODAY, TODAY + 1, TODAY, TODAY + 2_000])
      expect(trust.on(day)).to.deep.equal(scoreOn(day, buckets));
    expect(trust.on(TODAY + 2_000)).to.deep.equal({ score: 250, uncertainty: 1 });
  });

  it('does not cap the daily sum of capped keys again', () => {
    const many = recordedTrust({ signals: 3, lastSignalAtMs: 5, evidence: `${TODAY} 30000 0` });
    expect(many.on(TODAY).score).to.equal(Math.floor((1_000 * 32_500) / 40_000));
    expect(many.evidenceOn(TODAY)).to.deep.equal({ positive: 30, negative: 0 });
  });

  it('is the trust of no evidence without signals', () => {
    expect(recordedTrust({ signals: 0, lastSignalAtMs: null, evidence: '' })).to.equal(NOTHING_RECORDED);
  });

  for (const broken of ['20000 1', '20000 1 2 3', '20000 x 1', '20000 1 1;'])
    it(`is refused when its evidence is "${broken}"`, () => {
      expect(() => parseEvidence(broken)).to.throw('is not evidence');
    });

  it('gives an agent that nobody registered at most the score of no evidence', () => {
    expect(recordedScoreOf(false, 900)).to.equal(250);
    expect(recordedScoreOf(false, 62)).to.equal(62);
    expect(recordedScoreOf(true, 900)).to.equal(900);
  });
});
