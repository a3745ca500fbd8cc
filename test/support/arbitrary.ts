// fast-check arbitraries for a JSON Schema: valid values, and values made invalid at any place.
import fc from 'fast-check';

type Json = Record<string, unknown>;

/** Texts that are known to break services. */
const NASTY = [
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '\u0000',
  '\u001f',
  '\u202e',
  '\ufeff',
  '😀',
  'İ',
  'ﬀ',
  '%00',
  '%',
  '\\',
  '"',
  "'; DROP TABLE agent; --",
  '{{7*7}}',
  '${jndi:ldap://x}',
  '__proto__',
  'constructor',
  'toString',
  'custos:system',
  'a'.repeat(257),
  'é'.repeat(256),
  '\u0301'.repeat(64),
  '0',
  '-1',
  'NaN',
  '1e400',
  'null',
  'true',
  '[]',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '$.x',
  '$..*',
  '(((((((((((((((((',
  'a.b.c',
  'read:*',
  '*',
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 20 }),
);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    2 ** 31,
    2 ** 63,
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(Array.from({ length: 300 }, () => 0)),
);

/** Values of a schema, mostly valid ones. Of 10 values, `bent` are replaced by an arbitrary one. */
export function arbitraryOf(schema: unknown, document: Json, bent: number, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fittingOf(schema, document, bent, depth);
  return bent === 0
    ? fitting
    : fc.oneof({ weight: 30 - bent, arbitrary: fitting }, { weight: bent, arbitrary: anything });
}

function fittingOf(schema: unknown, document: Json, bent: number, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null) return anything;
  const s = schema as Json;
  const inner = (member: unknown): fc.Arbitrary<unknown> => arbitraryOf(member, document, bent, depth + 1);
  if (typeof s['$ref'] === 'string') return fittingOf(resolve(document, s['$ref']), document, bent, depth);
  const branches = (s['anyOf'] ?? s['oneOf']) as unknown[] | undefined;
  if (branches !== undefined) return fc.oneof(...branches.map(inner));
  if (Array.isArray(s['type'])) return fc.oneof(...s['type'].map((type: unknown) => inner({ ...s, type })));
  if ('const' in s) return fc.constant(s['const']);
  if (Array.isArray(s['enum'])) return fc.constantFrom(...(s['enum'] as unknown[]));
  const examples =
    Array.isArray(s['examples']) && s['examples'].length > 0 ? [fc.constantFrom(...(s['examples'] as unknown[]))] : [];
  switch (s['type']) {
    case 'string':
      return stringsOf(s, bent, examples);
    case 'integer':
      return fc.integer({
        min: Math.ceil(Number(s['minimum'] ?? -1_000)),
        max: Math.floor(Number(s['maximum'] ?? 1_000)),
      });
    case 'number':
      return fc.double({ min: Number(s['minimum'] ?? -1_000), max: Number(s['maximum'] ?? 1_000), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(s['items']), {
        minLength: Math.min(Number(s['minItems'] ?? 0), 3),
        maxLength: Math.min(Number(s['maxItems'] ?? 4), 4),
      });
    case 'object':
      return objectOf(s, document, bent, depth, examples);
    default:
      return depth > 6 ? fc.constant(1) : fc.oneof(...examples, anything);
  }
}

const timestamps = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
  .map((date) => date.toISOString());

/** Texts for a string schema: its examples, texts within its length limits and, if `bent` is set, hostile texts. */
function stringsOf(schema: Json, bent: number, examples: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  if (schema['format'] === 'date-time') return bent === 0 ? timestamps : fc.oneof(timestamps, text);
  if (bent > 0) return fc.oneof(...examples, stringOf(schema), text);
  // No text is generated for a pattern. The examples of the schema match it.
  return schema['pattern'] !== undefined && examples.length > 0
    ? fc.oneof(...examples)
    : fc.oneof(...examples, stringOf(schema));
}

function stringOf(schema: Json): fc.Arbitrary<unknown> {
  const max = Math.min(Number(schema['maxLength'] ?? 40), 40);
  return fc.string({ minLength: Math.min(Number(schema['minLength'] ?? 0), max), maxLength: max });
}

function objectOf(
  schema: Json,
  document: Json,
  bent: number,
  depth: number,
  examples: fc.Arbitrary<unknown>[],
): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Json);
  if (properties.length === 0) return fc.oneof(...examples, fc.dictionary(text, anything, { maxKeys: 4 }));
  const required = ((schema['required'] ?? []) as string[]).filter((name) => properties.some(([own]) => own === name));
  const shape = Object.fromEntries(
    properties.map(([name, member]) => [name, arbitraryOf(member, document, bent, depth + 1)]),
  );
  const proper = fc.record(shape, { requiredKeys: required });
  if (bent === 0) return proper;
  const surplus = fc.tuple(proper, text, anything).map(([value, name, extra]) => ({ ...value, [name]: extra }));
  const lacking = fc.record(shape, { requiredKeys: [] });
  return fc.oneof(
    { weight: 8, arbitrary: proper },
    { weight: 1, arbitrary: surplus },
    { weight: 1, arbitrary: lacking },
  );
}

function resolve(document: Json, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
