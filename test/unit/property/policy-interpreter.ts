// A second, direct interpreter of rules with its own operators: no index, engine, normal form or cache, and no code of the service.
import type { Meaning } from '../../../shared/core/intent/types.ts';
import type { TermsFile } from '../../../shared/core/policy/terms-schema.ts';
import type { EnforceRule, Policy, PolicyObligation, WrittenCondition } from '../../../shared/core/policy/schema.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { isAllOf, isSomeOf, REFERENCE } from './reference-operators.ts';

/** Kleene's three values with two kinds of "can't tell", as the set of answers that are possible. */
interface Possible {
  readonly yes: boolean;
  readonly no: boolean;
}
type Unsure = { readonly missing: Possible; readonly partly: Possible };

/** The facts that a pattern leaves open: it covers many objects, and only `*` leaves the domain open. */
function isOpen({ intent: { resource } }: Facts, fact: string, path: string | undefined): boolean {
  if (fact !== 'intent') return false;
  return path === 'domain' ? resource === '*' : resource.endsWith('*') && (path === 'object' || path === 'normalized');
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

/** An argument of a call: one value, or those of all items of a list. */
function argumentOf(facts: Facts, path: string): unknown[] {
  let found: unknown[] = [facts.tool?.arguments];
  for (const key of path.split('.').slice(1)) {
    const isList = key.endsWith('[]');
    const name = isList ? key.slice(0, -2) : key;
    const inside = found.map((value) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    );
    found = isList ? inside.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [undefined])) : inside;
  }
  return found.map((value) => value ?? undefined);
}

/** The values that a comparison tests; it holds if it holds for one of them. */
function valuesOf(facts: Facts, fact: string, path: string | undefined): unknown[] {
  if (fact === 'tool' && path === 'present') return [facts.tool !== undefined];
  if (fact === 'tool' && path?.startsWith('arguments.') === true) return argumentOf(facts, path);
  return [valueOf(facts, fact, path)];
}

/** The fact on the right side of a comparison. */
function otherFact(value: unknown): { fact: string; path?: string } | undefined {
  return typeof value === 'object' && value !== null && 'fact' in value
    ? (value as { fact: string; path?: string })
    : undefined;
}

const isPlain = (value: unknown): boolean => ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);

/** Whether the value of a fact could be the constant of an operator; the random facts have no long or empty texts. */
function isUsable(operator: string, value: unknown): boolean {
  if (!Array.isArray(value)) {
    if (/Than/.test(operator)) return typeof value === 'number' && Number.isFinite(value);
    return operator.endsWith('With')
      ? typeof value === 'string'
      : isPlain(value) && !/in$|In$|Any$|All$/.test(operator);
  }
  const items: readonly unknown[] = value;
  const isOfOne = items.every((item) => isPlain(item) && typeof item === typeof items[0]);
  if (operator.endsWith('With')) return isOfOne && items.every((item) => typeof item === 'string');
  return isOfOne && /^in$|^notIn$|Any$|All$/.test(operator);
}

function possible(condition: WrittenCondition, facts: Facts, unsure: Unsure): Possible {
  if ('condition' in condition) throw new Error('a name was not replaced');
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
  const { fact, path, operator, value } = condition;
  const test = (fact === 'context' ? undefined : REFERENCE[`${operator} (text)`]) ?? REFERENCE[operator];
  if (test === undefined) throw new Error(`the reference has no operator ${operator}`);
  const other = otherFact(value);
  const actuals = valuesOf(facts, fact, path);
  const [compared] = other === undefined ? [value] : valuesOf(facts, other.fact, other.path);
  const isOpened = isOpen(facts, fact, path);
  if (other !== undefined) {
    const isOtherOpen = isOpen(facts, other.fact, other.path);
    const isAbsent =
      (!isOpened && actuals.length === 1 && actuals[0] === undefined && !path?.includes('[]')) ||
      (!isOtherOpen && compared === undefined);
    if (isAbsent) return unsure.missing;
    if (isOpened || isOtherOpen) return unsure.partly;
    if (!isUsable(operator, compared)) return unsure.missing;
  }
  if (isOpened) return unsure.partly;
  const found =
    operator === 'isPresent'
      ? [
          test(
            actuals.find((one) => one !== undefined),
            value,
          ),
        ]
      : actuals.map((one) => (one === undefined ? ('missing' as const) : test(one, compared, facts.time.now)));
  const said = (['yes', 'missing', 'partly'] as const).find((one) => found.includes(one)) ?? 'no';
  if (said === 'yes') return { yes: true, no: false };
  if (said === 'no') return { yes: false, no: true };
  return unsure[said];
}

