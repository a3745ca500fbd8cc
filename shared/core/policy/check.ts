// Validates one policy document: first against the published schema, then its vocabulary, types and resources.
import type { ErrorObject } from 'ajv/dist/2020.js';
import { parseDuration } from '../../kernel/durations.ts';
import { compileSchema } from '../../kernel/compile-schema.ts';
import { RULE_TTL } from './approvers.ts';
import type { Declarations } from './declarations.ts';
import { type Operator, OPERATORS, usableOn } from './operators.ts';
import { canonicalResource } from '../intent/resource.ts';
import { WINDOW } from './budget-limits.ts';
import { fromMillionths, toMillionths } from './budget.ts';
import { placeholdersIn } from './message.ts';
import { PolicySchema } from './schema.ts';
import type { Budget, Comparison, ItemComparison, ItemCondition, Policy, WrittenCondition } from './schema.ts';
import type { PolicyStage } from '../../kernel/vocabulary.ts';
import {
  type Checked,
  isNoise,
  meantOf,
  type Problem,
  problemOf,
  shown,
  stageOf,
  valueAt,
  withoutEchoes,
} from './schema-problems.ts';
import { FACT_OPERATORS, type FactReference, factReferenceOf, factsProblem } from './fact-values.ts';
import { itemEntry, MAX_ITEM_DEPTH } from './items.ts';
import { EXPANDED_LIMITS, sizeProblem, sizer, unknownTerm, usedProblem } from './term-uses.ts';
import { constantUse } from './terms.ts';
import { fullPath, lookUp, type VocabularyEntry } from './vocabulary.ts';

/** What the conditions of a policy may name. */
interface Scope {
  readonly stage: PolicyStage;
  readonly declarations: Declarations;
}

function comparisonProblem(comparison: Comparison, scope: Scope, pointer: string): Problem | undefined {
  const { stage, declarations } = scope;
  const entry = lookUp(comparison.fact, comparison.path, stage, declarations);
  const pathPointer = `${pointer}/${comparison.path === undefined ? 'fact' : 'path'}`;
  if (typeof entry === 'string') return { code: 'UNKNOWN_FACT', pointer: pathPointer, message: entry };
  return operatorProblem(comparison, { entry, scope }, pointer, 0);
}

/** A compared fact, or a list whose items are compared. */
interface Compared {
  readonly entry: VocabularyEntry;
  readonly scope: Scope;
}

/** @param depth the number of lists around the comparison */
function operatorProblem(
  comparison: ItemComparison,
  { entry, scope }: Compared,
  pointer: string,
  depth: number,
): Problem | undefined {
  const operator = OPERATORS.get(comparison.operator);
  if (operator === undefined)
    return { code: 'UNKNOWN_OPERATOR', pointer: `${pointer}/operator`, message: 'is not known' };
  const path = fullPath(entry.fact, entry.path);
  const usableHere = usableOn(entry);
  if (!usableHere.includes(operator)) {
    const usable = usableHere.map(({ name }) => name);
    const instead = PREFIXES.includes(operator.name) && usable.includes('matchesResource') ? MEANT_RESOURCE : '';
    const message = `${operator.name} can't be used on ${path} (${entry.type})${instead}; usable are ${usable.join(', ')}`;
    return { code: 'OPERATOR_MISUSED', pointer: `${pointer}/operator`, message };
  }
  if (operator.quantifier !== undefined) return itemsProblem(comparison, { entry, scope }, pointer, depth + 1);
  const reference = factReferenceOf(comparison.value);
  if (reference !== undefined) return factProblem(operator, entry, reference, scope, pointer);
  const wrong =
    listedFactProblem(comparison.value) ??
    operator.valueProblem(comparison.value, entry.type) ??
    (operator.isOfFact && typeProblem(comparison, entry, scope.declarations));
  return wrong === undefined ? undefined : { code: 'BAD_VALUE', pointer: `${pointer}/value`, message: wrong };
}

/** What is wrong with a fact as the value of a comparison. */
function factProblem(
  operator: Operator,
  left: VocabularyEntry,
  { fact, path }: FactReference,
  { stage, declarations }: Scope,
  pointer: string,
): Problem | undefined {
  const right = lookUp(fact, path, stage, declarations);
  const at = `${pointer}/value`;
  if (typeof right === 'string')
    return { code: 'UNKNOWN_FACT', pointer: `${at}/${path === undefined ? 'fact' : 'path'}`, message: right };
  const message = factsProblem(operator, left, right);
  if (message === undefined) return undefined;
  return FACT_OPERATORS.includes(operator.name)
    ? { code: 'BAD_VALUE', pointer: at, message }
    : { code: 'OPERATOR_MISUSED', pointer: `${pointer}/operator`, message };
}

