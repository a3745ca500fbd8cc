// Risk by the shipped intake policies, as data: sentences with their level and expected factors.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createIntentReader, type IntentReader } from '../../../bench/intent-reader.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

interface Case {
  text: string;
  level: string;
  /** At least these. */
  factors: string[];
}

// The shape is defined by the test; a wrong one fails the test.
const cases = JSON.parse(
  readFileSync(path.join(findRoot(), 'test', 'unit', 'intent', 'risk.cases.json'), 'utf8'),
) as Case[];

describe('risk of a text by the shipped policies', () => {
  let reader: IntentReader;
  before(async () => {
    reader = await createIntentReader(path.join(findRoot(), 'policies'));
  });

  for (const { text, level, factors } of cases) {
    it(`is ${level} for ${JSON.stringify(text)}`, async () => {
      const { risk } = await reader.read(text);
      const found = risk.factors.map(({ factor, score }) => `${factor} ${score}`).join(', ');
      expect(risk.level, found).to.equal(level);
      const names = risk.factors.map(({ factor }) => factor);
      expect(names, found).to.include.members(factors);
      if (factors.length === 0) expect(risk.score, found).to.be.at.most(50);
      expect(names, 'each factor once').to.have.length(new Set(names).size);
      expect(risk.factors.every(({ message }) => message.length > 5)).to.equal(true);
    });
  }
});
