// JSON values: a strict deep copy, and the canonical form (RFC 8785, JCS).
import { sha256, toHex } from './sha256.ts';

/** The service refuses deeper JSON. Also ends the copy of a value that contains itself. */
const MAX_DEPTH = 64;

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of an object from another realm is not this realm's, but has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * A deep copy of a JSON value. Members that are undefined are left out, as JSON.stringify does.
 * @throws {TypeError} on what JSON can't represent: other undefined values, functions, NaN, dates, class instances, lone surrogates
 */
export function copyJson(value: unknown, pointer = '', depth = 0): unknown {
  const refuse = (what: string): never => {
    throw new TypeError(`${pointer || 'the value'} ${what}, which JSON can not represent`);
  };
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value.isWellFormed() ? value : refuse('has a lone surrogate');
    case 'number':
      return Number.isFinite(value) ? value : refuse(`is ${value}`);
    case 'object':
      break;
    default:
      return refuse(`is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`);
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) return refuse(`has more than ${MAX_DEPTH} levels`);
  // Array.from also visits holes, which are then undefined.
  if (Array.isArray(value)) return Array.from(value, (element, i) => copyJson(element, `${pointer}/${i}`, depth + 1));
  if (!isPlainObject(value)) return refuse('is not a plain object');
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]: [string, unknown]) => [
      name.isWellFormed() ? name : refuse('has a member name with a lone surrogate'),
      copyJson(member, `${pointer}/${name}`, depth + 1),
    ]),
  );
}

/** The canonical JSON of a value. @throws {TypeError} as `copyJson` */
export function canonicalize(value: unknown): string {
  return canonicalText(copyJson(value));
}

/** The canonical JSON of a parsed JSON value. @throws {TypeError} on a lone surrogate */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate');
  // ECMAScript's own number and string serialisation is the one that RFC 8785 prescribes.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The default order compares UTF-16 code units, as section 3.2.3 wants.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalText(name)}:${canonicalText(member)}`).join(',')}}`;
}

/** `sha256:` and lower-case hex of a canonical text. */
export function digestOf(canonicalText: string): string {
  return `sha256:${toHex(sha256(new TextEncoder().encode(canonicalText)))}`;
}
