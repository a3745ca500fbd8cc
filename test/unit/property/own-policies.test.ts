// Own policies of an organisation never make an answer milder, and never touch another organisation (random sets, random facts).
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import {
  combine,
  combineVerdict,
  holdingOf,
  type Judgement,
  withMessage,
} from '../../../shared/core/policy/combine.ts';
import { createEvaluator, requestOf } from '../../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import type { Evaluation, Facts, Risk } from '../../../shared/core/policy/types.ts';
import { lacksObligation } from '../../support/obligations.ts';
import { compileLexicon, factsWith, type PolicyLike, setOf } from '../policy/support.ts';
import { composed } from '../policy/own-support.ts';
import { arbitraryFacts, arbitraryPolicies, asIntake, meanings } from './policy-arbitraries.ts';
import { runs } from './runs.ts';

const STRICTNESS = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
const SCORES = [150, 300, 450];

/** Policies of both stages; few permit, so that own policies often meet a default DENY. */
const installations = fc
  .tuple(arbitraryPolicies({ withMeaning: true }), arbitraryPolicies(), fc.constantFrom('ALLOW', 'ESCALATE', 'none'))
  .map(([enforce, intake, atRisk]) => [
    ...enforce,
    ...asIntake(intake, SCORES),
    ...(atRisk === 'none' ? [] : [openAtRisk(atRisk)]),
  ]);

/** Permits, or asks, from a risk on: the set that raising the risk opens. */
function openAtRisk(type: string): PolicyLike {
  const high = { fact: 'intent', path: 'risk.score', operator: 'greaterThanInclusive', value: 400 };
  return {
    id: 'open-at-risk',
    description: 'random',
    stage: 'enforce',
    target: { actions: ['*'], resources: ['*'] },
    rules: [{ name: 'r', conditions: { all: [high] }, event: { type, params: { code: 'RISK', message: 'risk' } } }],
  };
}

const rate = (limit: number, perSeconds: number) => ({ type: 'rate', limit, perSeconds });
/** With a rate that is strict enough to end the conflict of two others. */
const DEGRADE = { type: 'DEGRADE', params: { code: 'OWN', message: 'own', obligations: [rate(1, 3_600)] } };
const ESCALATE = { type: 'ESCALATE', params: { code: 'OWN', message: 'own' } };

const owns = fc
  .tuple(arbitraryPolicies({ withMeaning: true }), arbitraryPolicies(), fc.boolean())
  .map(([enforce, intake, endsConflict]) => [
    ...enforce.map((one) => ({ ...one, rules: one.rules.map((rule) => restricting(rule, endsConflict)) })),
    ...asIntake(intake, SCORES),
  ]);

function restricting(rule: PolicyLike['rules'][number], endsConflict: boolean): PolicyLike['rules'][number] {
  const isAllow = JSON.stringify(rule.event).includes('"type":"ALLOW"');
  return isAllow ? { ...rule, event: endsConflict ? DEGRADE : ESCALATE } : rule;
}

const questions = fc.tuple(
  arbitraryFacts(),
  fc.option(fc.uniqueArray(meanings, { minLength: 2, maxLength: 2, selector: (one) => JSON.stringify(one) }), {
    nil: undefined,
  }),
);

interface Answer {
  readonly risk: Risk;
  readonly evaluation: Evaluation;
  readonly approved: Evaluation;
}

async function answer(set: PolicySet, facts: Facts): Promise<Answer> {
  const onError = (error: unknown): void => {
    throw error;
  };
  const evaluator = createEvaluator({ set, onError });
  const { risk: _, ...intent } = facts.intent;
  const risk = await evaluator.assessRisk({ ...facts, intent });
  const asked = { ...facts, intent: { ...facts.intent, risk } };
  const evaluation = await evaluator.evaluate(asked);
  const approved = await evaluator.evaluateApproved(asked, approvedReason('apr_x', 'BBBBBBBB'));
  const { evaluation: explained } = await evaluator.explain(asked);
  expect(explained).to.deep.equal(evaluation);
  return { risk, evaluation, approved };
}

function expectNotMilder(alone: Evaluation, both: Evaluation, why: string): void {
  const steps = STRICTNESS.indexOf(both.verdict) - STRICTNESS.indexOf(alone.verdict);
  if (steps < 0) expect.fail(`${alone.verdict} became ${both.verdict}: ${why}`);
  if (both.verdict !== 'DEGRADE') return;
  for (const obligation of alone.obligations)
    if (lacksObligation(both.obligations, obligation)) expect.fail(`lost ${JSON.stringify(obligation)}: ${why}`);
}

