// The resources for which a rule can hold: the patterns of its target, narrowed by what its conditions demand of intent.resource.
import { covers } from '../../intent/resource.ts';
import { textsOf } from '../comparisons.ts';
import type { Leaf, NormalNode } from '../normal-form.ts';
import type { LintedRule } from './rules.ts';

const remembered = new WeakMap<LintedRule, readonly string[]>();

/** The patterns of which the request's resource must match one for a comparison to hold; undefined: it demands none. */
function ofLeaf({ path, operator, negated, other, value }: Leaf): readonly string[] | undefined {
  const isDemand = path === 'intent.resource' && operator.name === 'matchesResource' && !negated && other === undefined;
  return isDemand && operator.binds === undefined ? textsOf(value) : undefined;
}

function demandedBy(node: NormalNode): readonly string[] | undefined {
  if (node.kind === 'leaf') return ofLeaf(node.leaf);
  const parts = node.of.map(demandedBy);
  if (node.kind === 'all') return parts.find((part) => part !== undefined);
  return parts.every((part) => part !== undefined) && parts.length > 0 ? parts.flat() : undefined;
}

/**
 * Whoever covers one of these patterns matches whenever the rule holds there. An ALLOW holds only for what both its target and its conditions
 * cover; another rule matches a target by places, too, and then the conditions say where the resource is.
 */
export function reachOf(linted: LintedRule): readonly string[] {
  const known = remembered.get(linted);
  if (known !== undefined) return known;
  const { resources, condition, effect } = linted.rule;
  const demanded = demandedBy(condition);
  const narrowed = (pattern: string, demand: string): string[] => {
    if (covers(demand, pattern)) return [pattern];
    return covers(pattern, demand) || effect.type !== 'ALLOW' ? [demand] : [];
  };
  const reach =
    demanded === undefined
      ? resources
      : [...new Set(resources.flatMap((pattern) => demanded.flatMap((demand) => narrowed(pattern, demand))))];
  remembered.set(linted, reach);
  return reach;
}
