// The rules of a set as the linter needs them: compiled, with the positions of their conditions, and which targets cover which.
import { canonicalize } from '../../proof/canonical.ts';
import type { CompiledSet } from '../compile.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import { comparisonText } from '../fact-values.ts';
import { type Leaf, type NormalNode, pathsOf } from '../normal-form.ts';
import { isPattern } from '../../intent/resource.ts';
import type { Condition, Policy } from '../schema.ts';
import type { PolicyStage } from '../../../kernel/vocabulary.ts';
import { pointerBelow } from '../testing/sources.ts';
import type { Terms } from '../terms.ts';
import { groupOf } from './dimensions.ts';
import type { LintFinding } from './types.ts';

/** A part of a rule's conditions with its position. */
export interface Part {
  readonly node: NormalNode;
  readonly condition: Condition;
  /** RFC 6901 JSON Pointer into the policy's file; of a part of a named condition, to its use. */
  readonly pointer: string;
  readonly of: readonly Part[];
}

export interface LintedRule {
  readonly rule: CompiledRule;
  readonly stage: PolicyStage;
  /** Pointer to the rule in its policy's file. */
  readonly pointer: string;
  readonly root: Part;
  /** The conditions in a canonical spelling: equal exactly when the conditions are. */
  readonly conditions: string;
  /** The dimensions (groupOf) that the conditions read. */
  readonly groups: ReadonlySet<string>;
}

export interface LintedSet {
  /** The remaining budget in comparisons; whatever exceeds it is not reported. */
  readonly budget: { left: number };
  readonly compiled: CompiledSet;
  /** In order of evaluation: stage intake, then enforce, by policy id and rule name. */
  readonly rules: readonly LintedRule[];
  of(rule: CompiledRule): LintedRule | undefined;
  /** Rules of the same stage with a target pattern that covers the whole of a pattern. */
  coverersOf(pattern: string, stage: PolicyStage): readonly LintedRule[];
}

/** A normal form has no node for `not`: everything below it was negated instead. */
function partOf(condition: Condition, node: NormalNode, pointer: string, terms: Terms): Part {
  const at = (to: string): string => pointerBelow(condition, pointer, to, terms);
  if ('not' in condition) return { ...partOf(condition.not, node, at('not'), terms), condition, pointer };
  const [name, conditions]: [string, readonly Condition[]] =
    'all' in condition ? ['all', condition.all] : 'any' in condition ? ['any', condition.any] : ['', []];
  const nodes = node.kind === 'leaf' ? [] : node.of;
  const of = conditions.flatMap((part, i) => {
    const below = nodes[i];
    return below === undefined ? [] : [partOf(part, below, at(`${name}/${i}`), terms)];
  });
  return { node, condition, pointer, of };
}

/** A comparison with its position. */
export interface LeafPart extends Part {
  readonly leaf: Leaf;
}

const leavesOfParts = new WeakMap<Part, readonly LeafPart[]>();

/** All comparisons below a part. Remembered, because each kind of finding goes through them. */
export function leavesIn(part: Part): readonly LeafPart[] {
  const known = leavesOfParts.get(part);
  if (known !== undefined) return known;
  const leaves = part.node.kind === 'leaf' ? [{ ...part, leaf: part.node.leaf }] : part.of.flatMap(leavesIn);
  leavesOfParts.set(part, leaves);
  return leaves;
}

/** Formats a comparison for messages: `trust.level lessThan 4`, `not intent.effect equal "read"`. */
export function wordsOf(part: Part): string {
  const { condition, of } = part;
  if ('not' in condition) return `not (${wordsOf({ ...part, condition: condition.not })})`;
  if ('all' in condition) return `all of [${of.map(wordsOf).join(', ')}]`;
  if ('any' in condition) return `any of [${of.map(wordsOf).join(', ')}]`;
  return comparisonText(condition, 60);
}

export function nameOf({ rule }: LintedRule): { policy: string; rule: string } {
  return { policy: rule.policy, rule: rule.name };
}
/** A finding about a rule: unless stated, a warning at the rule itself that concerns no other rule. */
export function ruleFinding(
  linted: LintedRule,
  finding: Pick<LintFinding, 'code' | 'message'> & Partial<LintFinding>,
): LintFinding {
  return { severity: 'warning', ...nameOf(linted), pointer: linted.pointer, others: [], ...finding };
}

/** The first pattern of a rule's target. */
export const firstPattern = ({ rule }: LintedRule): string => rule.resources[0] ?? '*';
export const labelOf = ({ rule }: LintedRule): string => `${rule.policy}/${rule.name}`;

/** The patterns that may cover a canonical pattern: the pattern itself, and `*` at each level above. */
function patternsAbove(pattern: string): string[] {
  const segments = pattern.split('/');
  const stems = isPattern(pattern) ? segments.slice(0, -1) : segments;
  const above = ['*'];
  for (let length = 1; length < stems.length; length += 1) above.push(`${stems.slice(0, length).join('/')}/*`);
  return [...new Set([...above, pattern])];
}

export function createLintedSet(policies: readonly Policy[], compiled: CompiledSet, budget: number): LintedSet {
  const documents = new Map<string, { policy: Policy; at: number }>();
  for (const policy of policies)
    for (const [at, rule] of policy.rules.entries()) documents.set(`${policy.id}/${rule.name}`, { policy, at });
  const rules: LintedRule[] = [];
  const byPattern = new Map<string, LintedRule[]>();
  for (const rule of [...compiled.intake.rules, ...compiled.enforce.rules]) {
    const document = documents.get(`${rule.policy}/${rule.name}`);
    const written = document?.policy.rules[document.at]?.conditions;
    if (document === undefined || written === undefined) throw new Error(`no policy has ${rule.policy}/${rule.name}`);
    const pointer = `/rules/${document.at}`;
    const conditions = compiled.terms.expand(written);
    const { stage } = document.policy;
    const linted: LintedRule = {
      rule,
      stage,
      pointer,
      root: partOf(conditions, rule.condition, `${pointer}/conditions`, compiled.terms),
      conditions: canonicalize(conditions),
      groups: new Set(rule.leaves.flatMap(pathsOf).map(groupOf)),
    };
    rules.push(linted);
    for (const pattern of rule.resources) {
      const key = `${stage} ${pattern}`;
      const those = byPattern.get(key);
      if (those === undefined) byPattern.set(key, [linted]);
      else those.push(linted);
    }
  }
  const remembered = new Map<string, readonly LintedRule[]>();
  const byRule = new Map(rules.map((linted) => [linted.rule, linted]));
  return {
    budget: { left: budget },
    compiled,
    rules,
    of: (rule) => byRule.get(rule),
    coverersOf(pattern, stage) {
      const key = `${stage} ${pattern}`;
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const found = [...new Set(patternsAbove(pattern).flatMap((above) => byPattern.get(`${stage} ${above}`) ?? []))];
      found.sort((a, b) => a.rule.index - b.rule.index);
      remembered.set(key, found);
      return found;
    },
  };
}
