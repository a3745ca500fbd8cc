// From Ajv's errors to sentences that a caller can act on: the pointer of the offending member, and what it must be.
import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../shared/kernel/errors.ts';
import { pointerToken } from '../../shared/kernel/json.ts';
import { NO_NUL, NOT_BLANK } from '../../shared/api/common.ts';
import { STRING_FORMATS } from '../../shared/api/formats.ts';

/** More than this helps nobody. */
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

/** Patterns that have words of their own. */
const KNOWN_PATTERNS: Readonly<Record<string, string>> = {
  [NO_NUL]: 'must not contain the character U+0000',
  [NOT_BLANK]: 'must not be blank or contain the character U+0000',
};

/** A regular expression explains nothing to most readers; the schema's own description does. */
function patternMessage(error: ErrorObject): string {
  const known = KNOWN_PATTERNS[String(error.params['pattern'])];
  if (known !== undefined) return known;
  const { description } = (error.parentSchema ?? {}) as { description?: unknown };
  const rule = `must match ${String(error.params['pattern'])}`;
  return typeof description === 'string' ? `${rule} (${description.replace(/\.$/, '')})` : rule;
}

function message(error: ErrorObject): string {
  const { params } = error;
  switch (error.keyword) {
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
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${count(params['limit'], 'character')}`;
    case 'maxLength':
      return `must have at most ${count(params['limit'], 'character')}`;
    case 'minItems':
      return `must have at least ${count(params['limit'], 'item')}`;
    case 'maxItems':
      return `must have at most ${count(params['limit'], 'item')}`;
    case 'minProperties':
      return `must have at least ${count(params['limit'], 'member')}`;
    case 'maxProperties':
      return `must have at most ${count(params['limit'], 'member')}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${COMPARISON[String(params['comparison'])] ?? String(params['comparison'])} ${String(params['limit'])}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'pattern':
      return patternMessage(error);
    case 'uniqueItems':
      return `must not hold the same item twice (${[params['i'], params['j']]
        .map(Number)
        .sort((a, b) => a - b)
        .join(' and ')})`;
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
 * A union's failure is reported by Ajv as the failures of all branches. Said instead: the values, when every branch is
 * one; the failures of the only branch whose type fits, when there is one; and else that no shape fits.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let rest = [...errors];
  // Inner unions come before outer ones in Ajv's list, so outer ones are simplified last and see the result.
  for (const union of errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')) {
    const prefix = `${union.schemaPath}/`;
    const inner = rest.filter(
      (e) => e !== union && e.schemaPath.startsWith(prefix) && e.instancePath.startsWith(union.instancePath),
    );
    if (inner.length === 0 || !rest.includes(union)) continue;
    const others = rest.filter((e) => e !== union && !inner.includes(e));
    const values = inner.flatMap((e) =>
      e.instancePath !== union.instancePath
        ? []
        : e.keyword === 'const'
          ? [e.params['allowedValue']]
          : e.keyword === 'enum'
            ? (e.params['allowedValues'] as unknown[])
            : [],
    );
    const branches = new Map<string, ErrorObject[]>();
    for (const e of inner) {
      const branch = e.schemaPath.slice(prefix.length).split('/', 1)[0] ?? '';
      branches.set(branch, [...(branches.get(branch) ?? []), e]);
    }
    const hereOnly = inner.every((e) => e.instancePath === union.instancePath);
    const fitting = [...branches.values()].filter(
      (b) => !b.some((e) => e.keyword === 'type' && e.instancePath === union.instancePath),
    );
    if (values.length > 0 && hereOnly && inner.every((e) => ['const', 'enum', 'type'].includes(e.keyword))) {
      rest = [...others, { ...union, keyword: 'enum', params: { allowedValues: [...new Set(values)] } }];
    } else if (fitting.length === 1 && fitting[0] !== undefined) {
      rest = [...others, ...fitting[0]];
    } else if (fitting.length === 0 && hereOnly && inner.every((e) => e.keyword === 'type')) {
      rest = [
        ...others,
        {
          ...union,
          keyword: 'type',
          params: { type: [...new Set(inner.flatMap((e) => e.params['type'] as string | string[]))] },
        },
      ];
    } else {
      rest = [...others, union];
    }
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
  // `if` only repeats what its branch said.
  for (const error of withoutBranches(errors.filter((e) => e.keyword !== 'if'))) {
    const entry = { pointer: place(pointer(error)), message: message(error) };
    const id = `${entry.pointer}\n${entry.message}`;
    if (!seen.has(id)) out.push(entry);
    seen.add(id);
    if (out.length === MAX_FIELD_ERRORS) break;
  }
  return out;
}
