// The linter is sound: its claims hold for random policies on random facts, by the evaluator and by the direct interpreter.
import { expect } from 'chai';
import fc from 'fast-check';
import { differingAspects } from '../../../shared/core/policy/aspects.ts';
import { matchOf, prechecks } from '../../../shared/core/policy/combine.ts';
import type { CompiledRule } from '../../../shared/core/policy/compiled-rule.ts';
import { createEvaluator, type Evaluator, requestOf } from '../../../shared/core/policy/evaluate.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import type { LintFinding, RuleName } from '../../../shared/core/policy/lint.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { holdsFor, normalForm } from '../../../shared/core/policy/normal-form.ts';
import type { Condition } from '../../../shared/core/policy/schema.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { setOf } from '../policy/support.ts';
import type { PolicyLike } from '../policy/support.ts';
import { arbitraryPolicies, INSTANTS, RESOURCES } from './policy-arbitraries.ts';
import { verdictOf } from './policy-interpreter.ts';
import { consistentFacts } from './policy-lint-facts.ts';
import { runs } from './runs.ts';

const CONTEXT = {
  x: [0, 1, 2, 3, 'a', 'ab', 'b', true, false, ['a'], [1, 2], [], { z: 1 }, { z: 'a' }, [{ p: 1 }, { z: 2 }]],
  at: [...INSTANTS, '2026-02-26T00:00:00Z', '2026-03-03T12:00:00Z', 'soon'],
  y: [0, 2, 'a', 'b', ['b'], ['a', 'b']],
};
const facts = consistentFacts({ resources: RESOURCES, places: ['db', 'db/a', 'files/a'], context: CONTEXT });

const isNamed = (rule: CompiledRule, name: RuleName): boolean => rule.policy === name.policy && rule.name === name.rule;

function without(policies: readonly PolicyLike[], { policy, rule }: RuleName): PolicyLike[] {
  return policies
    .map((document) =>
      document.id === policy ? { ...document, rules: document.rules.filter((one) => one.name !== rule) } : document,
    )
    .filter((document) => document.rules.length > 0);
}

/** The result on some facts of the part of the conditions that a finding points at. */
function partHolds({ policies }: PolicySet, { policy, rule, pointer }: LintFinding, some: Facts): boolean {
  const document = policies.find((one) => one.id === policy);
  let part: unknown = document;
  for (const token of pointer.split('/').slice(1)) part = Reflect.get(Object(part), token);
  const found = document?.rules.find((one) => one.name === rule);
  const isUnsure = found?.event.type !== 'ALLOW';
  const isNegated = pointer.split('/not').length % 2 === 0;
  // The pointer of a finding is a pointer into the conditions of a checked policy.
  const node = normalForm(part as Condition, isUnsure, isNegated);
  return holdsFor(node, some, { missing: isUnsure, partly: isUnsure });
}

/** The policies with a budget for every second rule that permits. */
const withBudgets = (policies: readonly PolicyLike[]): PolicyLike[] =>
  policies.map((document) => ({
    ...document,
    rules: document.rules.map((rule, i) =>
      i % 2 === 0 && /^(?:ALLOW|DEGRADE)$/.test(String(Reflect.get(Object(rule.event), 'type')))
        ? { ...rule, budget: { name: 'some', window: '1h', limit: 10 } }
        : rule,
    ),
  }));

/** In what the answer differs without the rule of a finding that says it changes nothing; undefined: in nothing. */
async function differs(evaluators: readonly Evaluator[], some: Facts): Promise<string | undefined> {
  const [before, after] = await Promise.all(evaluators.map(async (one) => one.evaluate(some)));
  const aspects = before === undefined || after === undefined ? ['everything'] : differingAspects(before, after);
  return aspects.length === 0 ? undefined : `without it: other ${aspects.join(', ')}`;
}

