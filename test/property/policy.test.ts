// What holds for every policy set and all facts: deny trumps, nothing matched is DENY, order means nothing, absence only ever makes stricter.
import { expect } from 'chai';
import fc from 'fast-check';
import { createEvaluator } from '../../shared/policy/evaluate.ts';
import { isPattern, matchesPattern } from '../../shared/policy/resource.ts';
import type { Evaluation } from '../../shared/policy/types.ts';
import { evaluatorOf, factsWith, load, policy, setOf } from '../unit/policy/support.ts';
import { arbitraryFacts, arbitraryPolicies, RESOURCES } from './policy-arbitraries.ts';
import { verdictOf } from './policy-interpreter.ts';

const RUNS = { numRuns: 300 };
/** From the most to the least permissive. */
const PERMISSIVENESS = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
const strictness = (evaluation: Evaluation): number => PERMISSIVENESS.indexOf(evaluation.verdict);

describe('every policy set', () => {
  it('gives the verdict that a direct interpreter of the same rules gives', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), arbitraryFacts(), async (policies, changes) => {
        const set = setOf(policies);
        const facts = factsWith(changes);
        const evaluation = await createEvaluator({ set, memoLimit: 0 }).evaluate(facts);
        expect(evaluation.verdict).to.equal(verdictOf(set.policies, facts));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same evaluation with and without memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies(),
        fc.array(arbitraryFacts(), { minLength: 2, maxLength: 8 }),
        async (policies, many) => {
          const set = setOf(policies);
          const remembering = createEvaluator({ set });
          const plain = createEvaluator({ set, memoLimit: 0 });
          for (const changes of [...many, ...many]) {
            const facts = factsWith(changes);
            expect(await remembering.evaluate(facts)).to.deep.equal(await plain.evaluate(facts));
          }
        },
      ),
      RUNS,
    );
  });

  it('a deny trumps every permit', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), arbitraryFacts(), async (policies, changes) => {
        const evaluation = await evaluatorOf([...policies, policy('the-deny', 'DENY')]).evaluate(factsWith(changes));
        expect(evaluation.verdict).to.equal('DENY');
        expect(evaluation.reasons.map((reason) => reason.policy)).to.include('the-deny');
      }),
      RUNS,
    );
  });

  it('what no rule matches is DENY', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), async (policies) => {
        const facts = factsWith({ 'intent.resource': 'nobody/knows/this' });
        const targeted = policies.map((one) => ({ ...one, target: { ...one.target, resources: ['somewhere/*'] } }));
        const evaluation = await evaluatorOf(targeted).evaluate(facts);
        expect(evaluation.verdict).to.equal('DENY');
        expect(evaluation.reasons[0]?.code).to.equal('NO_MATCH');
      }),
      RUNS,
    );
  });

  it('order and repetition of files, rules and facts change nothing', async () => {
    const shuffled = arbitraryPolicies().chain((policies) =>
      fc.tuple(
        fc.constant(policies),
        fc.shuffledSubarray(policies, { minLength: policies.length, maxLength: policies.length }),
        fc.subarray(policies),
      ),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, arbitraryFacts(), async ([policies, reordered, again], changes) => {
        const facts = factsWith(changes);
        const reversed = reordered.map((one) => ({ ...one, rules: [...one.rules].reverse() }));
        const first = await evaluatorOf(policies).evaluate(facts);
        const backwards = JSON.parse(JSON.stringify(facts), (_, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value,
        );
        expect(await evaluatorOf(reversed).evaluate(backwards)).to.deep.equal(first);
        expect(setOf([...reordered, ...again]).digest).to.equal(setOf(policies).digest);
      }),
      RUNS,
    );
  });

  it('a fact that is absent, or of the wrong type, only ever makes an answer stricter', async () => {
    const paths = fc.constantFrom(
      'context.x',
      'context.y',
      'trust.level',
      'intent.data_classes',
      'intent.confidence',
      'agent.registered',
    );
    const wrong = fc.constantFrom<unknown>(undefined, null, {}, [{}], Number.NaN);
    // isPresent asks for absence itself, so it is the one operator that this is not about.
    const policies = arbitraryPolicies({ withPresence: false });
    await fc.assert(
      fc.asyncProperty(policies, arbitraryFacts(), paths, wrong, async (some, changes, path, value) => {
        const evaluator = evaluatorOf(some);
        const known = await evaluator.evaluate(factsWith(changes));
        const unknown = await evaluator.evaluate(factsWith({ ...changes, [path]: value }));
        // The one exception is what the contract says of a missing fact: it makes an ESCALATE rule hold that otherwise
        // did not, where nothing else matched. Nobody may act on either answer.
        const isEscalated = known.reasons[0]?.code === 'NO_MATCH' && unknown.verdict === 'ESCALATE';
        if (!isEscalated) expect(strictness(unknown)).to.be.at.least(strictness(known));
        else expect(unknown.reasons.map((reason) => reason.code)).to.include('FACT_MISSING');
      }),
      { numRuns: 1_000 },
    );
  });

  it('a pattern is never answered more permissively than a resource that it covers', async () => {
    const patterns = RESOURCES.filter(isPattern);
    const covered = fc.constantFrom(...patterns).chain((pattern) => {
      const inside = [
        ...RESOURCES.filter((one) => !isPattern(one) && matchesPattern(pattern, one)),
        pattern.replace('*', 'z/z'),
      ];
      return fc.tuple(fc.constant(pattern), fc.constantFrom(...inside));
    });
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies(),
        arbitraryFacts(),
        covered,
        async (policies, changes, [pattern, resource]) => {
          const evaluator = evaluatorOf(policies);
          const whole = await evaluator.evaluate(factsWith({ ...changes, 'intent.resource': pattern }));
          const part = await evaluator.evaluate(factsWith({ ...changes, 'intent.resource': resource }));
          expect(strictness(whole), `${pattern} ${whole.verdict}, ${resource} ${part.verdict}`).to.be.at.least(
            strictness(part),
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('loading never throws, whatever the documents are', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 3 }), (documents) => {
        expect(load(documents)).to.have.property('ok');
      }),
      { numRuns: 100 },
    );
  });
});
