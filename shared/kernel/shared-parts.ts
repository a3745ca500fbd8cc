// Makes the generated code of a schema's validator small: equal lists and objects of the schema become one definition each.
import type { TSchema } from 'typebox';

type Json = Readonly<Record<string, unknown>>;

/** Members whose value is a schema, and members whose members are schemas. Others, such as `anyOf`, stay as they are: see below. */
const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties']);
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
/** They do not change what is valid. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'examples', 'title', '$comment']);
/** A check of less than this is shorter than a call. */
const LEAST_CHARACTERS = 100;
const PREFIX = 'part';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same schema with each of its parts replaced. The parts of the result are those of `change`. */
function mapParts(schema: Json, change: (part: Json) => unknown): Json {
  const changed = (part: unknown): unknown => (isObject(part) ? change(part) : part);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (ONE.has(key)) return [key, changed(value)];
      if (!BY_NAME.has(key) || !isObject(value)) return [key, value];
      return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, changed(part)]))];
    }),
  );
}

const bare = (schema: Json): Json =>
  Object.fromEntries(Object.entries(mapParts(schema, bare)).filter(([key]) => !ANNOTATIONS.has(key)));

/**
 * An equivalent schema in which lists and objects that occur more than once are definitions. Ajv writes the code of a part wherever it occurs,
 * and that of the lexicon's lists of words was a megabyte: with 0.4, a process that checks a lexicon is ready with 60 to 90 ms less processor time.
 * Errors have the same place, keyword and order; their `schemaPath` begins at the definition. Parts within alternatives (`anyOf`, `oneOf`,
 * `if`) are not shared: the path tells which alternative an error is of.
 */
export function withSharedParts(schema: TSchema): TSchema {
  const root: unknown = JSON.parse(JSON.stringify(schema));
  if (!isObject(root) || '$defs' in root) return schema;
  const counts = new Map<string, number>();
  const nameOf = (part: Json): string | undefined => {
    if (part['type'] !== 'array' && part['type'] !== 'object') return undefined;
    const text = JSON.stringify(bare(part));
    return text.length < LEAST_CHARACTERS ? undefined : text;
  };
  const count = (part: Json): Json => {
    const name = nameOf(part);
    const known = name === undefined ? 0 : (counts.get(name) ?? 0);
    if (name !== undefined) counts.set(name, known + 1);
    // The parts of a shared part are written once.
    return known > 0 ? part : mapParts(part, count);
  };
  mapParts(root, count);
  const definitions = new Map<string, { readonly name: string; readonly part: Json }>();
  const share = (part: Json): Json => {
    const text = nameOf(part);
    if (text === undefined || (counts.get(text) ?? 0) < 2) return mapParts(part, share);
    let known = definitions.get(text);
    if (known === undefined) {
      known = { name: `${PREFIX}${definitions.size}`, part: {} };
      definitions.set(text, known);
      definitions.set(text, (known = { ...known, part: mapParts(bare(part), share) }));
    }
    return { $ref: `#/$defs/${known.name}` };
  };
  const shared = mapParts(root, share);
  if (definitions.size === 0) return schema;
  return { ...shared, $defs: Object.fromEntries([...definitions.values()].map(({ name, part }) => [name, part])) };
}
