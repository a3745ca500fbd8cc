// The space of all requests and facts that some rules can tell apart, and the formulas of their targets and conditions over it.
import { ACTIONS, ENVIRONMENTS } from '../../../kernel/vocabulary.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import { holds, outcomeOf, type Leaf, type NormalNode } from '../normal-form.ts';
import type { ComparisonOutcome } from '../operators.ts';
import { assign, dimensionOf, groupOf, type Assignment, type Dimension } from './dimensions.ts';
import { setPath, timeFor } from './facts.ts';
import { itemsOf } from './context-values.ts';
import { isExactPair, jointKeys, productOf, seedsFor } from './joint.ts';
import { resourceDimension, type ResourceScope } from './resources.ts';
import { negationOf, TRUE, type Formula } from './solve.ts';
import { freshWord } from './values.ts';

/** The truth value of an undecidable comparison. */
export interface Unsure {
  readonly missing: boolean;
  readonly partly: boolean;
}
/** The values that the evaluation uses for this rule. */
export const asEvaluated = ({ holdsWhenUnsure }: CompiledRule): Unsure => ({
  missing: holdsWhenUnsure,
  partly: holdsWhenUnsure,
});
export const CERTAIN: Unsure = { missing: false, partly: false };
export const POSSIBLE: Unsure = { missing: true, partly: true };

export interface Space {
  /** Cost of building it, in comparisons. */
  readonly cost: number;
  readonly dimensions: readonly Dimension[];
  /** The formula of a rule's conditions, or of a part of them. */
  conditionOf(node: NormalNode, unsure: Unsure): Formula;
  /** The formula of a target's action, environment and organisation; without the resource, which is the scope of the space. */
  targetOf(rule: CompiledRule): Formula;
  /** A dimension has one of the values that a test accepts; true when no comparison reads the dimension. */
  where(key: string, test: (value: Assignment) => boolean): Formula;
}

/** The format of organisation slugs (`custos org create`). */
export const SLUG = /^[a-z0-9-]{1,40}$/;
/** The slug in facts of which no rule reads the organisation. */
export const USUAL_ORGANISATION = 'acme';

const ACTION: Dimension = {
  key: 'intent.action',
  values: ACTIONS.map((action) => assign({ 'intent.action': action })),
  exact: true,
};
const ENVIRONMENT: Dimension = {
  key: 'environment',
  values: ENVIRONMENTS.map((environment) => assign({ environment, 'key.environment': environment })),
  exact: true,
};

/** @param asking the comparisons that read the organisation */
function organisationDimension(rules: readonly CompiledRule[], asking: readonly Leaf[]): Dimension {
  const named = new Set(rules.flatMap((rule) => rule.organisations ?? []));
  for (const item of asking.flatMap(itemsOf)) if (typeof item === 'string') named.add(item);
  const asked = dimensionOf('organisation.slug', asking);
  const texts = asked.values.flatMap((value) => {
    const slug = value.get('organisation.slug');
    return typeof slug === 'string' ? [slug] : [];
  });
  const fresh = freshWord([...named], [...named]);
  const slugs = [...new Set([USUAL_ORGANISATION, ...named, fresh, ...texts])].filter((slug) => SLUG.test(slug));
  return {
    key: 'organisation.slug',
    values: slugs.map((slug) => assign({ 'organisation.slug': slug })),
    exact: asked.exact,
  };
}
const USUAL_ORGANISATIONS = organisationDimension([], []);

/** @param isTimed whether comparisons need the time of the decision */
function partialFacts(value: Assignment, isTimed: boolean): object {
  const facts = {};
  for (const [path, member] of value) setPath(facts, path, member);
  if (isTimed) timeFor(facts);
  return facts;
}

/** The cost of a comparison with a list is the length of the list. */
function sizeOf(leaves: readonly Leaf[]): number {
  return leaves.reduce((sum, { value }) => sum + (Array.isArray(value) ? Math.max(1, value.length / 8) : 1), 0);
}

/** Keeps one of several values that give the same results. */
function withoutRepeats(dimension: Dimension, signatureOf: (value: Assignment) => string): Dimension {
  const once = new Map<string, Assignment>();
  for (const value of dimension.values) {
    const signature = signatureOf(value);
    if (!once.has(signature)) once.set(signature, value);
  }
  return { ...dimension, values: [...once.values()] };
}

/** A dimension with the result of each comparison on each of its values. */
interface Settled {
  readonly dimension: Dimension;
  readonly outcomes: readonly (readonly [Leaf, readonly ComparisonOutcome[]])[];
  readonly cost: number;
}

/** @param keepsAll whether to keep values that give the same results: a target tells them apart */
function settle(dimension: Dimension, asking: readonly Leaf[], keepsAll: boolean): Settled {
  // Most targets have dimensions that no comparison reads.
  const isTimed = asking.some(({ operator }) => operator.bind !== undefined);
  const facts = new Map(
    asking.length === 0 ? [] : dimension.values.map((value) => [value, partialFacts(value, isTimed)]),
  );
  const outcomeFor = (leaf: Leaf, value: Assignment): ComparisonOutcome => outcomeOf(leaf, facts.get(value) ?? {});
  const settled = keepsAll
    ? dimension
    : withoutRepeats(dimension, (value) => asking.map((leaf) => outcomeFor(leaf, value).charAt(0)).join(''));
  return {
    dimension: settled,
    outcomes: asking.map((leaf) => [leaf, settled.values.map((value) => outcomeFor(leaf, value))]),
    cost: dimension.values.length * (1 + sizeOf(asking)),
  };
}

