// What is wrong with one policy document: the published schema first, then the vocabulary, types and resources.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { pointerToken } from '../json.ts';
import { accepts, OPERATORS } from './operators.ts';
import { canonicalResource } from './resource.ts';
import { PolicySchema } from './schema.ts';
import type { Comparison, Condition, Policy, PolicyStage } from './schema.ts';
import type { FindingCode } from './types.ts';
import { fullPath, lookUp } from './vocabulary.ts';

/** A finding without its file and position. */
export interface Problem {
  readonly code: FindingCode;
  readonly pointer: string;
  readonly message: string;
}
export type Checked =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly problems: Problem[] };

/** The value that a pointer of Ajv names. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

function stageOf(document: unknown): PolicyStage {
  return valueAt(document, '/stage') === 'intake' ? 'intake' : 'enforce';
}

/** What the vocabulary says of the comparison around a `fact` or `path` that the schema refused. */
function factProblem(document: unknown, pointer: string): string | undefined {
  const around = pointer.slice(0, pointer.lastIndexOf('/'));
  const fact = valueAt(document, `${around}/fact`);
  const path = valueAt(document, `${around}/path`);
  if (typeof fact !== 'string' || (path !== undefined && typeof path !== 'string')) return undefined;
  const entry = lookUp(fact, path, stageOf(document));
  return typeof entry === 'string' ? entry : undefined;
}

function problemOf(document: unknown, error: ErrorObject): Problem {
  const pointer = error.instancePath;
  const inCondition = /^\/rules\/\d+\/conditions/.test(pointer);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      return { code: 'SCHEMA', pointer: pointer + pointerToken(key), message: `unknown member ${JSON.stringify(key)}` };
    }
    case 'required': {
      const key = String(params.missingProperty);
      const isPath = inCondition && key === 'path';
      const message =
        (isPath ? factProblem(document, `${pointer}/path`) : undefined) ??
        `the member ${JSON.stringify(key)} is missing`;
      return { code: isPath ? 'UNKNOWN_FACT' : 'SCHEMA', pointer, message };
    }
    case 'oneOf':
      return {
        code: 'SCHEMA',
        pointer,
        message: 'must have exactly one of all, any, not; or fact, operator and value',
      };
    case 'minItems':
      return { code: 'SCHEMA', pointer, message: 'must not be empty' };
    case 'not':
      return { code: 'SCHEMA', pointer, message: "is the service's own" };
    default:
  }
  if (inCondition && /\/(fact|path)$/.test(pointer)) {
    return {
      code: 'UNKNOWN_FACT',
      pointer,
      message: factProblem(document, pointer) ?? error.message ?? 'is not known',
    };
  }
  if (inCondition && error.keyword === 'enum' && pointer.endsWith('/operator')) {
    const known = [...OPERATORS.keys()].join(', ');
    return {
      code: 'UNKNOWN_OPERATOR',
      pointer,
      message: `there is no operator ${JSON.stringify(valueAt(document, pointer))}; known are ${known}`,
    };
  }
  if (pointer.endsWith('/params/obligations'))
    return { code: 'SCHEMA', pointer, message: 'only DEGRADE has obligations' };
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
  return { code: 'SCHEMA', pointer, message: `${error.message ?? 'is not what the schema says'}${allowed}` };
}

/** Ajv also reports the keywords around a failure, which say nothing more. */
function isNoise(error: ErrorObject): boolean {
  return error.keyword === 'if' || /\/oneOf\/\d+\//.test(error.schemaPath);
}

function comparisonProblem(comparison: Comparison, stage: PolicyStage, pointer: string): Problem | undefined {
  const entry = lookUp(comparison.fact, comparison.path, stage);
  const pathPointer = `${pointer}/${comparison.path === undefined ? 'fact' : 'path'}`;
  if (typeof entry === 'string') return { code: 'UNKNOWN_FACT', pointer: pathPointer, message: entry };
  const operator = OPERATORS.get(comparison.operator);
  if (operator === undefined)
    return { code: 'UNKNOWN_OPERATOR', pointer: `${pointer}/operator`, message: 'is not known' };
  const path = fullPath(comparison.fact, comparison.path);
  if (!accepts(operator, entry.type) || (operator.name === 'isPresent' && entry.openInPattern === true)) {
    const usable = [...OPERATORS.values()].filter((other) => accepts(other, entry.type)).map((other) => other.name);
    const message = `${operator.name} can't be used on ${path} (${entry.type}); usable are ${usable.join(', ')}`;
    return { code: 'OPERATOR_MISUSED', pointer: `${pointer}/operator`, message };
  }
  const wrong = operator.valueProblem(comparison.value) ?? typeProblem(comparison, entry.type, entry.values);
  return wrong === undefined ? undefined : { code: 'BAD_VALUE', pointer: `${pointer}/value`, message: wrong };
}

