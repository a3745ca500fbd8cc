// Cases of the shipped policies: risk by the intake policies first, then the verdict, in the order of a request.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { compileLexicon, factsWith, LEXICON, shippedFiles } from './support.ts';
import { dataOf } from '../../support/data.ts';

interface Case {
  name: string;
  facts: Record<string, unknown>;
  verdict: string;
  codes: string[];
  risk?: string;
}

describe('shipped policies', () => {
  const loaded = loadPolicySet(shippedFiles(), LEXICON, { compileLexicon });
  it('load without findings', () => {
    expect(loaded.ok ? [] : loaded.findings).to.deep.equal([]);
  });
  for (const example of dataOf<Case[]>('unit/policy/default-set.cases.json')) {
    it(`${example.name}: ${example.verdict}`, async () => {
      if (!loaded.ok) throw new Error('the shipped policies do not load');
      const evaluator = createEvaluator({ set: loaded.set });
      const facts = factsWith(example.facts);
      facts.intent.risk = await evaluator.assessRisk(facts);
      const evaluation = await evaluator.evaluate(facts);
      expect(evaluation.verdict, JSON.stringify(evaluation.reasons)).to.equal(example.verdict);
      expect([...new Set(evaluation.reasons.map((reason) => reason.code))]).to.have.members(example.codes);
      if (example.risk !== undefined) expect(facts.intent.risk.level).to.equal(example.risk);
      expect((await evaluator.explain(facts)).evaluation).to.deep.equal(evaluation);
    });
  }
});