/** How a finding's claim fails on some facts, or undefined. */
function refuted(set: PolicySet, fewer: PolicySet, finding: LintFinding, some: Facts): string | undefined {
  const { compiled } = set;
  const rule = compiled.enforce.rules.find((one) => isNamed(one, finding));
  if (rule === undefined) throw new Error('a finding about no rule');
  const unsure = rule.holdsWhenUnsure;
  const holds = holdsFor(rule.condition, some, { missing: unsure, partly: unsure });
  const candidate = compiled.enforce.find(requestOf(some)).find((one) => one.rule === rule);
  switch (finding.code) {
    case 'NEVER_TRUE':
      return holds ? 'it holds' : undefined;
    case 'UNREACHABLE':
      return holds && candidate !== undefined && prechecks(some) === undefined ? 'it applies' : undefined;
    case 'ONLY_WHEN_MISSING':
      return holds && candidate !== undefined && matchOf(candidate, some).ground === 'certain'
        ? 'it is certain'
        : undefined;
    case 'ALWAYS_TRUE':
      return candidate !== undefined && !holds ? 'it does not hold' : undefined;
    case 'BUDGET_BYPASSED':
    case 'SHADOWED':
    case 'CONTRADICTORY': {
      if (finding.pointer.endsWith('/obligations')) return undefined;
      const [before, after] = [set, fewer].map((one) => verdictOf(one.policies, some));
      return before === after ? undefined : `${before} becomes ${after}`;
    }
    case 'WIDENING':
      if (finding.others.length > 0 || !finding.message.startsWith('the conditions hold')) return undefined;
      return candidate !== undefined && !holds ? 'it does not hold' : undefined;
    case 'CONSTANT_PART': {
      const expected = finding.message.includes('always holds');
      return partHolds(set, finding, some) === expected ? undefined : 'the part is not constant';
    }
    case 'TOOL_ABSENT':
    case 'UNANCHORED_PATTERN':
    case 'PATH_PREFIX':
    case 'ANY_ITEM':
    case 'UNKNOWN_TOOL':
    case 'UNKNOWN_CALL':
    case 'DUPLICATE_CONDITION':
    case 'CONTEXT_TYPE':
    case 'CALLERS_WORD':
    case 'UNKNOWN_WORD':
    case 'WRONG_SCALE':
    case 'HOST_BITS':
    case 'UNKNOWN_OBLIGATION':
    case 'UNKNOWN_ORGANISATION':
      return undefined;
    default:
      return finding.code satisfies never;
  }
}

describe('lint findings', () => {
  it('hold on all facts, and every witness evaluates as stated (random policies, random facts)', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies(),
        fc.boolean(),
        fc.array(facts, { minLength: 60, maxLength: 60 }),
        async (plain, hasBudgets, some) => {
          const policies = hasBudgets ? withBudgets(plain) : plain;
          const set = setOf(policies);
          const evaluator = createEvaluator({ set });
          for (const finding of lintPolicySet(set)) {
            seen.add(finding.code);
            const { witness } = finding;
            if (witness === undefined) throw new Error(`no witness: ${finding.message}`);
            const fewer = setOf(without(policies, finding));
            const evaluatorOfFewer = createEvaluator({ set: fewer });
            const said = await evaluator.evaluate(witness.facts);
            expect(said.verdict, `${finding.code}: ${witness.shows}`).to.equal(witness.answer);
            const then = await evaluatorOfFewer.evaluate(witness.facts);
            expect(then.verdict, `${finding.code} without: ${witness.shows}`).to.equal(witness.without);
            for (const one of [...some, witness.facts]) {
              const isNothing = finding.code === 'SHADOWED' || finding.code === 'CONTRADICTORY';
              const changes = isNothing && !finding.pointer.endsWith('/obligations');
              const wrong =
                refuted(set, fewer, finding, one) ??
                (changes ? await differs([evaluator, evaluatorOfFewer], one) : undefined);
              if (wrong === undefined) continue;
              expect.fail(
                `${finding.code} of ${finding.policy}/${finding.rule}: ${finding.message}: ${wrong} on ${JSON.stringify(one)}`,
              );
            }
          }
        },
      ),
      runs(40, 0.01),
    );
    expect([...seen]).to.include.members(['NEVER_TRUE', 'SHADOWED', 'WIDENING', 'CONSTANT_PART', 'CONTEXT_TYPE']);
  });
});
