// An intent with several meanings is judged by each of them: an additional meaning never makes an answer milder.
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { joinsOf, meaningsMember, strictest, type Judged } from '../../../shared/core/intent/assess/strictness.ts';
import { readNormalized } from '../../../shared/core/intent/normalized.ts';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import type { Meaning } from '../../../shared/core/intent/types.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { allObligations } from '../../../shared/core/policy/obligations.ts';
import type { PolicyObligation } from '../../../shared/core/policy/schema.ts';
import type { Evaluation, Facts } from '../../../shared/core/policy/types.ts';
import { lexiconJson, shippedLexicon } from '../intent/lexicon.ts';
import { evaluatorOf, factsWith, policy, setOf } from '../policy/support.ts';
import { arbitraryFacts, arbitraryPolicies, asIntake, meanings } from './policy-arbitraries.ts';
import { runs } from './runs.ts';

/** From the most to the least permissive. */
const PERMISSIVENESS = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
const APPROVAL = approvedReason('apr_01jq3k00000000000000000000', 'ADMINKEY');
const ANYTHING = policy('anything', 'ALLOW');
const forActions = (type: string, ...actions: string[]) =>
  policy(`${type}-${actions.join('-')}`.toLowerCase(), type, undefined, { target: { actions, resources: ['*'] } });

/** The facts of an intent with all of these meanings, as the join of its readings has them. */
function meaning(facts: Facts, all: readonly Meaning[]): Facts {
  const [first, ...others] = all.map((one): Judged => ({ ...facts.intent, ...one }));
  if (first === undefined) throw new Error('an intent has at least one meaning');
  return { ...facts, intent: { ...facts.intent, ...others.reduce(strictest, first) } };
}

/** Complying with the obligations of `after` includes complying with those of `before`. */
function expectNoMilder(after: Evaluation, before: Evaluation): void {
  expect(PERMISSIVENESS.indexOf(after.verdict)).to.be.at.least(PERMISSIVENESS.indexOf(before.verdict));
  if (after.verdict !== 'DEGRADE') return;
  // As they stand in the rules: merging them has kept their shape.
  const [kept, due] = [after.obligations, before.obligations] as unknown as [PolicyObligation[], PolicyObligation[]];
  expect(allObligations([...kept, ...due])).to.deep.equal(after.obligations);
}

const lists = fc.array(meanings, { minLength: 1, maxLength: 4 });

