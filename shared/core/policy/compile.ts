// Compiles policies for evaluation: every rule in normal form, and one rule index per stage.
import { inOneGo, type Sliced } from '../../kernel/slices.ts';
import { byText } from '../../kernel/order.ts';
import { type CompiledBudget, compileBudget } from './budget.ts';
import type { CompiledRule, RuleEffect } from './compiled-rule.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { createRuleIndex, joinIndexes } from './rule-index.ts';
import type { RuleIndex } from './rule-index.ts';
import type { Declarations } from './declarations.ts';
import type { Terms } from './terms.ts';
import { leafOf, leavesOf, normalForm, pathFinder } from './normal-form.ts';
import type { Leaf, NormalNode } from './normal-form.ts';
import { compileMessage } from './message.ts';
import { canonicalResource } from '../intent/resource.ts';
import type { Budget, Comparison, Condition, Policy, WrittenCondition } from './schema.ts';

export interface CompiledSet {
  /** The named conditions and constants that the rules were expanded with. */
  readonly terms: Terms;
  readonly enforce: RuleIndex;
  readonly intake: RuleIndex;
  /** Whether there are own rules of an organisation in `intake`. */
  readonly hasOwnIntake: boolean;
}

function canonical(pattern: string): string {
  const result = canonicalResource(pattern);
  if (!result.ok) throw new Error(`${JSON.stringify(pattern)} ${result.message}`);
  return result.resource;
}

/** Strictest first; the sort order of reasons. */
export const SEVERITY: readonly Verdict[] = ['DENY', 'ESCALATE', 'DEGRADE', 'ALLOW'];

/** Memoizes by object identity. Equal parts of a loaded set are one object (once.ts), and most parts repeat. */
interface Maker {
  condition(of: WrittenCondition, holdsWhenUnsure: boolean): CompiledCondition;
  effect(of: Policy['rules'][number]['event']): RuleEffect;
  resources(of: readonly string[]): readonly string[];
  budget(of: Budget): CompiledBudget;
}
interface CompiledCondition {
  readonly condition: NormalNode;
  readonly leaves: readonly Leaf[];
}

function remembered<From, To>(make: (from: From) => To): (from: From) => To {
  const made = new Map<From, To>();
  return (from) => {
    const known = made.get(from);
    if (known !== undefined) return known;
    const result = make(from);
    made.set(from, result);
    return result;
  };
}

function createMaker(declarations: Declarations): Maker {
  const find = pathFinder(declarations);
  const { terms } = declarations;
  const leaf = (of: Comparison, holdsWhenUnsure: boolean, negated: boolean): Leaf => {
    const origin = terms.originOf(of);
    return { ...leafOf(of, holdsWhenUnsure, negated, find), ...(origin === undefined ? {} : { origin }) };
  };
  const conditionsFor = (holdsWhenUnsure: boolean): ((of: Condition) => CompiledCondition) => {
    const plain = remembered((of: Comparison) => leaf(of, holdsWhenUnsure, false));
    const negated = remembered((of: Comparison) => leaf(of, holdsWhenUnsure, true));
    return remembered((of) => {
      const condition = normalForm(of, holdsWhenUnsure, false, (comparison, _, isNegated) =>
        isNegated ? negated(comparison) : plain(comparison),
      );
      // `flatMap` leaves spare capacity at the end of its list; a copy has none.
      return { condition, leaves: [...leavesOf(condition)] };
    });
  };
  const [whenSure, whenUnsure] = [conditionsFor(false), conditionsFor(true)];
  return {
    condition: (of, holdsWhenUnsure) => (holdsWhenUnsure ? whenUnsure : whenSure)(terms.expand(of)),
    // The parameters of an event are those of its type, by the schema.
    effect: remembered(({ type, params }) => {
      const fill = declarations.hasPlaceholders ? compileMessage(params.message, find) : undefined;
      return { type, ...params, ...(fill === undefined ? {} : { fill }) } as RuleEffect;
    }),
    budget: remembered((of) =>
      compileBudget(of, (amount) => {
        const { path, read } = find(amount);
        return { path, read };
      }),
    ),
    resources: remembered((of) => [...new Set(of.map(canonical))]),
  };
}

/** Which rules are compiled, and where they stand among all rules of the stage. */
interface StagePart {
  readonly stage: Policy['stage'];
  /** The index of the first rule. */
  readonly from: number;
  readonly isOwn: boolean;
}

function* compileStage(policies: readonly Policy[], { stage, from, isOwn }: StagePart, make: Maker): Sliced<RuleIndex> {
  const rules: CompiledRule[] = [];
  for (const policy of policies) {
    yield;
    if (policy.stage !== stage) continue;
    const { actions, environments, organisations } = policy.target;
    const resources = make.resources(policy.target.resources);
    for (const { name, conditions, event, ...rest } of [...policy.rules].sort((a, b) => byText(a.name, b.name))) {
      const effect = make.effect(event);
      const holdsWhenUnsure = effect.type !== 'ALLOW';
      const { condition, leaves } = make.condition(conditions, holdsWhenUnsure);
      rules.push({
        index: from + rules.length,
        policy: policy.id,
        name,
        effect,
        actions,
        resources,
        environments,
        organisations,
        condition,
        leaves,
        holdsWhenUnsure,
        isOwn,
        ...('budget' in rest && rest.budget !== undefined ? { budget: make.budget(rest.budget) } : {}),
      });
    }
  }
  return createRuleIndex(rules);
}

/** Compiles checked policies. `policies` must be sorted by id, without duplicate ids. */
export function* compilePolicies(policies: readonly Policy[], declarations: Declarations): Sliced<CompiledSet> {
  const make = createMaker(declarations);
  const all = (stage: Policy['stage']): Sliced<RuleIndex> =>
    compileStage(policies, { stage, from: 0, isOwn: false }, make);
  const enforce = yield* all('enforce');
  return { enforce, intake: yield* all('intake'), hasOwnIntake: false, terms: declarations.terms };
}

/**
 * Compiles the own policies of an organisation on top of the installation's, which are shared, not copied. Own rules come after all
 * others, so the indexes of the others stay the same.
 * @param own as for compilePolicies
 */
export function compileOwn(installation: CompiledSet, own: readonly Policy[], declarations: Declarations): CompiledSet {
  const make = createMaker(declarations);
  const both = (stage: Policy['stage']): RuleIndex => {
    const base = installation[stage];
    return joinIndexes(base, inOneGo(compileStage(own, { stage, from: base.rules.length, isOwn: true }, make)));
  };
  const intake = both('intake');
  return { enforce: both('enforce'), intake, hasOwnIntake: intake !== installation.intake, terms: declarations.terms };
}
