// Every operator in everything that evaluates or examines conditions, with values from the table of operators.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { leafOf, operandOf } from '../../../shared/core/policy/normal-form.ts';
import { OPERATOR_NAMES, OPERATORS } from '../../../shared/core/policy/operators.ts';
import { createCoverage } from '../../../shared/core/policy/testing/coverage.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { parseFacts } from '../../../shared/core/verification/facts.ts';
import { dataOf } from '../../support/data.ts';
import { compileLexicon, evaluatorOf, factsWith, policy, setOf } from './support.ts';

type Row = [operator: string, actual: unknown, value: unknown, outcome: string];
const ROWS = dataOf<Row[]>('unit/policy/operators.cases.json');

/** Two facts of the context with the same compared value: the comparison holds for the first one only. */
function pairOf(name: string): { readonly value: unknown; readonly yes: unknown; readonly no: unknown } {
  const rows = ROWS.filter(([operator]) => operator === name);
  for (const [, yes, value, outcome] of rows) {
    if (outcome !== 'yes' || JSON.stringify(yes) === undefined) continue;
    const operand = operandOf(leafOf({ fact: 'context', path: 'x', operator: name, value }, false, false), factsWith());
    const no = [...rows, ...ROWS].find(([, actual]) => OPERATORS.get(name)?.test(actual, operand) === 'no');
    if (no !== undefined) return { value, yes, no: no[1] };
  }
  throw new Error(`operators.cases.json has no value for which ${name} says both yes and no`);
}

const withX = (x: unknown): Facts => factsWith({ 'context.x': x });

/** The facts as an offline verification reads them from a stored decision. */
function asStored(facts: Facts): Facts {
  const read = parseFacts(Buffer.from(canonicalize(facts)));
  if (read === undefined) throw new Error('the facts can not be read');
  return read;
}

for (const operator of OPERATOR_NAMES) {
  describe(`the operator ${operator}`, () => {
    const { value, yes, no } = pairOf(operator);
    const comparison = { fact: 'context', path: 'x', operator, value };
    const permitting = policy('p', 'ALLOW', { all: [comparison] });
    const verdictBy = async (evaluator: ReturnType<typeof evaluatorOf>, facts: Facts) =>
      (await evaluator.evaluate(facts)).verdict;

    it('decides, also behind the index of other policies and within any and not', async () => {
      const others = ['a', 'b'].map((id) =>
        policy(id, 'ALLOW', { all: [comparison] }, { target: { actions: ['delete'], resources: ['db/*'] } }),
      );
      const evaluator = evaluatorOf([permitting, ...others]);
      expect(await verdictBy(evaluator, withX(yes))).to.equal('ALLOW');
      expect(await verdictBy(evaluator, withX(no))).to.equal('DENY');
      const inverted = evaluatorOf([policy('p', 'ALLOW', { any: [{ not: comparison }] })]);
      expect(await verdictBy(inverted, withX(yes))).to.equal('DENY');
      expect(await verdictBy(inverted, withX(no))).to.equal('ALLOW');
    });

    it('is explained with the value and the result', async () => {
      const evaluator = evaluatorOf([permitting]);
      for (const [facts, holds] of [
        [withX(yes), true],
        [withX(no), false],
      ] as const) {
        const { candidates } = await evaluator.explain(facts);
        const [condition] = candidates[0]?.conditions ?? [];
        expect(condition).to.include({ fact: 'context', path: 'x', operator });
        expect(candidates[0]?.matched, JSON.stringify(candidates)).to.equal(holds);
      }
    });

    it('is covered when it was seen both ways', () => {
      const coverage = createCoverage(setOf([permitting]));
      coverage.record(withX(yes));
      expect(coverage.report().conditions.percent).to.equal(50);
      coverage.record(withX(no));
      expect(coverage.report().conditions.percent).to.equal(100);
    });

    it('decides the same for facts and a set that were stored', async () => {
      const { canonical } = setOf([permitting]);
      const loaded = loadCanonicalSet(canonical, { compileLexicon });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
      const stored = createEvaluator({ set: loaded.set });
      expect(await verdictBy(stored, asStored(withX(yes)))).to.equal('ALLOW');
      expect(await verdictBy(stored, asStored(withX(no)))).to.equal('DENY');
    });

    it('is recognised by the linter where it contradicts itself', () => {
      for (const effect of ['ALLOW', 'DENY']) {
        const contradiction = policy('p', effect, { all: [comparison, { not: comparison }] });
        const codes = lintPolicySet(setOf([contradiction])).map(({ code }) => code);
        // A missing fact makes the conditions of a DENY hold.
        const isDecidable = operator === 'isPresent' || effect === 'ALLOW';
        expect(codes, effect).to.include(isDecidable ? 'NEVER_TRUE' : 'ONLY_WHEN_MISSING');
      }
    });
  });
}