describe('an intent with several meanings', () => {
  it('gets no milder an answer than with any of its meanings, approved or not, for random policies', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies({ withMeaning: true }),
        arbitraryFacts(),
        lists,
        lists,
        async (policies, changes, some, more) => {
          const evaluator = createEvaluator({ set: setOf(policies) });
          const facts = factsWith(changes);
          const both = meaning(facts, [...some, ...more]);
          const after = await evaluator.evaluate(both);
          const approved = await evaluator.evaluateApproved(both, APPROVAL);
          for (const one of [meaning(facts, some), meaning(facts, more)]) {
            const before = await evaluator.evaluate(one);
            expectNoMilder(after, before);
            expectNoMilder(approved, await evaluator.evaluateApproved(one, APPROVAL));
            seen.add(`${before.verdict} ${after.verdict}`);
          }
        },
      ),
      runs(150, 0.3),
    );
    // Some results permit, so that the property is not trivial.
    expect([...seen]).to.include.members(['ALLOW ALLOW', 'ALLOW DENY', 'DEGRADE DENY']);
  });

  it('has no lower a risk than with any of its meanings', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies({ withMeaning: true, withPresence: false }),
        arbitraryFacts(),
        lists,
        lists,
        async (policies, changes, some, more) => {
          const evaluator = createEvaluator({ set: setOf(asIntake(policies, [100, 450, 700])) });
          const facts = factsWith(changes);
          const { score } = await evaluator.assessRisk(meaning(facts, [...some, ...more]));
          expect(score).to.be.at.least((await evaluator.assessRisk(meaning(facts, some))).score);
        },
      ),
      runs(100, 0.1),
    );
  });

  it('is judged at least as strictly as by any subset of its meanings', () => {
    fc.assert(
      fc.property(lists, lists, (some, more) => {
        const all = joinsOf([...some, ...more]);
        expect(all).to.deep.include.members(joinsOf(some));
        expect(joinsOf(all)).to.deep.equal(all);
      }),
      runs(75, 0.01),
    );
  });

  const DELETE_OR_REVOKE: Meaning[] = [
    { action: 'delete', verb: 'delete', effect: 'destructive', extent: 'one' },
    { action: 'revoke', verb: 'delete', effect: 'write', extent: 'one' },
  ];
  const isAction = (path: string, operator: string, value: unknown) => ({
    all: [{ fact: 'intent', path, operator, value }],
  });
  const cases: readonly [string, verdict: string, readonly unknown[]][] = [
    ['a DENY of the milder action', 'DENY', [ANYTHING, forActions('DENY', 'delete')]],
    ['a DENY of the stricter action', 'DENY', [ANYTHING, forActions('DENY', 'revoke')]],
    ['an ESCALATE of the milder action', 'ESCALATE', [ANYTHING, forActions('ESCALATE', 'delete')]],
    ['a DEGRADE of the milder action', 'DEGRADE', [ANYTHING, forActions('DEGRADE', 'delete')]],
    ['a DENY of another action', 'ALLOW', [ANYTHING, forActions('DENY', 'send')]],
    ['an ALLOW of one action', 'DENY', [forActions('ALLOW', 'revoke')]],
    ['an ALLOW of both actions', 'ALLOW', [forActions('ALLOW', 'delete', 'revoke')]],
    ['an ALLOW of each action', 'ALLOW', [forActions('ALLOW', 'delete'), forActions('ALLOW', 'revoke')]],
    ['a DEGRADE of one action alone', 'DENY', [forActions('DEGRADE', 'revoke')]],
    ['an ESCALATE of one action alone', 'DENY', [forActions('ESCALATE', 'revoke')]],
    ['a condition of a DENY', 'DENY', [ANYTHING, policy('no', 'DENY', isAction('action', 'equal', 'delete'))]],
    [
      'a negated condition of a DENY',
      'DENY',
      [ANYTHING, policy('no', 'DENY', isAction('action', 'notEqual', 'revoke'))],
    ],
    ['a condition of an ALLOW', 'DENY', [policy('yes', 'ALLOW', isAction('action', 'in', ['revoke', 'send']))]],
    ['a DENY of the milder effect', 'DENY', [ANYTHING, policy('no', 'DENY', isAction('effect', 'equal', 'write'))]],
  ];
  for (const [what, verdict, policies] of cases)
    it(`meets ${what}: ${verdict}`, async () => {
      const facts = meaning(factsWith(), DELETE_OR_REVOKE);
      const evaluator = evaluatorOf(policies);
      expect((await evaluator.evaluate(facts)).verdict).to.equal(verdict);
      expect((await evaluator.explain(facts)).evaluation.verdict).to.equal(verdict);
    });

  it('explains why a rule that permits one meaning does not permit the intent', async () => {
    const { candidates } = await evaluatorOf([forActions('ALLOW', 'revoke')]).explain(
      meaning(factsWith(), DELETE_OR_REVOKE),
    );
    expect(candidates).to.have.length(1);
    expect(candidates[0]).to.deep.include({ matched: true });
    expect(candidates[0]?.skipped).to.match(/for revoke of delete, revoke; another rule has to permit the rest/);
  });

  it('that was recorded with one action is judged by that action', async () => {
    const evaluator = evaluatorOf([ANYTHING, forActions('DENY', 'delete')]);
    expect((await evaluator.evaluate(factsWith({ 'intent.action': 'revoke' }))).verdict).to.equal('ALLOW');
    expect((await evaluator.evaluate(factsWith({ 'intent.action': 'delete' }))).verdict).to.equal('DENY');
  });

  for (const damaged of [[], 'delete', [{}], [null]])
    it(`is denied when its meanings are damaged: ${JSON.stringify(damaged)}`, async () => {
      const evaluator = evaluatorOf([ANYTHING], { onError: () => undefined });
      expect((await evaluator.evaluate(factsWith({ 'intent.meanings': damaged }))).verdict).to.equal('DENY');
    });
});

describe('a string', () => {
  const lexicon = shippedLexicon();
  // The compiled lexicon was built from it, so it has this shape.
  const { refinements } = lexiconJson() as unknown as { refinements: { verbs: string[]; objects?: string[] }[] };

  it('keeps the meaning of its own verb besides the refined one, for every refinement of the lexicon', () => {
    let several = 0;
    for (const { verbs, objects = [] } of refinements)
      for (const verb of verbs)
        for (const noun of objects) {
          const actionWord = verb.replaceAll(' ', '_');
          const word = actionOf(actionWord, lexicon);
          if (word === undefined) continue;
          const read = readNormalized({ actionWord, segments: ['data', noun.replaceAll(' ', '_')] }, lexicon);
          const actions = (read.meanings ?? [read]).map(({ action }) => action);
          expect(actions, `${verb} ${noun}`).to.include.members([word.action, read.action]);
          if (read.meanings !== undefined) {
            several += 1;
            expect(meaningsMember(read.meanings), `${verb} ${noun}`).to.deep.equal({ meanings: read.meanings });
          }
        }
    expect(several).to.be.greaterThan(50);
  });
});
