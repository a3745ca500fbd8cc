// Rules that other rules make pointless: outweighed wherever they hold, contradicted, or a guard that a wider ALLOW bypasses.
import type { Facts } from '../types.ts';
import { applies, changesAnswer, witnessOf } from './answers.ts';
import {
  areAlike,
  areEquivalent,
  dutiesOf,
  mayFollow,
  outweighsOn,
  REQUEST_GROUPS,
  targetsMeet,
  unmatchedBy,
} from './implied.ts';
import { reachOf } from './reach.ts';
import { labelOf, nameOf, type LintedRule, type LintedSet, ruleFinding } from './rules.ts';
import { isPermitted, spoiling } from './open.ts';
import { ruleHolds, search, searchUndisturbed } from './search.ts';
import { asEvaluated, both, CERTAIN, not } from './space.ts';
import type { LintFinding } from './types.ts';

/** The largest number of patterns of one target, and of proofs for each; with more, nothing is reported. */
const MAX_PATTERNS = 200;
const MAX_PROOFS = 24;
const MAX_TOGETHER = 12;

/** Facts on which a rule holds, for certain where possible. */
function sampleOf(set: LintedSet, rule: LintedRule, pattern: string): Facts | undefined {
  const accept = (facts: Facts): boolean => applies(rule, set, facts);
  const query = { set, rules: [rule], pattern, accept };
  const certain = search({
    ...query,
    formula: (space) => both(ruleHolds(space, rule), space.conditionOf(rule.rule.condition, CERTAIN)),
  });
  if (certain.kind === 'found') return certain.facts;
  const unsure = search({ ...query, formula: (space) => ruleHolds(space, rule) });
  return unsure.kind === 'found' ? unsure.facts : undefined;
}

const SEVERITY = ['DENY', 'ESCALATE', 'DEGRADE', 'ALLOW', 'RISK'];
/** Larger than any number of rules. */
const STEP = 1e9;

/** Rules with the fewest comparisons first: they are more likely to hold wherever another does. */
function likelyFirst(rule: LintedRule, others: readonly LintedRule[]): LintedRule[] {
  return others
    .map((other) => {
      let strange = 0;
      for (const group of other.groups) if (!rule.groups.has(group)) strange += 1;
      const rank = strange * SEVERITY.length + SEVERITY.indexOf(other.rule.effect.type);
      return { other, rank: rank * STEP + other.rule.index };
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ other }) => other);
}

interface Shadow {
  readonly by: readonly LintedRule[];
  /** Facts on which the rule holds and is outweighed. */
  readonly facts: Facts;
}

interface Search {
  readonly set: LintedSet;
  /** Rules that hold on everything that their target admits. */
  readonly always: ReadonlySet<LintedRule>;
  /** Rules that were reported already, which must not cause a report about an equal rule. */
  readonly pointless: ReadonlySet<LintedRule>;
}

/** The result for a rule below one of its patterns: one rule outweighs it, or several might together. */
type Below =
  | { readonly kind: 'by one'; readonly by: LintedRule; readonly facts: Facts }
  | { readonly kind: 'open'; readonly others: readonly LintedRule[]; readonly seen: readonly [Facts, ...Facts[]] };

const remembered = new WeakMap<readonly LintedRule[], readonly LintedRule[]>();

/**
 * The rules that can contribute to outweighing one of them: those that always hold, and those that read a fact that another one reads, too.
 * A rule that shares no fact with the others fails to hold somewhere in the space that they leave open.
 */
function entangled(rules: readonly LintedRule[], always: ReadonlySet<LintedRule>): readonly LintedRule[] {
  const before = remembered.get(rules);
  if (before !== undefined) return before;
  const asking = new Map<string, number>(REQUEST_GROUPS.map((group) => [group, rules.length]));
  for (const { groups } of rules) for (const group of groups) asking.set(group, (asking.get(group) ?? 0) + 1);
  const kept = rules.filter(
    (rule) => always.has(rule) || [...rule.groups].some((group) => (asking.get(group) ?? 0) > 1),
  );
  remembered.set(rules, kept);
  return kept;
}

