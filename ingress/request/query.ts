// Query and path parameters: strictly parsed, and converted to the types of their schema.
import { ApiError, type FieldError } from '../../shared/kernel/errors.ts';

type Plain = Readonly<Record<string, unknown>>;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * The parameters of a query string (without the question mark).
 * @throws {ApiError} E2001 for malformed percent-encoding and for a parameter that is given twice.
 */
export function parseQuery(query: string): Record<string, string> {
  const out: Record<string, string> = Object.create(null) as Record<string, string>;
  const errors: FieldError[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    const value = at === -1 ? '' : decode(pair.slice(at + 1));
    if (name === undefined || value === undefined)
      errors.push({ pointer: `?${name ?? ''}`, message: 'is not valid percent-encoded UTF-8' });
    else if (name in out) errors.push({ pointer: `?${name}`, message: 'must be given only once' });
    else if (value.includes('\u0000'))
      errors.push({ pointer: `?${name}`, message: 'must not contain the character U+0000' });
    else out[name] = value;
    if (errors.length === 20) break;
  }
  if (errors.length > 0)
    throw new ApiError('E2001', `The query string is invalid: ${errors[0]?.pointer} ${errors[0]?.message}.`, {
      errors,
    });
  return out;
}

function typeOf(schema: unknown): string {
  const type = (schema as Plain | undefined)?.['type'];
  return typeof type === 'string' ? type : 'string';
}

function coerce(value: string, type: string): unknown {
  if (type === 'integer' && INTEGER.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  if (type === 'number' && NUMBER.test(value) && Number.isFinite(Number(value))) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // Unchanged, so that the validator reports the expected type.
  return value;
}

/** Converts strings by the types of an object schema whose members are scalars, and adds defaults. */
export function coerceParameters(values: Readonly<Record<string, string>>, properties: Plain): Record<string, unknown> {
  // Without a prototype, `__proto__` is an ordinary name.
  const out = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values))
    out[name] = coerce(value, Object.hasOwn(properties, name) ? typeOf(properties[name]) : 'string');
  for (const [name, schema] of Object.entries(properties)) {
    const standard = (schema as Plain)['default'];
    if (standard !== undefined && !(name in out)) out[name] = standard;
  }
  return out;
}
