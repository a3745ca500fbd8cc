// Levels, tiers and effective trust: every boundary of the table, and that a claim can only lower trust.
import { expect } from 'chai';
import fc from 'fast-check';
import { effectiveTrust, highestScoreOf, levelOf, NO_EVIDENCE, tierName } from '../../../shared/core/trust/score.ts';
import { TIER_TABLE } from '../../../shared/kernel/vocabulary.ts';

describe('trust levels', () => {
  for (const { level, name, from, to } of TIER_TABLE) {
    it(`${from}..${to} is level ${level}, ${name}`, () => {
      expect([levelOf(from), levelOf(to)]).to.deep.equal([level, level]);
      expect(tierName(level)).to.equal(name);
      expect(highestScoreOf(level)).to.equal(to);
      if (level > 0) expect(levelOf(from - 1)).to.equal(level - 1);
    });
  }
  it('every score has exactly one level', () => {
    for (let score = 0; score <= 1_000; score += 1) {
      expect(
        TIER_TABLE.filter((tier) => score >= tier.from && score <= tier.to).map((tier) => tier.level),
      ).to.deep.equal([levelOf(score)]);
    }
  });
});

describe('effective trust', () => {
  const unknown = { recordedScore: NO_EVIDENCE.score, uncertainty: NO_EVIDENCE.uncertainty };
  it('an unknown agent that claims level 7 has level 1', () => {
    expect(effectiveTrust({ ...unknown, claimedLevel: 7 })).to.deep.equal({
      level: 1,
      score: 250,
      uncertainty: 1,
      recorded: { level: 1, score: 250 },
      claimed: { level: 7, score: 1_000 },
    });
  });
  it('without a claim the recorded score counts', () => {
    expect(effectiveTrust(unknown)).to.include({ level: 1, score: 250, claimed: null });
  });
  it('a claimed level counts as its highest score', () => {
    expect(effectiveTrust({ recordedScore: 900, uncertainty: 0, claimedLevel: 2 })).to.include({
      level: 2,
      score: 499,
    });
    expect(effectiveTrust({ recordedScore: 360, uncertainty: 0, claimedLevel: 2 })).to.include({
      level: 2,
      score: 360,
    });
    expect(effectiveTrust({ recordedScore: 360, uncertainty: 0, claimedLevel: 0 })).to.include({
      level: 0,
      score: 199,
    });
  });
  it('fractions of a claimed score round down', () => {
    expect(effectiveTrust({ ...unknown, claimedScore: 199.999 })).to.include({ level: 0, score: 199 });
  });
  it('a claim that is not a number counts as 0', () => {
    expect(effectiveTrust({ ...unknown, claimedScore: Number.NaN })).to.include({ level: 0, score: 0 });
  });
  it('no claim ever raises trust, and the lower of two claims counts', () => {
    const score = fc.double({ min: -10, max: 2_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000 }),
        fc.option(score, { nil: undefined }),
        fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
        (recordedScore, claimedScore, claimedLevel) => {
          const trust = effectiveTrust({ recordedScore, uncertainty: 0.5, claimedScore, claimedLevel });
          expect(trust.score).to.be.at.most(recordedScore);
          expect(trust.level).to.equal(levelOf(trust.score));
          if (claimedLevel !== undefined) expect(trust.level).to.be.at.most(claimedLevel);
          if (claimedScore !== undefined) expect(trust.score).to.be.at.most(Math.max(0, claimedScore));
        },
      ),
    );
  });
});