const EITHER: Possible = { yes: true, no: true };
const NEITHER: Possible = { yes: false, no: false };

/** A comparison with a missing fact has the result that is assumed for missing facts. */
function isAnyMissing(condition: WrittenCondition, facts: Facts): boolean {
  if ('condition' in condition) throw new Error('a name was not replaced');
  if ('not' in condition) return isAnyMissing(condition.not, facts);
  if ('all' in condition) return condition.all.some((part) => isAnyMissing(part, facts));
  if ('any' in condition) return condition.any.some((part) => isAnyMissing(part, facts));
  const assumed = (missing: Possible) => possible(condition, facts, { missing, partly: NEITHER }).yes;
  return assumed(EITHER) && !assumed(NEITHER);
}

/** Rates without a strictest one cannot be kept together. */
function isConflict(due: readonly PolicyObligation[]): boolean {
  const rates = due.flatMap((one) => ('perSeconds' in one ? [one] : []));
  return (
    rates.length > 0 &&
    !rates.some((rate) => rates.every((other) => rate.limit <= other.limit && rate.perSeconds >= other.perSeconds))
  );
}

/** The policies with the text of every name in its place. */
function withoutNames(policies: readonly Policy[], { conditions = {}, constants = {} }: TermsFile): readonly Policy[] {
  if (Object.keys({ ...conditions, ...constants }).length === 0) return policies;
  const replace = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if ('condition' in value && Object.keys(value).length === 1)
      return JSON.parse(JSON.stringify(conditions[String(value.condition)]?.condition), replace);
    return 'constant' in value ? constants[String(value.constant)]?.value : value;
  };
  return JSON.parse(JSON.stringify(policies), replace) as Policy[];
}

interface Verdicts {
  readonly verdict: string;
  /** The result after a human approved it. */
  readonly approved: string;
}

const ORDERS = {
  action: ['read', 'create', 'update', 'execute', 'send', 'delete', 'revoke', 'grant', 'transfer', 'unknown'],
  effect: ['read', 'write', 'destructive'],
  extent: ['one', 'many', 'all'],
} as const;

/** The strictest of some meanings, member by member; of two verbs for one class the finer one, then the later in the alphabet. */
function strictestOf(some: readonly Meaning[]): Meaning {
  const last = <T extends string>(order: readonly T[], of: (meaning: Meaning) => T): T =>
    order.findLast((value) => some.some((meaning) => of(meaning) === value)) ?? of(some[0] as Meaning); // not empty
  const action = last(ORDERS.action, (meaning) => meaning.action);
  const verbs = some.filter((meaning) => meaning.action === action).map(({ verb }) => verb);
  const finer = verbs.filter((verb) => verb !== action);
  return {
    action,
    verb: (finer.length > 0 ? finer : verbs).sort().at(-1) ?? action,
    effect: last(ORDERS.effect, (meaning) => meaning.effect),
    extent: last(ORDERS.extent, (meaning) => meaning.extent),
  };
}

/** The facts for every combination of meanings; the strictest result counts. */
function meant(facts: Facts): Facts[] {
  const { meanings } = facts.intent;
  if (meanings === undefined) return [facts];
  const choices = Array.from({ length: 2 ** meanings.length - 1 }, (_, bits) =>
    meanings.filter((_meaning, at) => (((bits + 1) >> at) & 1) === 1),
  );
  return choices.map((some) => ({ ...facts, intent: { ...facts.intent, ...strictestOf(some) } }));
}

