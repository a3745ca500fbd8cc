// RFC 8785 (JSON Canonicalization Scheme): the unique canonical text of a JSON value, so that hashes agree everywhere.

const PLAIN = /^[\u0020-\u0021\u0023-\u005b\u005d-\u007e]*$/;

/** A JSON string literal as specified in RFC 8785 section 3.2.2.2. @throws {TypeError} on a lone surrogate. */
export function canonicalString(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError('a lone surrogate cannot be canonicalized');
  return JSON.stringify(value);
}

/**
 * The canonical JSON text of a value (RFC 8785): members sorted by UTF-16 code units, numbers as ECMAScript prints them, no white space.
 * @throws {TypeError} on values that JSON can not express: NaN, infinities, undefined, functions, symbols, BigInt, lone surrogates, holes
 * in arrays, objects that are neither plain nor arrays, cycles.
 */
export function canonicalize(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, ancestors: object[]): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
      return Object.is(value, -0) ? '0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw new TypeError(`${typeof value} is not JSON`);
  }
  if (value === null) return 'null';
  if (ancestors.includes(value)) throw new TypeError('a cycle is not JSON');
  ancestors.push(value);
  const text = Array.isArray(value) ? writeArray(value, ancestors) : writeObject(value, ancestors);
  ancestors.pop();
  return text;
}

function writeArray(value: readonly unknown[], ancestors: object[]): string {
  let text = '[';
  for (let i = 0; i < value.length; i += 1) text += (i === 0 ? '' : ',') + write(value[i], ancestors);
  return `${text}]`;
}

function writeObject(value: object, ancestors: object[]): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('only plain objects are JSON');
  const members = value as Record<string, unknown>;
  let text = '{';
  let first = true;
  // Array.prototype.sort without a comparison function sorts by UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  for (const key of Object.keys(members).sort()) {
    text += `${first ? '' : ','}${canonicalString(key)}:${write(members[key], ancestors)}`;
    first = false;
  }
  return `${text}}`;
}
