// Compares two policy sets: their parts by name, and requests that they answer differently, which the linter's solver finds. Pure.
import type { Verdict } from '../../kernel/vocabulary.ts';
import { canonicalize } from '../proof/canonical.ts';
import { type Aspect, differingAspects } from './aspects.ts';
import { evaluationOf, riskOf } from './lint/answers.ts';
import { valuesAt } from './lint/facts.ts';
import { createLintedSet, labelOf, type LintedRule, type LintedSet } from './lint/rules.ts';
import { type Found, ruleHolds, searchUndisturbed } from './lint/search.ts';
import { both as allOf, not } from './lint/space.ts';
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

/** What attributes.json says of the facts that a rule reads, by path: with another declaration the same rule has another meaning. */
function declaredFor({ leaves }: LintedRule['rule']): Readonly<Record<string, unknown>> {
  const read = leaves.flatMap(({ path, entry, other }) => [{ path, entry }, ...(other === undefined ? [] : [other])]);
  const declared = read.filter(({ entry }) => entry.isDeclared === true);
  const of = declared.map(({ path, entry: { type, values = null, onlyFrom = null } }) => [
    path,
    { type, values, onlyFrom },
  ]);
  return Object.fromEntries(of);
}

/** All of a rule that decides, by its name, with the named conditions and constants that it uses. */
function textsOf({ policies, compiled }: PolicySet, { rules }: LintedSet): ReadonlyMap<LintedRule, string> {
  const written = new Map<string, object>();
  for (const { id, stage, target, rules: ofPolicy } of policies)
    for (const rule of ofPolicy)
      written.set(`${id}/${rule.name}`, {
        id,
        stage,
        target,
        rule: { ...rule, conditions: compiled.terms.expand(rule.conditions) },
      });
  return new Map(
    rules.map((linted) => [
      linted,
      canonicalize({ ...written.get(labelOf(linted)), declared: declaredFor(linted.rule) }),
    ]),
  );
}

/** The rules of one set that the other does not have with the same target, meaning and event. */
function rulesOnlyIn(texts: ReadonlyMap<LintedRule, string>, others: ReadonlyMap<LintedRule, string>): LintedRule[] {
  const known = new Set(others.values());
  return [...texts].flatMap(([linted, text]) => (known.has(text) ? [] : [linted]));
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
  const labelled = ({ rules }: LintedSet) => new Map(rules.map((rule) => [labelOf(rule), rule]));
  const byLabel = { before: labelled(linted.before), after: labelled(linted.after) };
  const examples: CounterExample[] = [];
  const withoutExample: string[] = [];
  const search = (side: 'before' | 'after', rule: LintedRule): void => {
    const isRiskGiven = rule.rule.leaves.some(({ path }) => path.startsWith('intent.risk'));
    const both = (facts: Facts): [Evaluation, Evaluation] => [
      evaluated(linted.before, facts, isRiskGiven),
      evaluated(linted.after, facts, isRiskGiven),
    ];
    const name = labelOf(rule);
    const accept = (facts: Facts): boolean => {
      const [said, says] = both(facts);
      return differingAspects(said, says).length > 0;
    };
    const holding = (...others: readonly LintedRule[]): Found =>
      searchUndisturbed({
        set: linted[side],
        rules: [rule, ...others],
        formula: (space) => allOf(ruleHolds(space, rule), ...others.map((other) => not(ruleHolds(space, other)))),
        accept,
      });
    // Where the rule of this name in the other set does not hold: the values that tell these two apart are no others.
    const other = byLabel[side === 'after' ? 'before' : 'after'].get(name);
    const apart = other === undefined ? undefined : holding(other);
    const found = apart?.kind === 'found' ? apart : holding();
    if (found.kind !== 'found') return void withoutExample.push(name);
    const { facts } = found;
    const [said, says] = both(facts);
    const paths = [...new Set(rule.rule.leaves.map(({ path }) => path))].sort();
    examples.push({
      rule: name,
      in: side,
      intent: `${facts.intent.action}:${facts.intent.resource}`,
      environment: facts.environment,
      facts: valuesAt(facts, paths),
      before: said.verdict,
      after: says.verdict,
      differs: differingAspects(said, says),
    });
  };
  const [old, now] = [textsOf(before, linted.before), textsOf(after, linted.after)];
  // New rules first, because the number of examples is limited.
  const changed = [
    ...rulesOnlyIn(now, old).map((rule) => ['after', rule] as const),
    ...rulesOnlyIn(old, now).map((rule) => ['before', rule] as const),
  ];
  for (const [side, rule] of changed) {
    if (examples.length < MAX_EXAMPLES) search(side, rule);
    else withoutExample.push(labelOf(rule));
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
