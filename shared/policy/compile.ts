// Policies made ready to evaluate: every rule in normal form, and one index of rules per stage.
import type { Environment, Verdict } from '../vocabulary.ts';
import { createRuleIndex } from './rule-index.ts';
import type { RuleIndex } from './rule-index.ts';
import { leavesOf, normalForm } from './normal-form.ts';
import type { Leaf, NormalNode } from './normal-form.ts';
import { canonicalResource } from './resource.ts';
import type { Policy, PolicyObligation } from './schema.ts';
import type { Action } from '../vocabulary.ts';

export type RuleEffect =
  | { readonly type: 'ALLOW' | 'DENY' | 'ESCALATE'; readonly code: string; readonly message: string }
  | {
      readonly type: 'DEGRADE';
      readonly code: string;
      readonly message: string;
      readonly obligations: readonly PolicyObligation[];
    }
  | { readonly type: 'RISK'; readonly factor: string; readonly score: number; readonly message: string };

export interface CompiledRule {
  /** Its place among all rules of its stage: by policy id, then rule name. */
  readonly index: number;
  readonly policy: string;
  readonly name: string;
  readonly effect: RuleEffect;
  readonly actions: readonly (Action | '*')[];
  /** Canonical. */
  readonly resources: readonly string[];
  readonly environments: readonly Environment[] | undefined;
  readonly organisations: readonly string[] | undefined;
  readonly condition: NormalNode;
  readonly leaves: readonly Leaf[];
  readonly holdsWhenUnsure: boolean;
}

export interface CompiledSet {
  readonly enforce: RuleIndex;
  readonly intake: RuleIndex;
}

function canonical(pattern: string): string {
  const result = canonicalResource(pattern);
  if (!result.ok) throw new Error(`${JSON.stringify(pattern)} ${result.message}`);
  return result.resource;
}

/** The strictest first; what reasons are sorted by. */
export const SEVERITY: readonly Verdict[] = ['DENY', 'ESCALATE', 'DEGRADE', 'ALLOW'];

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function effectsOf(policy: Policy): { name: string; condition: NormalNode; effect: RuleEffect }[] {
  const rules =
    policy.stage === 'intake'
      ? policy.rules.map((rule) => ({ ...rule, effect: { type: rule.event.type, ...rule.event.params } }))
      : policy.rules.map((rule) => ({
          ...rule,
          effect:
            rule.event.type === 'DEGRADE'
              ? { type: rule.event.type, ...rule.event.params }
              : { type: rule.event.type, ...rule.event.params },
        }));
  return rules
    .map(({ name, conditions, effect }) => ({
      name,
      effect,
      condition: normalForm(conditions, effect.type !== 'ALLOW'),
    }))
    .sort((a, b) => compare(a.name, b.name));
}

function compileStage(policies: readonly Policy[], stage: Policy['stage']): RuleIndex {
  const rules: CompiledRule[] = [];
  for (const policy of policies) {
    if (policy.stage !== stage) continue;
    const { actions, resources, environments, organisations } = policy.target;
    const target = { actions, resources: [...new Set(resources.map(canonical))], environments, organisations };
    for (const { name, condition, effect } of effectsOf(policy)) {
      const leaves = leavesOf(condition);
      const holdsWhenUnsure = effect.type !== 'ALLOW';
      rules.push({
        index: rules.length,
        policy: policy.id,
        name,
        effect,
        ...target,
        condition,
        leaves,
        holdsWhenUnsure,
      });
    }
  }
  return createRuleIndex(rules);
}

/** Compiles checked policies. `policies` are sorted by id, each id once. */
export function compilePolicies(policies: readonly Policy[]): CompiledSet {
  return { enforce: compileStage(policies, 'enforce'), intake: compileStage(policies, 'intake') };
}
