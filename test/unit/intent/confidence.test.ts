// Confidence from doubts and the weights of a lexicon. Texts with their confidence: test/texts/parse/confidence.jsonl.
import { expect } from 'chai';
import {
  confidenceOf,
  type ConfidenceWeights,
  DOUBTS,
  productOf,
} from '../../../shared/core/intent/assess/confidence.ts';
import { compileLexicon, LexiconError } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

const { confidence: shipped } = shippedLexicon().assessment;
const half = { ...shipped.doubts, question: 0.5, negated: 0.5 };
const weights: ConfidenceWeights = {
  doubts: half,
  curve: [
    { product: 0, share: 0 },
    { product: 0.5, share: 0.8 },
    { product: 1, share: 0.9 },
  ],
  harmless: 0.6,
};

describe('confidence', () => {
  it('is the share on the curve at the product of the certainty and the factors of all doubts', () => {
    expect(productOf({ certainty: 0.9, doubts: ['question', 'negated'] }, weights)).to.be.closeTo(0.225, 1e-9);
    expect(confidenceOf({ certainty: 1, doubts: [] }, weights)).to.equal(0.9);
    expect(confidenceOf({ certainty: 1, doubts: ['question'] }, weights)).to.equal(0.8);
    expect(confidenceOf({ certainty: 1, doubts: ['question', 'negated'] }, weights)).to.equal(0.4);
    expect(confidenceOf({ certainty: 0.75, doubts: [] }, weights)).to.equal(0.85);
  });

  it('is at least that of harmless texts, where the learned weights tell that the text is harmless', () => {
    const doubted = { certainty: 1, doubts: ['question', 'negated'] } as const;
    expect(confidenceOf({ ...doubted, isHarmless: true }, weights)).to.equal(0.6);
    expect(confidenceOf({ certainty: 1, doubts: [], isHarmless: true }, weights)).to.equal(0.9);
  });

  it('of an unknown action is low', () => {
    expect(confidenceOf(undefined, weights)).to.equal(0.1);
  });

  it('is never raised by a doubt, with the shipped weights', () => {
    const sure = confidenceOf({ certainty: 1, doubts: [] }, shipped);
    for (const doubt of DOUBTS) {
      const doubted = confidenceOf({ certainty: 1, doubts: [doubt] }, shipped);
      expect(doubted, doubt).to.be.at.most(sure);
      expect(confidenceOf({ certainty: 1, doubts: [doubt, 'negated'] }, shipped), doubt).to.be.at.most(doubted);
    }
    expect(sure).to.be.below(1);
  });
});

describe('the weights of a lexicon', () => {
  const withAssessment = (change: (assessment: { confidence: { curve: unknown; doubts: object } }) => void) => {
    const json = lexiconJson() as { assessment: { confidence: { curve: unknown; doubts: object } } };
    change(json.assessment);
    return json;
  };

  it('may be absent, in which case every doubt counts alike', () => {
    const { assessment: _, ...json } = lexiconJson();
    const { doubts } = compileLexicon(json).assessment.confidence;
    expect(new Set(Object.values(doubts)).size).to.equal(1);
  });

  for (const [what, curve, pointer] of [
    [
      'falls',
      [
        { product: 0, share: 0.5 },
        { product: 0.5, share: 0.4 },
        { product: 1, share: 0.9 },
      ],
      '/1',
    ],
    [
      'has one product twice',
      [
        { product: 0, share: 0 },
        { product: 0, share: 0.4 },
        { product: 1, share: 0.9 },
      ],
      '/1',
    ],
    [
      'does not begin at 0',
      [
        { product: 0.1, share: 0 },
        { product: 1, share: 0.9 },
      ],
      '',
    ],
    [
      'does not end at 1',
      [
        { product: 0, share: 0 },
        { product: 0.9, share: 0.9 },
      ],
      '',
    ],
  ] as const)
    it(`are refused when the curve ${what}`, () => {
      const json = withAssessment((assessment) => {
        assessment.confidence.curve = curve;
      });
      expect(() => compileLexicon(json))
        .to.throw(LexiconError)
        .with.property('pointer', `/assessment/confidence/curve${pointer}`);
    });

  it('are refused when a doubt is unknown', () => {
    const json = withAssessment(({ confidence }) => {
      confidence.doubts = { ...confidence.doubts, rain: 0.5 };
    });
    expect(() => compileLexicon(json)).to.throw(LexiconError, 'unknown member "rain"');
  });
});