const numbers = new WeakMap<Leaf, number>();
let numbered = 0;
function numberOf(leaf: Leaf): number {
  const known = numbers.get(leaf);
  if (known !== undefined) return known;
  numbered += 1;
  numbers.set(leaf, numbered);
  return numbered;
}

const known = new WeakMap<Leaf, Map<string, Settled>>();

/** The result of settle where it depends on the comparisons only. Rules share their comparisons (once.ts), so most calls are equal. */
function settledOnce(asking: readonly Leaf[], make: () => Settled): Settled {
  const [first] = asking;
  if (first === undefined) return make();
  const those = known.get(first) ?? new Map<string, Settled>();
  known.set(first, those);
  // The path of a leaf determines its group.
  const name = asking.map(numberOf).join();
  const settled = those.get(name) ?? make();
  those.set(name, settled);
  return settled;
}

/** The dimensions of facts that are compared with each other. @param take the comparisons of a joint key */
function togetherOf(
  rules: readonly CompiledRule[],
  scope: ResourceScope,
  joined: ReadonlyMap<string, string>,
  take: (key: string) => readonly Leaf[],
): Settled[] {
  return [...new Set(joined.values())].map((key) => {
    const asking = take(key);
    const plain = [
      ...asking.filter(({ other }) => other === undefined),
      ...asking.flatMap((leaf) => seedsFor(leaf, asking, scope.pattern)),
    ];
    const factors = [...joined].flatMap(([group, of]) => {
      if (of !== key) return [];
      const leaves = plain.filter(({ path }) => groupOf(path) === group);
      if (group === ACTION.key) return [ACTION];
      if (group === ENVIRONMENT.key) return [ENVIRONMENT];
      if (group === 'organisation.slug') return [organisationDimension(rules, leaves)];
      return [group === 'resource' ? resourceDimension(leaves, scope) : dimensionOf(group, leaves)];
    });
    return settle(productOf(key, factors, isExactPair(asking)), asking, true);
  });
}

export function createSpace(rules: readonly CompiledRule[], scope: ResourceScope): Space {
  const leaves = rules.flatMap((rule) => rule.leaves);
  const joined = jointKeys(leaves);
  const keyOf = (group: string): string => joined.get(group) ?? group;
  const byKey = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const key = keyOf(groupOf(leaf.path));
    const those = byKey.get(key);
    if (those === undefined) byKey.set(key, [leaf]);
    else those.push(leaf);
  }
  const take = (key: string): readonly Leaf[] => {
    const asking = byKey.get(key) ?? [];
    byKey.delete(key);
    return asking;
  };
  const fixed = (dimension: Dimension): Settled => {
    const asking = take(dimension.key);
    return settledOnce(asking, () => settle(dimension, asking, true));
  };
  const together = joined.size === 0 ? [] : togetherOf(rules, scope, joined, take);
  const [organisations, resources] = [take('organisation.slug'), take('resource')];
  const isOrganisationOpen = organisations.length === 0 && rules.every((rule) => rule.organisations === undefined);
  const ofOrganisation = isOrganisationOpen ? USUAL_ORGANISATIONS : organisationDimension(rules, organisations);
  const all = [
    ...together,
    ...(joined.has(ACTION.key) ? [] : [fixed(ACTION)]),
    ...(joined.has(ENVIRONMENT.key) ? [] : [fixed(ENVIRONMENT)]),
    ...(joined.has('organisation.slug') ? [] : [settle(ofOrganisation, organisations, true)]),
    ...(joined.has('resource') ? [] : [settle(resourceDimension(resources, scope), resources, false)]),
    ...[...byKey].map(([key, asking]) => settledOnce(asking, () => settle(dimensionOf(key, asking), asking, false))),
  ];
  const dimensions = all.map(({ dimension }) => dimension);
  const outcomes = new Map(all.flatMap((settled) => settled.outcomes));
  const cost = all.reduce((sum, settled) => sum + settled.cost, 0);

  const valuesOf = (key: string): readonly Assignment[] =>
    dimensions.find((dimension) => dimension.key === key)?.values ?? [];
  const where = (group: string, test: (value: Assignment) => boolean): Formula => {
    const key = keyOf(group);
    return dimensions.some((dimension) => dimension.key === key)
      ? { kind: 'atom', key, truth: valuesOf(key).map(test) }
      : TRUE;
  };
  const conditionOf = (node: NormalNode, unsure: Unsure): Formula => {
    if (node.kind !== 'leaf') return { kind: node.kind, of: node.of.map((part) => conditionOf(part, unsure)) };
    const { leaf } = node;
    const truth = (outcomes.get(leaf) ?? []).map((outcome) =>
      holds(outcome, leaf.negated, outcome === 'partly' ? unsure.partly : unsure.missing),
    );
    return { kind: 'atom', key: keyOf(groupOf(leaf.path)), truth };
  };
  return {
    cost,
    dimensions,
    conditionOf,
    where,
    targetOf({ actions, environments, organisations, effect }) {
      const isAny = actions.includes('*');
      const names = (list: readonly string[] | undefined, key: string): Formula =>
        list === undefined ? TRUE : where(key, (value) => list.some((item) => item === value.get(key)));
      return {
        kind: 'all',
        of: [
          isAny ? TRUE : names(actions, 'intent.action'),
          effect.type === 'ALLOW' ? where('intent.action', (value) => value.get('intent.action') !== 'unknown') : TRUE,
          names(environments, 'environment'),
          names(organisations, 'organisation.slug'),
        ],
      };
    },
  };
}

export const both = (...of: readonly Formula[]): Formula => ({ kind: 'all', of });
export const not = negationOf;