const COMPARED_AS: Readonly<Record<string, string>> = {
  string: 'string',
  strings: 'string',
  number: 'number',
  minutes: 'number',
  boolean: 'boolean',
};
const COMPARES_PARTS = new Set([
  'startsWith',
  'endsWith',
  'withinHours',
  'isPresent',
  'amountAbove',
  'matchesResource',
  'before',
  'after',
]);

/** Whether the compared values are of the fact's own type, and from its closed list when it has one. */
function typeProblem(comparison: Comparison, type: string, values: readonly string[] | undefined): string | undefined {
  const wanted = COMPARED_AS[type];
  if (wanted === undefined || COMPARES_PARTS.has(comparison.operator)) return undefined;
  const items: readonly unknown[] = Array.isArray(comparison.value) ? comparison.value : [comparison.value];
  if (items.some((item) => typeof item !== wanted))
    return `must be ${wanted === 'number' ? 'a number' : `a ${wanted}`}, as the fact is`;
  const stranger = values === undefined ? undefined : items.find((item) => !values.some((value) => value === item));
  return stranger === undefined ? undefined : `${JSON.stringify(stranger)} is not one of ${values?.join(', ')}`;
}

function conditionProblems(condition: Condition, stage: PolicyStage, pointer: string): Problem[] {
  if ('not' in condition) return conditionProblems(condition.not, stage, `${pointer}/not`);
  if ('all' in condition)
    return condition.all.flatMap((part, i) => conditionProblems(part, stage, `${pointer}/all/${i}`));
  if ('any' in condition)
    return condition.any.flatMap((part, i) => conditionProblems(part, stage, `${pointer}/any/${i}`));
  const problem = comparisonProblem(condition, stage, pointer);
  return problem === undefined ? [] : [problem];
}

/** What a schema can't say. */
function meaningProblems(policy: Policy): Problem[] {
  const problems: Problem[] = [];
  for (const [i, resource] of policy.target.resources.entries()) {
    const canonical = canonicalResource(resource);
    if (!canonical.ok)
      problems.push({ code: 'BAD_RESOURCE', pointer: `/target/resources/${i}`, message: canonical.message });
  }
  const names = new Set<string>();
  for (const [i, rule] of policy.rules.entries()) {
    const pointer = `/rules/${i}`;
    if (names.has(rule.name)) {
      problems.push({
        code: 'DUPLICATE_RULE',
        pointer: `${pointer}/name`,
        message: `the name ${JSON.stringify(rule.name)} is used twice`,
      });
    }
    names.add(rule.name);
    if (rule.event.type === 'ALLOW' && policy.target.actions.includes('unknown')) {
      const message = 'no ALLOW matches the action unknown: put this rule into a policy whose target does not name it';
      problems.push({ code: 'ALLOW_OF_UNKNOWN', pointer: `${pointer}/event/type`, message });
    }
    problems.push(...conditionProblems(rule.conditions, policy.stage, `${pointer}/conditions`));
  }
  return problems;
}

type Validator = ValidateFunction<Policy>;
/** Compiled when it is first needed, then kept: it depends on nothing but the schema, and takes longer than most loads. */
let compiled: Validator | undefined;

function validator(): Validator {
  // The schema refines types that its other parts declare, which Ajv's strict types would call missing.
  compiled ??= new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
  }).compile<Policy>(PolicySchema);
  return compiled;
}

/** Checks one parsed policy document. */
export function checkPolicy(document: unknown): Checked {
  const validate = validator();
  if (validate(document)) {
    const problems = meaningProblems(document);
    return problems.length === 0 ? { ok: true, policy: document } : { ok: false, problems };
  }
  const problems = (validate.errors ?? [])
    .filter((error) => !isNoise(error))
    .map((error) => problemOf(document, error));
  const once = new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem]));
  return { ok: false, problems: [...once.values()] };
}
