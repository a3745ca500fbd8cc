// Fitting the weights of coverage and confidence to labelled texts.
import path from 'node:path';
import { expect } from 'chai';
import { fitConfidence } from '../../../bench/fit-confidence.ts';
import { fitCoverage } from '../../../bench/fit-coverage.ts';
import { examplesOf, type FitExample } from '../../../bench/fit-examples.ts';
import { foldOf, FOLDS } from '../../../bench/folds.ts';
import { loadFolderSet } from '../../../bench/intent-reader.ts';
import { rowsOf } from '../../../bench/intent-rows.ts';
import { confidenceOf, type ConfidenceWeights } from '../../../shared/core/intent/assess/confidence.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedLexicon } from './lexicon.ts';

const loaded = loadFolderSet(path.join(findRoot(), 'policies'));
const { confidence: shipped } = shippedLexicon().assessment;
const prior: ConfidenceWeights = {
  ...shipped,
  doubts: { ...shipped.doubts, question: 0.9, negated: 0.9, later_sentence: 0.9 },
};

const answered = (count: number, doubts: readonly string[], rights: number): FitExample[] =>
  Array.from(
    { length: count },
    (_, at) => ({ doubts: { certainty: 0.95, doubts }, right: at < rights }) as unknown as FitExample, // all that is fitted
  );
const examples = [...answered(400, [], 380), ...answered(200, ['question'], 100), ...answered(200, ['negated'], 190)];

describe('the fit of confidence', () => {
  const fitted = fitConfidence(examples, prior);

  it('lowers the factor of a doubt with which readings are wrong, raises that of one with which they are right', () => {
    expect(fitted.doubts.question).to.be.within(0.45, 0.65);
    expect(fitted.doubts.negated).to.be.above(0.93);
    expect(fitted.doubts.later_sentence, 'without texts it stays').to.equal(0.9);
  });

  it('gives a confidence near the share that is right, on a strictly rising curve', () => {
    expect(confidenceOf({ certainty: 0.95, doubts: ['question'] }, fitted)).to.be.closeTo(0.5, 0.1);
    expect(confidenceOf({ certainty: 0.95, doubts: [] }, fitted)).to.be.closeTo(0.95, 0.03);
    const { curve } = fitted;
    expect([curve[0]?.product, curve.at(-1)?.product]).to.deep.equal([0, 1]);
    for (const [at, point] of curve.entries()) {
      if (at === 0) continue;
      expect(point.product).to.be.above(curve[at - 1]?.product ?? 1);
      expect(point.share).to.be.above(curve[at - 1]?.share ?? 1);
    }
  });

  it('is the same for the same texts', () => {
    expect(fitConfidence(examples, prior)).to.deep.equal(fitted);
  });
});

describe('the fit of coverage', () => {
  const rows = (harm: string, texts: readonly string[]) =>
    rowsOf(texts.map((text) => JSON.stringify({ text, harm })).join('\n'), harm);
  const fit = async (harmful: readonly string[], harmless: readonly string[]) => {
    const files = [
      { file: 'a', rows: rows('delete', harmful) },
      { file: 'b', rows: rows('none', harmless) },
    ];
    const { set, ...others } = await loaded;
    // Weights of harm that are learned from four texts tell those apart, whatever the weights of coverage are.
    const lexicon: Lexicon = { ...set.lexicon, harm: undefined, forOrganisation: () => lexicon };
    const folder = { ...others, set: { ...set, lexicon } };
    return fitCoverage(examplesOf(files, folder), folder, shipped);
  };
  const HARMFUL = ['Update the frobs of quux', 'Rename the zorblax of quux', 'Create a frob for zorblax in quux'];

  it('stops harm among unknown words, but not at the price of as many harmless texts', async () => {
    const alone = await fit(HARMFUL, ['List the invoices']);
    const outweighed = await fit([HARMFUL[0] ?? ''], [...HARMFUL.slice(1), 'Rename the frob of quux']);
    expect(alone.clauses).to.be.below(0.5);
    expect(outweighed.clauses).to.be.at.least(0.5);
  });
});

describe('the folds', () => {
  it('are as many as cross-validation needs, and the same for the same text', () => {
    const folds = Array.from({ length: 200 }, (_, at) => foldOf(`text ${at}`));
    expect(new Set(folds).size).to.equal(FOLDS);
    expect(foldOf('text 7')).to.equal(folds[7]);
  });
});
