// The trait illicit, as data: sentences that describe themselves as not allowed, and ordinary ones with the same words.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedLexicon } from './lexicon.ts';

interface Case {
  text: string;
  illicit: boolean;
}

// The shape is defined by the test; a wrong one fails the test.
const cases = JSON.parse(
  readFileSync(path.join(findRoot(), 'test', 'unit', 'intent', 'illicit.cases.json'), 'utf8'),
) as Case[];

const isIllicit = (text: string) => parseIntent(text, shippedLexicon()).traits.includes('illicit');

describe('trait illicit', () => {
  for (const { text, illicit } of cases) {
    it(`is ${illicit ? 'given' : 'not given'} for ${JSON.stringify(text)}`, () => {
      expect(isIllicit(text)).to.equal(illicit);
    });
  }

  it('is found in a later sentence of a longer text', () => {
    expect(isIllicit('List the orders of May. Then use a stolen card to pay for them.')).to.equal(true);
  });

  it('is not combined from two sentences', () => {
    expect(isIllicit('The wallet was stolen on Monday. Use the spare one to pay for the taxi.')).to.equal(false);
  });
});
