// Turns Ajv's errors into sentences that a caller can act on: the pointer of the wrong member, and what it must be.
import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../shared/kernel/errors.ts';
import { pointerToken } from '../../shared/kernel/json.ts';
import { NO_NUL, NOT_BLANK } from '../../shared/api/common.ts';
import { STRING_FORMATS } from '../../shared/api/formats.ts';

/** The most errors that an answer lists. */
export const MAX_FIELD_ERRORS = 20;

const count = (n: unknown, what: string): string => `${String(n)} ${what}${n === 1 ? '' : 's'}`;

const COMPARISON: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function formatMessage(error: ErrorObject): string {
  const format = STRING_FORMATS[String(error.params['format'])];
  return (
    (typeof error.data === 'string' && format?.problem(error.data)) || `must be a ${String(error.params['format'])}`
  );
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function typeMessage(types: readonly unknown[]): string {
  return `must be ${types.map((type) => TYPES[String(type)] ?? String(type)).join(' or ')}`;
}

/** Patterns with their own messages. */
const KNOWN_PATTERNS: Readonly<Record<string, string>> = {
  [NO_NUL]: 'must not contain the character U+0000',
  [NOT_BLANK]: 'must not be blank or contain the character U+0000',
};

/** The schema's description is added, because few readers understand a regular expression. */
function patternMessage(error: ErrorObject): string {
  const known = KNOWN_PATTERNS[String(error.params['pattern'])];
  if (known !== undefined) return known;
  const { description } = (error.parentSchema ?? {}) as { description?: unknown };
  const rule = `must match ${String(error.params['pattern'])}`;
  return typeof description === 'string' ? `${rule} (${description.replace(/\.$/, '')})` : rule;
}

/** Keywords that bound a number of things. */
const SIZES: Readonly<Record<string, readonly [bound: string, thing: string]>> = {
  minLength: ['at least', 'character'],
  maxLength: ['at most', 'character'],
  minItems: ['at least', 'item'],
  maxItems: ['at most', 'item'],
  minProperties: ['at least', 'member'],
  maxProperties: ['at most', 'member'],
};

function message(error: ErrorObject): string {
  const { params, keyword } = error;
  if (keyword === 'minLength' && params['limit'] === 1) return 'must not be empty';
  const size = SIZES[keyword];
  if (size !== undefined) return `must have ${size[0]} ${count(params['limit'], size[1])}`;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known here';
    case 'enum':
      return `must be one of ${list(params['allowedValues'] as unknown[])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'type':
      return typeMessage([params['type']].flat());
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${COMPARISON[String(params['comparison'])] ?? String(params['comparison'])} ${String(params['limit'])}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'pattern':
      return patternMessage(error);
    case 'uniqueItems': {
      const [first, second] = [Number(params['i']), Number(params['j'])];
      return `must not hold the same item twice (${Math.min(first, second)} and ${Math.max(first, second)})`;
    }
    case 'format':
      return formatMessage(error);
    case 'anyOf':
    case 'oneOf':
      return 'has none of the shapes that are allowed here';
    default:
      return error.message ?? 'is not valid';
  }
}

function pointer(error: ErrorObject): string {
  const name: unknown =
    error.params['missingProperty'] ?? error.params['additionalProperty'] ?? error.params['unevaluatedProperty'];
  return typeof name === 'string' ? error.instancePath + pointerToken(name) : error.instancePath;
}

/**
 * The errors of a union, in place of those of all its branches: the allowed values, when each branch is a value; the
 * errors of the only branch whose type fits, if there is exactly one; otherwise that no shape fits.
 */
function unionErrors(union: ErrorObject, inner: readonly ErrorObject[]): readonly ErrorObject[] {
  const isHere = (error: ErrorObject): boolean => error.instancePath === union.instancePath;
  const areOnly = (keywords: readonly string[]): boolean =>
    inner.every((error) => isHere(error) && keywords.includes(error.keyword));
  const valuesOf = ({ keyword, params }: ErrorObject): unknown[] =>
    keyword === 'const' ? [params['allowedValue']] : keyword === 'enum' ? (params['allowedValues'] as unknown[]) : [];

  const values = inner.filter(isHere).flatMap(valuesOf);
  if (values.length > 0 && areOnly(['const', 'enum', 'type']))
    return [{ ...union, keyword: 'enum', params: { allowedValues: [...new Set(values)] } }];

  const branches = new Map<string, ErrorObject[]>();
  for (const error of inner) {
    const branch = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  const fitting = [...branches.values()].filter((errors) => !errors.some((e) => e.keyword === 'type' && isHere(e)));
  if (fitting.length === 1) return fitting.flat();
  if (fitting.length === 0 && areOnly(['type'])) {
    const type = [...new Set(inner.flatMap((error) => error.params['type'] as string | string[]))];
    return [{ ...union, keyword: 'type', params: { type } }];
  }
  return [union];
}

/** Ajv reports a failed union as the errors of all its branches; this simplifies them. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let rest = [...errors];
  // Inner unions come before outer ones in Ajv's list, so outer ones are simplified last and see the result.
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const isInner = (error: ErrorObject): boolean =>
      error !== union &&
      error.schemaPath.startsWith(`${union.schemaPath}/`) &&
      error.instancePath.startsWith(union.instancePath);
    const inner = rest.filter(isInner);
    if (inner.length === 0 || !rest.includes(union)) continue;
    rest = [...rest.filter((error) => error !== union && !isInner(error)), ...unionErrors(union, inner)];
  }
  return rest;
}

/** The field errors of a body, at most 20, in the order of the document's schema. */
export function fieldErrors(
  errors: readonly ErrorObject[],
  place: (pointer: string) => string = (p) => p,
): FieldError[] {
  const out: FieldError[] = [];
  const seen = new Set<string>();
  // The error of `if` only repeats that of its branch.
  for (const error of withoutBranches(errors.filter((e) => e.keyword !== 'if'))) {
    const entry = { pointer: place(pointer(error)), message: message(error) };
    const id = `${entry.pointer}\n${entry.message}`;
    if (!seen.has(id)) out.push(entry);
    seen.add(id);
    if (out.length === MAX_FIELD_ERRORS) break;
  }
  return out;
}
