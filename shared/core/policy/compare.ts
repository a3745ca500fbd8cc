// Compares two policy sets: their parts by name, and requests that they answer differently, which the linter's solver finds. Pure.
import type { Verdict } from '../../kernel/vocabulary.ts';
import { canonicalize } from '../proof/canonical.ts';
import { type Aspect, differingAspects } from './aspects.ts';
import { evaluationOf, riskOf } from './lint/answers.ts';
import { valuesAt } from './lint/facts.ts';
import { createLintedSet, type LintedRule, type LintedSet } from './lint/rules.ts';
import { ruleHolds, searchUndisturbed } from './lint/search.ts';
import type { PolicySet } from './load.ts';
import type { Evaluation, Facts } from './types.ts';

/** A part of a set: a policy by its id, a catalogue as `tools/` and its server, `lexicon`, and so on. */
export interface ChangedPart {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** A request that the sets answer differently: checked by evaluating it under both. */
export interface CounterExample {
  /** The rule that was looked at, as `policy/rule`, and the set that has it. */
  readonly rule: string;
  readonly in: 'before' | 'after';
  /** Such as `delete:db/orders`. */
  readonly intent: string;
  readonly environment: string;
  /** The facts that the rule reads, by path; null: missing. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly differs: readonly Aspect[];
}

export interface SetComparison {
  readonly before: string;
  readonly after: string;
  readonly parts: readonly ChangedPart[];
  /** At most one for each changed rule. */
  readonly examples: readonly CounterExample[];
  /** Changed rules for which no example was found: they may be covered by other rules, or the search was limited. */
  readonly withoutExample: readonly string[];
}

const MAX_EXAMPLES = 20;
/** Comparisons, about a second. */
const BUDGET = 10_000_000;

type Members = Readonly<Record<string, unknown>>;

/** The parts of a canonical document by name. Own policies of an organisation have its slug in front, as when they are evaluated. */
function partsOf(canonical: string): Map<string, string> {
  // Written by the loader, or put together from two such texts.
  const {
    engine: _,
    installation,
    organisation,
    ...members
  } = JSON.parse(canonical) as Members & {
    readonly installation?: Members;
    readonly organisation?: { readonly slug: string; readonly policies: readonly { readonly id: string }[] };
  };
  const { engine: __, ...base } = installation ?? members;
  const parts = namedParts(base);
  for (const policy of organisation?.policies ?? [])
    parts.set(`${organisation?.slug}/${policy.id}`, canonicalize(policy));
  return parts;
}

function namedParts(members: Members): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [member, value] of Object.entries(members)) {
    if (!Array.isArray(value)) parts.set(member, canonicalize(value));
    else
      for (const item of value as { id?: string; server?: string; name?: string }[]) {
        const name = item.id ?? `${member}/${item.server ?? item.name ?? ''}`;
        parts.set(name, canonicalize(item));
      }
  }
  return parts;
}

/** Changed parts, by name. */
function changedParts(before: PolicySet, after: PolicySet): ChangedPart[] {
  const [old, now] = [partsOf(before.canonical), partsOf(after.canonical)];
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name): ChangedPart[] => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === is) return [];
    return [{ name, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' }];
  });
}

/** The rules of one set that the other does not have with the same target, conditions and event. */
function rulesOnlyIn(set: PolicySet, other: PolicySet, linted: LintedSet): LintedRule[] {
  const known = new Set<string>();
  const textOf = (policy: PolicySet['policies'][number], rule: unknown): string =>
    canonicalize({ id: policy.id, stage: policy.stage, target: policy.target, rule });
  for (const policy of other.policies) for (const rule of policy.rules) known.add(textOf(policy, rule));
  const changed = new Set<string>();
  for (const policy of set.policies)
    for (const rule of policy.rules) if (!known.has(textOf(policy, rule))) changed.add(`${policy.id}/${rule.name}`);
  return linted.rules.filter(({ rule }) => changed.has(`${rule.policy}/${rule.name}`));
}

/** The evaluation under a set, with the risk that its own intake policies give unless the rule in question reads the risk. */
function evaluated(set: LintedSet, facts: Facts, isRiskGiven: boolean): Evaluation {
  if (isRiskGiven) return evaluationOf(set, facts);
  return evaluationOf(set, { ...facts, intent: { ...facts.intent, risk: riskOf(set, facts) } });
}

/** @param budget the limit of the search, in comparisons */
export function comparePolicySets(before: PolicySet, after: PolicySet, budget = BUDGET): SetComparison {
  const linted = {
    before: createLintedSet(before.policies, before.compiled, budget / 2),
    after: createLintedSet(after.policies, after.compiled, budget / 2),
  };
  const examples: CounterExample[] = [];
  const withoutExample: string[] = [];
  const search = (side: 'before' | 'after', rule: LintedRule): void => {
    const isRiskGiven = rule.rule.leaves.some(({ path }) => path.startsWith('intent.risk'));
    const both = (facts: Facts): [Evaluation, Evaluation] => [
      evaluated(linted.before, facts, isRiskGiven),
      evaluated(linted.after, facts, isRiskGiven),
    ];
    const name = `${rule.rule.policy}/${rule.rule.name}`;
    const found = searchUndisturbed({
      set: linted[side],
      rules: [rule],
      formula: (space) => ruleHolds(space, rule),
      accept: (facts) => {
        const [old, now] = both(facts);
        return differingAspects(old, now).length > 0;
      },
    });
    if (found.kind !== 'found') return void withoutExample.push(name);
    const { facts } = found;
    const [old, now] = both(facts);
    const paths = [...new Set(rule.rule.leaves.map(({ path }) => path))].sort();
    examples.push({
      rule: name,
      in: side,
      intent: `${facts.intent.action}:${facts.intent.resource}`,
      environment: facts.environment,
      facts: valuesAt(facts, paths),
      before: old.verdict,
      after: now.verdict,
      differs: differingAspects(old, now),
    });
  };
  // New rules first, because the number of examples is limited.
  const changed = [
    ...rulesOnlyIn(after, before, linted.after).map((rule) => ['after', rule] as const),
    ...rulesOnlyIn(before, after, linted.before).map((rule) => ['before', rule] as const),
  ];
  for (const [side, rule] of changed) {
    if (examples.length < MAX_EXAMPLES) search(side, rule);
    else withoutExample.push(`${rule.rule.policy}/${rule.rule.name}`);
  }
  return {
    before: before.digest,
    after: after.digest,
    parts: changedParts(before, after),
    examples,
    // A changed rule is in both sets; one example of it is enough.
    withoutExample: [...new Set(withoutExample)].filter((name) => !examples.some(({ rule }) => rule === name)),
  };
}