/** The policies with one small budget on every rule that permits. */
const budgeted = (policies: readonly PolicyLike[]): PolicyLike[] =>
  policies.map((one) => ({
    ...one,
    rules: one.rules.map((rule) =>
      /"type":"(?:ALLOW|DEGRADE)"/.test(JSON.stringify(rule.event))
        ? { ...rule, budget: { name: 'calls', window: '1h', limit: 5 } }
        : rule,
    ),
  }));

/** What holds on some facts, as an evaluation combines it. */
function judgementOf({ compiled }: PolicySet, facts: Facts, isRaised: boolean): Judgement {
  const matches = compiled.enforce
    .find(requestOf(facts))
    .flatMap((candidate) => holdingOf(candidate, facts) ?? [])
    .map((holding) => withMessage(holding, facts));
  return { matches, facts, isRaised };
}

describe('the verdict alone', () => {
  it('is that of the whole answer: with own policies, budgets, a raised risk, and two meanings', () => {
    const seen = new Map<string, number>();
    const used = fc.constantFrom(0, 5);
    fc.assert(
      fc.property(installations, owns, arbitraryFacts(), arbitraryFacts(), used, (policies, own, one, other, count) => {
        const [plain, withBudgets] = [setOf(policies), setOf(budgeted(policies))];
        const [first, second] = [one, other].map((changes) =>
          factsWith({ ...changes, 'budgets.calls': { used: count } }),
        );
        if (first === undefined || second === undefined) return;
        for (const set of [plain, withBudgets, composed(withBudgets, own)])
          for (const judgements of [
            [judgementOf(set, first, false)],
            [judgementOf(set, first, false), judgementOf(set, second, true)],
            [judgementOf(set, first, false), judgementOf(set, second, false)],
          ]) {
            const { verdict } = combine(judgements);
            expect(combineVerdict(judgements)).to.equal(verdict);
            seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
          }
      }),
      runs(100, 0.2),
    );
    expect([...seen.keys()]).to.have.members(STRICTNESS);
  });
});

describe("an organisation's own policies", () => {
  it('never make a verdict milder, an obligation less or a risk lower, also once approved', async () => {
    const seen = { stricter: 0, raised: 0, kept: 0 };
    await fc.assert(
      fc.asyncProperty(installations, owns, questions, async (policies, own, [changes, several]) => {
        const facts = factsWith({ ...changes, ...(several && { 'intent.meanings': several }) });
        const set = setOf(policies);
        const alone = await answer(set, facts);
        const both = await answer(composed(set, own), facts);
        const why = JSON.stringify({ policies, own, changes, several });
        expectNotMilder(alone.evaluation, both.evaluation, why);
        expectNotMilder(alone.approved, both.approved, why);
        expect(both.risk.score, why).to.be.at.least(alone.risk.score);
        const { installation } = both.risk;
        const { factors: _, ...found } = alone.risk;
        if (installation !== undefined) expect(installation, why).to.deep.equal(found);
        seen.raised += installation === undefined ? 0 : 1;
        seen[alone.evaluation.verdict === both.evaluation.verdict ? 'kept' : 'stricter'] += 1;
      }),
      runs(200),
    );
    // Otherwise the cases show nothing.
    for (const [what, count] of Object.entries(seen)) expect(count, what).to.be.above(10);
  });

  it('change nothing for another organisation, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(installations, owns, questions, async (policies, own, [changes]) => {
        const facts = factsWith({ ...changes, 'organisation.slug': 'acme-2' });
        const set = setOf(policies);
        const [alone, both] = [await answer(set, facts), await answer(composed(set, own), facts)];
        expect(JSON.stringify(both)).to.equal(JSON.stringify(alone));
      }),
      runs(60, 0.3),
    );
  });

  it('answer the same from their stored text as beside the shared parts', async () => {
    await fc.assert(
      fc.asyncProperty(installations, owns, questions, async (policies, own, [changes]) => {
        const facts = factsWith(changes);
        const set = composed(setOf(policies), own);
        const loaded = loadCanonicalSet(set.canonical, { compileLexicon });
        if (!loaded.ok) return expect.fail(JSON.stringify(loaded.findings));
        expect(loaded.set.digest).to.equal(set.digest);
        expect(await answer(loaded.set, facts)).to.deep.equal(await answer(set, facts));
      }),
      runs(30, 0.2),
    );
  });
});