/** Undefined: nothing outweighs the rule for all resources below the pattern. */
function lookBelow({ set, always, pointless }: Search, rule: LintedRule, pattern: string): Below | undefined {
  const facts = sampleOf(set, rule, pattern);
  if (facts === undefined) return undefined;
  const coverers = entangled(set.coverersOf(pattern, rule.stage), always);
  set.budget.left -= coverers.length;
  const others = coverers
    // A rule that may run out of its budget outweighs none.
    .filter(
      (other) => other !== rule && other.rule.budget === undefined && !(pointless.has(other) && areAlike(rule, other)),
    )
    .filter((other) => targetsMeet(rule.rule, other.rule));
  const here = others.filter((other) => outweighsOn(rule, other, facts));
  if (here.length === 0) return undefined;
  // A rule that shares no fact with this one never outweighs it alone, but may do so together with others.
  let left = likelyFirst(
    rule,
    here.filter((other) => always.has(other) || mayFollow(rule, other)),
  );
  const seen: [Facts, ...Facts[]] = [facts];
  for (let proofs = 0; proofs < MAX_PROOFS; proofs += 1) {
    const [first] = left;
    if (first === undefined) break;
    const found = unmatchedBy(set, { rule, others: [first], pattern });
    if (found.kind === 'none') return { kind: 'by one', by: first, facts };
    // The facts on which the first one does not outweigh the rule exclude all others that do not either.
    left = left.slice(1).filter((other) => found.kind !== 'found' || outweighsOn(rule, other, found.facts));
    if (found.kind === 'found') seen.push(found.facts);
  }
  return { kind: 'open', others, seen };
}

/** Several rules that outweigh a rule only together: added one by one, using facts on which none of the previous ones does. */
function shadowTogether(
  { set, pointless }: Search,
  rule: LintedRule,
  pattern: string,
  { others, seen }: Extract<Below, { kind: 'open' }>,
): readonly LintedRule[] | undefined {
  const usable = likelyFirst(
    rule,
    others.filter((other) => dutiesOf(rule, other)?.length === 1 && !(pointless.has(other) && areAlike(rule, other))),
  );
  const by: LintedRule[] = [];
  for (let open = seen.at(-1); open !== undefined && by.length < MAX_TOGETHER; ) {
    const facing = open;
    const next = usable.find((other) => !by.includes(other) && outweighsOn(rule, other, facing));
    if (next === undefined) return undefined;
    by.push(next);
    const found = unmatchedBy(set, { rule, others: by, pattern });
    if (found.kind === 'none') return neededOf(set, { rule, pattern, by });
    open = found.kind === 'found' ? found.facts : undefined;
  }
  return undefined;
}

/** Removes the rules that are not needed to outweigh the rule. */
function neededOf(
  set: LintedSet,
  { rule, pattern, by }: { rule: LintedRule; pattern: string; by: readonly LintedRule[] },
): readonly LintedRule[] {
  return by.reduce<readonly LintedRule[]>((kept, one) => {
    const fewer = kept.filter((other) => other !== one);
    return unmatchedBy(set, { rule, others: fewer, pattern }).kind === 'none' ? fewer : kept;
  }, by);
}

/** The results for a rule below each of its patterns; undefined when it has an effect below one of them. */
function lookAt(from: Search, rule: LintedRule): readonly Below[] | undefined {
  const reach = reachOf(rule);
  if (reach.length > MAX_PATTERNS) return undefined;
  const found: Below[] = [];
  for (const pattern of reach) {
    const below = lookBelow(from, rule, pattern);
    if (below === undefined) return undefined;
    found.push(below);
  }
  return found;
}

function shadowOf(from: Search, rule: LintedRule, known: readonly Below[]): Shadow | undefined {
  const by = new Set<LintedRule>();
  for (const [i, below] of known.entries()) {
    const pattern = reachOf(rule)[i] ?? '*';
    const those = below.kind === 'by one' ? [below.by] : shadowTogether(from, rule, pattern, below);
    if (those === undefined) return undefined;
    for (const other of those) by.add(other);
  }
  const [first] = known;
  if (first === undefined) return undefined;
  return { by: [...by], facts: first.kind === 'by one' ? first.facts : first.seen[0] };
}

/** Facts on which a guarded ALLOW does not hold and a wider one permits. */
function walkAround(set: LintedSet, guarded: LintedRule, wide: LintedRule): Facts | undefined {
  for (const pattern of reachOf(guarded).slice(0, 20)) {
    const found = searchUndisturbed(
      {
        set,
        rules: [guarded, wide],
        pattern,
        formula: (space) =>
          both(
            space.targetOf(guarded.rule),
            ruleHolds(space, wide),
            not(space.conditionOf(guarded.rule.condition, asEvaluated(guarded.rule))),
          ),
        accept: (facts) => applies(wide, set, facts) && isPermitted(set, wide, facts),
      },
      spoiling(set, wide),
    );
    if (found.kind === 'found') return found.facts;
  }
  return undefined;
}

function listed(rules: readonly LintedRule[]): string {
  return rules.map(labelOf).join(' or ');
}

