// A place in a policy set for a defect, and the changes that mutation operators make there.
import type { LintCode } from '../../../shared/core/policy/lint.ts';
import type { PolicyLike, RuleLike } from '../policy/support.ts';

export interface Site {
  readonly policies: readonly PolicyLike[];
  readonly policy: PolicyLike;
  readonly rule: RuleLike;
  /** A whole number below `below`, from a fixed seed. */
  readonly pick: (below: number) => number;
}
export interface Mutant {
  readonly policies: readonly PolicyLike[];
  /** Where the defect is, as policy/rule; any of these. */
  readonly at: readonly string[];
  /**
   * Set when the mutation may have no effect (a guard that others repeat): it counts as a defect when the direct interpreter permits a
   * request that it refused before.
   */
  readonly isDefectWhenWider?: true;
}
export interface Operator {
  readonly name: string;
  readonly kind: string;
  /** The codes that count as finding it. */
  readonly codes: readonly LintCode[];
  /** The mutated set, or undefined when the operator does not apply to the rule. */
  readonly mutate: (site: Site) => Mutant | undefined;
}

export interface Leaf {
  fact: string;
  path?: string;
  operator: string;
  value: unknown;
}
export const leaf = (path: string, operator: string, value: unknown): Leaf => {
  const [fact = '', ...rest] = path.split('.');
  return rest.length === 0 ? { fact, operator, value } : { fact, path: rest.join('.'), operator, value };
};

export const typeOf = ({ event }: RuleLike): string => String(Reflect.get(Object(event), 'type'));
export const listOf = (target: PolicyLike['target'], member: string): string[] => {
  const value = target[member];
  return Array.isArray(value) ? value.map(String) : [];
};
/** The parts of a conjunction, when the conditions are one. */
export function partsOf({ conditions }: RuleLike): unknown[] {
  const all: unknown = Reflect.get(Object(conditions), 'all');
  return Array.isArray(all) ? [...all] : [conditions];
}
export const isLeafOf = (part: unknown, path: string): boolean => {
  const { fact, path: below } = Object(part) as Partial<Leaf>; // looked at only
  return (below === undefined ? fact : `${fact}.${below}`) === path;
};

/** The set with other rules in the policy of the site. */
export function withRules({ policies, policy }: Site, rules: (rule: RuleLike) => readonly RuleLike[]): PolicyLike[] {
  return policies.map((one) => (one.id === policy.id ? { ...one, rules: one.rules.flatMap(rules) } : one));
}
export function change(site: Site, conditions: unknown): Mutant {
  const policies = withRules(site, (rule) => [rule.name === site.rule.name ? { ...rule, conditions } : rule]);
  return { policies, at: [`${site.policy.id}/${site.rule.name}`] };
}
export const demand = (site: Site, ...parts: readonly unknown[]): Mutant =>
  change(site, { all: [...partsOf(site.rule), ...parts] });

/** The set with an additional policy, `zz-new/rule`, derived from the site's. */
export function add(
  site: Site,
  changes: { target?: Record<string, unknown>; conditions?: unknown; event?: unknown },
): PolicyLike[] {
  const { policies, policy, rule } = site;
  const { target, conditions = rule.conditions, event = rule.event } = changes;
  const document = {
    ...policy,
    id: 'zz-new',
    target: { ...policy.target, ...target },
    rules: [{ name: 'rule', conditions, event }],
  };
  return [...policies, document];
}
export const NEW = 'zz-new/rule';
export const here = ({ policy, rule }: Site): string => `${policy.id}/${rule.name}`;
export const deny = { type: 'DENY', params: { code: 'FROZEN', message: 'frozen' } };
export const isEnforce = ({ policy }: Site): boolean => policy.stage === 'enforce';
export const isAllow = (site: Site): boolean => typeOf(site.rule) === 'ALLOW';
/** Facts that are always present, so that a contradiction about them is one in every rule. */
export const KNOWN = ['trust.level', 'trust.recorded.score', 'intent.confidence'] as const;
