// Properties of every policy set and all facts: DENY takes precedence, no match is DENY, order is irrelevant, missing facts only make
// stricter.
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { createEvaluator, requestOf } from '../../../shared/core/policy/evaluate.ts';
import type { CompiledRule } from '../../../shared/core/policy/compiled-rule.ts';
import { groundOf, holdsFor } from '../../../shared/core/policy/normal-form.ts';
import { allObligations } from '../../../shared/core/policy/obligations.ts';
import { isPattern, matchesPattern } from '../../../shared/core/intent/resource.ts';
import { fitOf } from '../../../shared/core/policy/rule-index.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import type { Policy, PolicyObligation } from '../../../shared/core/policy/schema.ts';
import type { Evaluation, Facts } from '../../../shared/core/policy/types.ts';
import { fullPath, VOCABULARY } from '../../../shared/core/policy/vocabulary.ts';
import { compileLexicon, evaluatorOf, factsWith, load, policy, setOf } from '../policy/support.ts';
import { verdictsOf } from './policy-interpreter.ts';
import { arbitraryFacts, arbitraryPolicies, asIntake, RESOURCES, withNames } from './policy-arbitraries.ts';
import { runs } from './runs.ts';

const RUNS = runs(60, 0.02);
/** From the most to the least permissive. */
const PERMISSIVENESS = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
const labelOf = ({ policy: id, name }: CompiledRule): string => `${id}/${name}`;
const strictness = (evaluation: Evaluation): number => PERMISSIVENESS.indexOf(evaluation.verdict);

const APPROVAL = approvedReason('apr_01jq3k00000000000000000000', 'ADMINKEY');

/** The same facts, some of them missing or of the wrong type. */
function without(facts: Facts, removed: Readonly<Record<string, unknown>>): Facts {
  const changed = structuredClone(facts);
  for (const [path, value] of Object.entries(removed)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at: unknown = changed;
    for (const key of keys) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, last)) continue;
    if (value === undefined) Reflect.deleteProperty(at, last);
    else Reflect.set(at, last, value);
  }
  return changed;
}

/** Complying with the obligations of `after` includes complying with those of `before`. */
function expectNoMilder(after: Evaluation, before: Evaluation): void {
  expect(strictness(after)).to.be.at.least(strictness(before));
  if (after.verdict !== 'DEGRADE') return;
  // As they stand in the rules: merging them has kept their shape.
  const [kept, due] = [after.obligations, before.obligations] as unknown as [PolicyObligation[], PolicyObligation[]];
  expect(allObligations([...kept, ...due])).to.deep.equal(after.obligations);
}