/** The result of the rules for all meanings of an intent. */
interface Said {
  readonly found: Set<string>;
  /** By policy and rule: a rule that holds for several meanings is one. */
  readonly due: Map<EnforceRule, readonly PolicyObligation[]>;
  /** Of rules that would be DEGRADE if no fact were missing. */
  isUncertain: boolean;
}

/** The result of checked policies of stage enforce for facts, and its change by an approval. */
export function verdictsOf(written: readonly Policy[], facts: Facts, terms: TermsFile = {}): Verdicts {
  const policies = withoutNames(written, terms);
  const said: Said = { found: new Set(), due: new Map(), isUncertain: false };
  const { status } = facts.agent;
  if (status !== 'ACTIVE' && status !== 'UNREGISTERED') return { verdict: 'DENY', approved: 'DENY' };
  const isPermitted = meant(facts)
    .map((one) => permits(policies, one, said))
    .every(Boolean);
  if (said.found.has('DENY') || !isPermitted) return { verdict: 'DENY', approved: 'DENY' };
  const due = [...said.due.values()].flat();
  const approved = due.length > 0 || said.isUncertain ? 'DEGRADE' : 'ALLOW';
  return { verdict: said.found.has('ESCALATE') || isConflict(due) ? 'ESCALATE' : approved, approved };
}

/** Whether anything permits this one meaning; other results of the rules are added. */
function permits(policies: readonly Policy[], facts: Facts, said: Said): boolean {
  let isPermitted = false;
  const { action, resource, places, object } = facts.intent;
  const spots = places.flatMap((place) => [place, `${place}/${object}`]);
  for (const policy of policies) {
    if (policy.stage !== 'enforce') continue;
    const { actions, resources, environments, organisations } = policy.target;
    if (!actions.includes('*') && !actions.includes(action)) continue;
    if (environments?.includes(facts.environment) === false) continue;
    if (organisations?.includes(facts.organisation.slug) === false) continue;
    const whole = resources.some((pattern) => isAllOf(resource, pattern));
    const located = resources.some((pattern) => spots.some((spot) => isAllOf(spot, pattern)));
    const touched = located || resources.some((pattern) => isSomeOf(resource, pattern));
    for (const rule of policy.rules) apply(rule, { whole, located, touched });
  }
  return isPermitted;

  function apply(
    rule: EnforceRule,
    { whole, located, touched }: Record<'whole' | 'located' | 'touched', boolean>,
  ): void {
    const { conditions, event } = rule;
    const can = (missing: Possible, partly: Possible): boolean => possible(conditions, facts, { missing, partly }).yes;
    if (event.type === 'ALLOW') {
      if (whole && can(NEITHER, NEITHER) && action !== 'unknown') isPermitted = true;
      return;
    }
    if (!touched || !can(EITHER, EITHER)) return;
    const isMixed = !can(NEITHER, NEITHER) && isAnyMissing(conditions, facts);
    const isDegraded = event.type === 'DEGRADE' && can(NEITHER, EITHER) && !isMixed;
    if (event.type === 'DEGRADE') {
      if (isDegraded) said.due.set(rule, event.params.obligations);
      else said.isUncertain = true;
    }
    if (!isDegraded) said.found.add(event.type === 'DENY' ? 'DENY' : 'ESCALATE');
    const isUnknownCall = facts.tool !== undefined && action === 'unknown';
    const isAll = whole ? event.type === 'ESCALATE' || !isUnknownCall : event.type === 'ESCALATE' && located;
    if (event.type !== 'DENY' && isAll && can(NEITHER, NEITHER)) isPermitted = true;
  }
}

export const verdictOf = (policies: readonly Policy[], facts: Facts): string => verdictsOf(policies, facts).verdict;