/** A fact in a list of values is no constant, and is not read. */
const listedFactProblem = (value: unknown): string | undefined =>
  Array.isArray(value) && value.some((item) => factReferenceOf(item) !== undefined)
    ? 'must be constants: a fact stands alone as the value, so write one comparison per fact into "any"'
    : undefined;

const PREFIXES = ['startsWith', 'endsWith'];
const MEANT_RESOURCE =
  '; a resource is compared segment by segment: did you mean matchesResource with "db/production/*"?';

/** The first problem of a comparison whose value is a condition on the items of a list. */
function itemsProblem(
  { operator, value }: ItemComparison,
  { entry: list, scope }: Compared,
  pointer: string,
  depth: number,
): Problem | undefined {
  const misused = (message: string): Problem => ({ code: 'OPERATOR_MISUSED', pointer: `${pointer}/operator`, message });
  if (depth > MAX_ITEM_DEPTH) return misused(`lists are compared at most ${MAX_ITEM_DEPTH} deep`);
  if (list.path?.includes('[]') === true)
    return misused(`${operator} takes a list, and a path with [] has several values: write the path of the list`);
  const look = (condition: ItemCondition, at: string): Problem | undefined => {
    if ('not' in condition) return look(condition.not, `${at}/not`);
    if ('all' in condition) return lookAtEach(condition.all, `${at}/all`);
    if ('any' in condition) return lookAtEach(condition.any, `${at}/any`);
    const entry = itemEntry(list, condition.path);
    if (typeof entry === 'string') return { code: 'UNKNOWN_FACT', pointer: `${at}/path`, message: entry };
    return namedValueProblem(condition.value, scope, at, (named) =>
      operatorProblem({ ...condition, value: named }, { entry, scope }, at, depth),
    );
  };
  const lookAtEach = (parts: readonly ItemCondition[], at: string): Problem | undefined => {
    for (const [i, part] of parts.entries()) {
      const problem = look(part, `${at}/${i}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  // The schema says so for these operators.
  return look(value as ItemCondition, `${pointer}/value`);
}

const COMPARED_AS: Readonly<Record<string, string>> = {
  string: 'string',
  strings: 'string',
  number: 'number',
  minutes: 'number',
  boolean: 'boolean',
};
/** Checks that the compared values have the fact's type and are in its closed list, if it has one. */
function typeProblem(
  comparison: ItemComparison,
  { type, values }: VocabularyEntry,
  declarations: Declarations,
): string | undefined {
  const wanted = COMPARED_AS[type];
  if (wanted === undefined) return undefined;
  const items: readonly unknown[] = Array.isArray(comparison.value) ? comparison.value : [comparison.value];
  if (items.some((item) => typeof item !== wanted))
    return `must be ${wanted === 'number' ? 'a number' : `a ${wanted}`}, as the fact is`;
  const stranger = values === undefined ? undefined : items.find((item) => !values.some((value) => value === item));
  if (stranger === undefined || values === undefined) return undefined;
  return `${shown(stranger)} is not one of ${values.join(', ')}${meantOf(stranger, values, declarations)}`;
}

/** What a path of an amount may lead to: a number, or a member that callers write, which may be one. */
const COUNTABLE = new Set(['number', 'unknown']);

/** @param rule the schema accepted its budget */
function budgetProblems(budget: Budget, effect: unknown, scope: Scope, pointer: string): Problem[] {
  const problems: Problem[] = [];
  const add = (code: Problem['code'], member: string, message: string): void =>
    void problems.push({ code, pointer: `${pointer}/budget${member}`, message });
  if (effect === 'DENY' || effect === 'ESCALATE')
    add('BUDGET_MISUSED', '', `a ${effect} permits nothing, so it has no budget: it belongs to an ALLOW or DEGRADE`);
  const { window, limit, amount } = budget;
  const [windowMs = 0, leastMs = 0, mostMs = 0] = [window, WINDOW.min, WINDOW.max].map(parseDuration);
  if (windowMs < leastMs || windowMs > mostMs)
    add('BAD_VALUE', '/window', `must be from ${WINDOW.min} to ${WINDOW.max}`);
  if (fromMillionths(toMillionths(limit) ?? 0) !== limit) add('BAD_VALUE', '/limit', 'has more than six decimals');
  if (limit < (amount === undefined ? 1 : Number.MIN_VALUE))
    add('BAD_VALUE', '/limit', amount === undefined ? 'has no room for a decision, which counts 1' : 'must be above 0');
  if (amount === undefined) return problems;
  const entry = lookUp(amount.fact, amount.path, scope.stage, scope.declarations);
  const at = `/amount/${amount.path === undefined ? 'fact' : 'path'}`;
  if (typeof entry === 'string') add('UNKNOWN_FACT', at, entry);
  else if (!COUNTABLE.has(entry.type) || amount.path?.includes('[]') === true)
    add('BAD_VALUE', at, `${fullPath(amount.fact, amount.path)} is not one number`);
  return problems;
}

/** Whether the schema found nothing wrong at a pointer or below it, so that the types there are those of the schema. */
type IsSound = (pointer: string) => boolean;

function soundness(problems: readonly Problem[]): IsSound {
  const broken = new Set<string>();
  for (const { pointer } of problems)
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      broken.add(at);
      if (at === '') break;
    }
  return (pointer) => !broken.has(pointer);
}

const membersOf = (node: unknown): Readonly<Record<string, unknown>> =>
  // Each member is checked where it is used.
  typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {};
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * The problem of a comparison whose value may be a constant of terms.json.
 * @param problemWith finds the problem of the comparison with a value
 */
function namedValueProblem(
  written: unknown,
  { declarations: { terms } }: Scope,
  pointer: string,
  problemWith: (value: unknown) => Problem | undefined,
): Problem | undefined {
  const name = constantUse(written);
  if (name === undefined) return problemWith(written);
  const value = terms.constantOf(name)?.value;
  if (value === undefined) return unknownTerm('constants', name, terms, `${pointer}/value/constant`)[0];
  const problem = problemWith(value);
  if (problem?.code !== 'BAD_VALUE') return problem;
  return usedProblem('constants', name, terms, problem, `${pointer}/value`);
}

/** What is wrong with the use of a named condition; what is wrong with it in every policy is reported where it is defined. */
function conditionUseProblems(name: string, scope: Scope, pointer: string): Problem[] {
  const { terms } = scope.declarations;
  const term = terms.conditionOf(name);
  if (term === undefined) return unknownTerm('conditions', name, terms, `${pointer}/condition`);
  if (scope.stage !== 'intake') return [];
  return conditionProblems(term.condition, scope, '', () => true).map((problem) =>
    usedProblem('conditions', name, terms, problem, `${pointer}/condition`),
  );
}

export function conditionProblems(node: unknown, scope: Scope, pointer: string, isSound: IsSound): Problem[] {
  const { all, any, not, fact, condition } = membersOf(node);
  if (typeof condition === 'string' && isSound(pointer)) return conditionUseProblems(condition, scope, pointer);
  const parts = [
    ...itemsOf(all).map((part, i) => [part, `${pointer}/all/${i}`] as const),
    ...itemsOf(any).map((part, i) => [part, `${pointer}/any/${i}`] as const),
    ...(not === undefined ? [] : [[not, `${pointer}/not`] as const]),
  ];
  const problems = parts.flatMap(([part, at]) => conditionProblems(part, scope, at, isSound));
  if (fact === undefined || !isSound(pointer)) return problems;
  // The schema accepted it and it has a fact, so it is a comparison.
  const comparison = node as Comparison;
  const problem = namedValueProblem(comparison.value, scope, pointer, (value) =>
    comparisonProblem({ ...comparison, value }, scope, pointer),
  );
  return problem === undefined ? problems : [...problems, problem];
}

/** The placeholders of a message that name no fact. */
function messageProblems(event: unknown, { stage, declarations }: Scope, pointer: string, isSound: IsSound): Problem[] {
  const { message } = membersOf(membersOf(event)['params']);
  if (!declarations.hasPlaceholders || typeof message !== 'string' || !isSound(pointer)) return [];
  return placeholdersIn(message).flatMap(({ fact, path }) => {
    const entry = lookUp(fact, path, stage, declarations);
    if (typeof entry !== 'string') return [];
    return { code: 'UNKNOWN_FACT' as const, pointer, message: `the placeholder {${fullPath(fact, path)}}: ${entry}` };
  });
}

/** Finds the problems that a schema can not express, in the parts of a document that the schema accepted. */
function meaningProblems(document: unknown, declarations: Declarations, isSound: IsSound): Problem[] {
  const problems: Problem[] = [];
  const scope: Scope = { stage: stageOf(document), declarations };
  for (const [i, resource] of itemsOf(valueAt(document, '/target/resources')).entries()) {
    if (typeof resource !== 'string' || !isSound(`/target/resources/${i}`)) continue;
    const canonical = canonicalResource(resource);
    if (!canonical.ok)
      problems.push({ code: 'BAD_RESOURCE', pointer: `/target/resources/${i}`, message: canonical.message });
  }
  const actions = itemsOf(valueAt(document, '/target/actions'));
  const names = new Set<unknown>();
  const sizeOf = sizer(declarations.terms);
  let expanded = 0;
  for (const [i, rule] of itemsOf(valueAt(document, '/rules')).entries()) {
    const pointer = `/rules/${i}`;
    const { name, conditions, event, budget } = membersOf(rule);
    if (budget !== undefined && scope.stage === 'enforce' && isSound(`${pointer}/budget`))
      // The schema accepted it.
      problems.push(...budgetProblems(budget as Budget, membersOf(event)['type'], scope, pointer));
    if (name !== undefined && names.has(name)) {
      problems.push({
        code: 'DUPLICATE_RULE',
        pointer: `${pointer}/name`,
        message: `the name ${shown(name)} is used twice`,
      });
    }
    names.add(name);
    if (membersOf(event)['type'] === 'ALLOW' && actions.includes('unknown')) {
      const message = 'no ALLOW matches the action unknown: put this rule into a policy whose target does not name it';
      problems.push({ code: 'ALLOW_OF_UNKNOWN', pointer: `${pointer}/event/type`, message });
    }
    problems.push(...messageProblems(event, scope, `${pointer}/event/params/message`, isSound));
    problems.push(...escalationProblems(event, `${pointer}/event/params`, isSound));
    const at = `${pointer}/conditions`;
    if (conditions !== undefined && isSound(at)) {
      // The schema accepted them.
      const size = sizeOf(conditions as WrittenCondition);
      const tooLarge = size.nesting === 0 ? [] : sizeProblem(size, at);
      problems.push(...tooLarge);
      if (size.nesting > 0) expanded += size.comparisons;
      // A condition that is too large is not searched.
      if (tooLarge.length > 0) continue;
    }
    problems.push(...conditionProblems(conditions, scope, at, isSound));
  }
  if (expanded > EXPANDED_LIMITS.policy) {
    const message = `come to more than ${EXPANDED_LIMITS.policy.toLocaleString('en')} comparisons when their names are replaced: use several policies`;
    problems.push({ code: 'TOO_LARGE', pointer: '/rules', message });
  }
  return problems;
}

/** A lifetime that is out of bounds, which a pattern can't check, and more approvers than are named. */
function escalationProblems(event: unknown, pointer: string, isSound: IsSound): Problem[] {
  const { ttl, approvers } = membersOf(membersOf(event)['params']);
  const { keys, tags, atLeast } = membersOf(approvers);
  const problems = ttlProblems(ttl, `${pointer}/ttl`, isSound);
  const named = itemsOf(keys).length;
  if (tags === undefined && typeof atLeast === 'number' && atLeast > named && isSound(`${pointer}/approvers`)) {
    const message = `nobody can approve: it demands ${atLeast} approvers, and ${named} ${named === 1 ? 'key is' : 'keys are'} named`;
    problems.push({ code: 'BAD_VALUE', pointer: `${pointer}/approvers/atLeast`, message });
  }
  return problems;
}

function ttlProblems(ttl: unknown, pointer: string, isSound: IsSound): Problem[] {
  if (typeof ttl !== 'string' || !isSound(pointer)) return [];
  const ttlMs = parseDuration(ttl) ?? Number.NaN;
  const [leastMs, mostMs] = [parseDuration(RULE_TTL.min) ?? 0, parseDuration(RULE_TTL.max) ?? 0];
  if (ttlMs >= leastMs && ttlMs <= mostMs) return [];
  return [{ code: 'BAD_VALUE', pointer, message: `must be from ${RULE_TTL.min} to ${RULE_TTL.max}` }];
}

const validator = compileSchema<Policy>(PolicySchema);

const COMPARISON = ['fact', 'path', 'operator', 'value'];

export function schemaProblems(
  document: unknown,
  errors: readonly ErrorObject[],
  declarations: Declarations,
): Problem[] {
  const reported = withoutEchoes(errors.filter((error) => !isNoise(error)));
  const isStranger = (error: ErrorObject): boolean => error.keyword === 'additionalProperties';
  const isBareComparison = (error: ErrorObject): boolean =>
    error.instancePath.endsWith('/conditions') && COMPARISON.includes(String(error.params['additionalProperty']));
  // An unknown member, or another type, already explains why the expected members are missing.
  const strange = new Set(
    reported
      .filter((error) => error.keyword === 'type' || (isStranger(error) && !isBareComparison(error)))
      .map((error) => error.instancePath),
  );
  const problems = reported
    .filter((error) => error.keyword !== 'oneOf' || !strange.has(error.instancePath))
    .filter((error) => !isStranger(error) || !isBareComparison(error) || strange.has(error.instancePath))
    .map((error) => problemOf(document, error, declarations));
  return [...new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem])).values()];
}

/** Checks one parsed policy document and reports all problems. @param declarations of the set that the policy belongs to */
export function checkPolicy(document: unknown, declarations: Declarations): Checked<Policy> {
  const validate = validator();
  if (validate(document)) {
    const problems = meaningProblems(document, declarations, () => true);
    return problems.length === 0 ? { ok: true, item: document } : { ok: false, problems };
  }
  const problems = schemaProblems(document, validate.errors ?? [], declarations);
  return { ok: false, problems: [...problems, ...meaningProblems(document, declarations, soundness(problems))] };
}