describe('every policy set', () => {
  it('gives the same evaluation with and without memoization', async () => {
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

  it('the index finds the rules whose own target matches the request', () => {
    fc.assert(
      fc.property(arbitraryPolicies(), arbitraryFacts(), (policies, changes) => {
        const { enforce } = setOf(policies).compiled;
        const request = requestOf(factsWith(changes));
        const own = enforce.rules.map((rule) => ({ rule: labelOf(rule), fit: fitOf(rule, request) }));
        const found = enforce.find(request).map(({ rule, fit }) => ({ rule: labelOf(rule), fit }));
        expect(own.filter(({ fit }) => fit !== undefined)).to.deep.equal(found);
      }),
      RUNS,
    );
  });

  it('the ground of a condition is the first of the three ways to count undecided comparisons in which it holds', () => {
    const unsure = [
      ['certain', false, false],
      ['partly', false, true],
      ['missing', true, true],
    ] as const;
    fc.assert(
      fc.property(arbitraryPolicies(), arbitraryFacts(), (policies, changes) => {
        const facts = factsWith(changes);
        for (const { condition, holdsWhenUnsure } of setOf(policies).compiled.enforce.rules) {
          const ways = holdsWhenUnsure ? unsure : unsure.slice(0, 1);
          const found = ways.find(([, missing, partly]) => holdsFor(condition, facts, { missing, partly }));
          expect(groundOf(condition, facts, holdsWhenUnsure)).to.equal(found?.[0] ?? 'not at all');
        }
      }),
      RUNS,
    );
  });

  it('names for any of its conditions and values change nothing but the digest', async () => {
    const named = fc.tuple(
      arbitraryPolicies(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
      arbitraryFacts(),
    );
    await fc.assert(
      fc.asyncProperty(named, async ([policies, picks, changes]) => {
        const facts = factsWith(changes);
        const [plain, terms] = [setOf(policies), withNames(policies, picks)];
        const set = setOf(terms.policies, terms.terms);
        const [one, other] = [plain, set].map((each) => createEvaluator({ set: each }));
        const before = await one?.explain(facts);
        const after = await other?.explain(facts);
        expect(after?.evaluation).to.deep.equal(before?.evaluation);
        const results = (of: typeof before) =>
          of?.candidates.map(({ matched, conditions }) => [matched, conditions.map(({ result }) => result)]);
        expect(results(after)).to.deep.equal(results(before));
        expect(verdictsOf(set.policies, facts, terms.terms)).to.deep.equal(verdictsOf(policies as Policy[], facts));
        const again = loadCanonicalSet(set.canonical, { compileLexicon });
        expect(again.ok && again.set.digest).to.equal(set.digest);
      }),
      RUNS,
    );
  });

  it('a DENY takes precedence over every permission', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), arbitraryFacts(), async (policies, changes) => {
        const evaluation = await evaluatorOf([...policies, policy('the-deny', 'DENY')]).evaluate(factsWith(changes));
        expect(evaluation.verdict).to.equal('DENY');
        expect(evaluation.reasons.map((reason) => reason.policy)).to.include('the-deny');
      }),
      RUNS,
    );
  });

  it('a request that no rule matches is DENY', async () => {
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

  it('a fact that is absent, or of the wrong type, never makes an answer milder, approved or not', async () => {
    // Each fact that a policy can read, with the object that contains it. Not the agent's id: every request has it, and rules
    // without conditions test its presence.
    const paths = [
      ...new Set(
        [...VOCABULARY.map(({ fact, path }) => fullPath(fact, path)), 'context.x', 'context.y', 'context.x.z'].flatMap(
          (path) => path.split('.').map((_, i, keys) => keys.slice(0, i + 1).join('.')),
        ),
      ),
    ].filter((path) => path !== 'agent' && path !== 'agent.id');
    const wrong = fc.constantFrom<unknown>(undefined, null, {}, [{}], Number.NaN);
    // Mostly facts that the random rules read: without the facts of targets every request is denied.
    const often = ['context', 'context.x', 'context.y', 'context.x.z', 'trust.level', 'trust.claimed.level'];
    const asked = ['intent.confidence', 'intent.data_classes', 'agent.registered', 'trust.recorded.level'];
    const removals = fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...often, ...asked) },
        { weight: 1, arbitrary: fc.constantFrom(...paths) },
      ),
      wrong,
      { minKeys: 1, maxKeys: 3 },
    );
    // isPresent tests for absence itself, so it is the one operator without this property.
    const policies = arbitraryPolicies({ withPresence: false });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(policies, policies, arbitraryFacts(), removals, async (some, intake, changes, removed) => {
        // Errors are results, too, so facts of targets must be present.
        const evaluator = createEvaluator({ set: setOf([...some, ...asIntake(intake, [350, 90])]), memoLimit: 0 });
        const answersTo = async (facts: Facts): Promise<readonly [Evaluation, Evaluation]> => {
          const risk = await evaluator.assessRisk(facts);
          const assessed: Facts = { ...facts, intent: { ...facts.intent, risk } };
          return [await evaluator.evaluate(assessed), await evaluator.evaluateApproved(assessed, APPROVAL)];
        };
        const [before, approvedBefore] = await answersTo(factsWith(changes));
        const [after, approvedAfter] = await answersTo(without(factsWith(changes), removed));
        expectNoMilder(after, before);
        expectNoMilder(approvedAfter, approvedBefore);
        seen.add(`${before.verdict} ${after.verdict}`);
      }),
      {
        ...runs(400, 0.1),
        // Random sets contain them too rarely.
        examples: [
          [
            [policy('a', 'ALLOW', { all: [{ fact: 'context', path: 'x', operator: 'equal', value: 1 }] })],
            [],
            { 'intent.action': 'read', 'intent.resource': 'db/a', 'context.x': 1 },
            { 'context.x': undefined },
          ],
          [
            [
              policy('a', 'ALLOW'),
              policy('b', 'ESCALATE', { all: [{ fact: 'context', path: 'x', operator: 'equal', value: 1 }] }),
            ],
            [],
            { 'intent.action': 'read', 'intent.resource': 'db/a', 'context.x': 2 },
            { 'context.x': undefined },
          ],
          [
            [
              policy('a', 'ALLOW'),
              policy('b', 'DEGRADE', { all: [{ fact: 'context', path: 'x', operator: 'equal', value: 1 }] }),
            ],
            [],
            { 'intent.action': 'read', 'intent.resource': 'db/a', 'context.x': 1 },
            { 'context.x': undefined },
          ],
          [
            [policy('a', 'ALLOW', { all: [{ fact: 'context', path: 'x', operator: 'equal', value: 1 }] })],
            [],
            { 'intent.action': 'read', 'intent.resource': 'db/a', 'context.x': 1 },
            { 'context.x': undefined },
          ],
        ],
      },
    );
    expect([...seen]).to.include.members(['ALLOW ESCALATE', 'ESCALATE DENY', 'DEGRADE ESCALATE', 'ALLOW DENY']);
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
      runs(200, 0.05),
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
