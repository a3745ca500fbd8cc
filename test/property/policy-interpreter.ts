// A second, direct reading of the rules' meaning: no index, no engine, no normal form, no memory. Slow and short on purpose.
import { OPERATORS } from '../../shared/policy/operators.ts';
import { mergeObligations } from '../../shared/policy/obligations.ts';
import { covers, overlaps } from '../../shared/policy/resource.ts';
import type { Condition, EnforceRule, Policy, PolicyObligation } from '../../shared/policy/schema.ts';
import type { Facts } from '../../shared/policy/types.ts';

/** Kleene's three values with two kinds of "can't tell", as the set of answers that are possible. */
interface Possible {
  readonly yes: boolean;
  readonly no: boolean;
}
type Unsure = { readonly missing: Possible; readonly partly: Possible };

function isOpen(facts: Facts, fact: string, path: string | undefined): boolean {
  return facts.intent.resource.endsWith('*') && fact === 'intent' && (path === 'object' || path === 'normalized');
}

function valueOf(facts: Facts, fact: string, path: string | undefined): unknown {
  let value: unknown = Reflect.get(facts, fact);
  for (const key of path?.split('.') ?? []) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.getOwnPropertyDescriptor(value, key)?.value
        : undefined;
  }
  return value ?? undefined;
}

function possible(condition: Condition, facts: Facts, unsure: Unsure): Possible {
  if ('not' in condition) {
    const inner = possible(condition.not, facts, unsure);
    return { yes: inner.no, no: inner.yes };
  }
  if ('all' in condition) {
    const parts = condition.all.map((part) => possible(part, facts, unsure));
    return { yes: parts.every((part) => part.yes), no: parts.some((part) => part.no) };
  }
  if ('any' in condition) {
    const parts = condition.any.map((part) => possible(part, facts, unsure));
    return { yes: parts.some((part) => part.yes), no: parts.every((part) => part.no) };
  }
  const operator = OPERATORS.get(condition.operator);
  if (operator === undefined) throw new Error('unknown operator');
  if (isOpen(facts, condition.fact, condition.path)) return unsure.partly;
  const actual = valueOf(facts, condition.fact, condition.path);
  const outcome =
    actual === undefined && operator.name !== 'isPresent'
      ? 'missing'
      : operator.test(actual, operator.prepare?.(condition.value) ?? condition.value);
  if (outcome === 'yes') return { yes: true, no: false };
  if (outcome === 'no') return { yes: false, no: true };
  return unsure[outcome];
}

const EITHER: Possible = { yes: true, no: true };
const NEITHER: Possible = { yes: false, no: false };

/** A comparison that is missing is one whose answer follows what is assumed of missing facts. */
function isAnyMissing(condition: Condition, facts: Facts): boolean {
  if ('not' in condition) return isAnyMissing(condition.not, facts);
  if ('all' in condition) return condition.all.some((part) => isAnyMissing(part, facts));
  if ('any' in condition) return condition.any.some((part) => isAnyMissing(part, facts));
  const assumed = (missing: Possible) => possible(condition, facts, { missing, partly: NEITHER }).yes;
  return assumed(EITHER) && !assumed(NEITHER);
}

/** The verdict of checked policies of stage enforce on facts. */
export function verdictOf(policies: readonly Policy[], facts: Facts): string {
  const found = new Set<string>();
  const due: PolicyObligation[] = [];
  let isPermitted = false;
  const { action, resource, places, object } = facts.intent;
  const spots = places.flatMap((place) => [place, `${place}/${object}`]);
  for (const policy of policies) {
    if (policy.stage !== 'enforce') continue;
    const { actions, resources } = policy.target;
    if (!actions.includes('*') && !actions.includes(action)) continue;
    const whole = resources.some((pattern) => covers(pattern, resource));
    const located = resources.some((pattern) => spots.some((spot) => covers(pattern, spot)));
    const touched = located || resources.some((pattern) => overlaps(pattern, resource));
    for (const rule of policy.rules) apply(rule, { whole, located, touched });
  }

  function apply(
    { conditions, event }: EnforceRule,
    { whole, located, touched }: Record<'whole' | 'located' | 'touched', boolean>,
  ): void {
    const can = (missing: Possible, partly: Possible): boolean => possible(conditions, facts, { missing, partly }).yes;
    if (event.type === 'ALLOW') {
      if (whole && can(NEITHER, NEITHER) && action !== 'unknown') isPermitted = true;
      return;
    }
    if (!touched || !can(EITHER, EITHER)) return;
    const isMixed = !can(NEITHER, NEITHER) && isAnyMissing(conditions, facts);
    const isDegraded = event.type === 'DEGRADE' && can(NEITHER, EITHER) && !isMixed;
    if (event.type === 'DEGRADE' && isDegraded) due.push(...event.params.obligations);
    else found.add(event.type === 'DENY' ? 'DENY' : 'ESCALATE');
    const isAll = whole || (event.type === 'ESCALATE' && located);
    if (event.type !== 'DENY' && isAll && can(NEITHER, NEITHER)) isPermitted = true;
  }

  if (found.has('DENY') || !isPermitted) return 'DENY';
  if (found.has('ESCALATE')) return 'ESCALATE';
  if (mergeObligations(due).conflicts.length > 0) return 'ESCALATE';
  return due.length > 0 ? 'DEGRADE' : 'ALLOW';
}