function shadowFinding(set: LintedSet, rule: LintedRule, { by, facts }: Shadow): LintFinding | undefined {
  const [first] = by;
  if (first === undefined) return undefined;
  const effect = rule.rule.effect.type;
  const other = first.rule.effect.type;
  const isContradicted = by.length === 1 && other === 'DENY' && effect !== 'DENY' && areEquivalent(set, rule, first);
  const here = by.find((one) => outweighsOn(rule, one, facts)) ?? first;
  const shows = `holds, and so does ${labelOf(here)}; without the rule the answer is the same`;
  const witness = witnessOf(set, rule, facts, shows, by);
  if (changesAnswer(set, rule, facts)) return undefined;
  const message = isContradicted
    ? `says ${effect} exactly where ${labelOf(first)} says DENY, so it never has an effect`
    : by.every((one) => areAlike(rule, one))
      ? `changes nothing: wherever it holds, ${listed(by)} says the same`
      : `never has an effect: wherever it holds, ${listed(by)} has decided already`;
  return ruleFinding(rule, {
    code: isContradicted ? 'CONTRADICTORY' : 'SHADOWED',
    message,
    others: by.map(nameOf),
    witness,
  });
}

/** A budget beside rules that permit the same without one, or refuse. */
function bypassed(set: LintedSet, rule: LintedRule, { by, facts }: Shadow, budget: string): LintFinding {
  const refusing = by.filter((one) => one.rule.effect.type === 'DENY');
  const permitting = by.filter((one) => !refusing.includes(one));
  const refused = refusing.length === 0 ? '' : `${listed(refusing)} denies, or `;
  return ruleFinding(rule, {
    code: 'BUDGET_BYPASSED',
    pointer: `${rule.pointer}/budget`,
    message: `the budget ${budget} limits nothing: wherever the rule holds, ${refused}${listed(permitting)} permits the same without a budget`,
    others: by.map(nameOf),
    witness: witnessOf(set, rule, facts, 'the answer is the same when the budget is used up', by),
  });
}

function widening(set: LintedSet, wide: LintedRule, guarded: readonly LintedRule[], facts: Facts): LintFinding {
  const [first] = guarded;
  const names = guarded.map(labelOf).join(', ');
  return ruleFinding(wide, {
    code: 'WIDENING',
    message: `makes the conditions of ${names} ineffective: it permits the same requests without them`,
    others: guarded.map(nameOf),
    witness: witnessOf(
      set,
      wide,
      facts,
      `permitted by this rule, although the conditions of ${first === undefined ? names : labelOf(first)} do not hold`,
      guarded,
    ),
  });
}

/** Shadowed, contradicted and bypassed rules among those that can hold. */
export function shadowFindings(
  set: LintedSet,
  alive: readonly LintedRule[],
  always: ReadonlySet<LintedRule>,
): LintFinding[] {
  const pointless = new Set<LintedRule>();
  const from: Search = { set, always, pointless };
  const findings: LintFinding[] = [];
  const around = new Map<LintedRule, { guarded: LintedRule[]; facts: Facts }>();
  const report = (rule: LintedRule, shadow: Shadow): void => {
    const [only, second] = shadow.by;
    const { budget } = rule.rule;
    if (budget !== undefined && shadow.by.some((one) => one.rule.effect.type !== 'DENY')) {
      pointless.add(rule);
      findings.push(bypassed(set, rule, shadow, budget.name));
      return;
    }
    if (only !== undefined && second === undefined && rule.rule.effect.type === 'ALLOW' && areAlike(rule, only)) {
      const facts = walkAround(set, rule, only);
      if (facts !== undefined) {
        pointless.add(rule);
        const known = around.get(only);
        if (known === undefined) around.set(only, { guarded: [rule], facts });
        else known.guarded.push(rule);
        return;
      }
    }
    const finding = shadowFinding(set, rule, shadow);
    if (finding === undefined) return;
    pointless.add(rule);
    findings.push(finding);
  };
  const open: { readonly rule: LintedRule; readonly known: readonly Below[] }[] = [];
  // Of two equal rules the later one is reported, and a single outweighing rule is reported before several together.
  for (const rule of [...alive].reverse()) {
    const known = lookAt(from, rule);
    if (known === undefined) continue;
    const shadow = known.every(({ kind }) => kind === 'by one') ? shadowOf(from, rule, known) : undefined;
    if (shadow === undefined) open.push({ rule, known });
    else report(rule, shadow);
  }
  for (const { rule, known } of open) {
    const shadow = shadowOf(from, rule, known);
    if (shadow !== undefined) report(rule, shadow);
  }
  for (const [wide, { guarded, facts }] of around) findings.push(widening(set, wide, guarded, facts));
  return findings;
}
