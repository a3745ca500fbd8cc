// The canonical layout of a file of a policy folder: members in the order of its schema, two spaces, short values on one line.
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { type Json, JsonError, memberOf, objectOf, parseJson } from '../../shared/kernel/json.ts';
import { prettyJson } from '../../shared/kernel/pretty-json.ts';

/** A JSON Schema of which only names and nesting of members are read. */
export type Schema = unknown;

/** Keywords whose schemas apply to the same value. */
const ALTERNATIVES = ['oneOf', 'anyOf', 'allOf'];
const BRANCHES = ['if', 'then', 'else'];
/** `#/$defs/condition` */
const LOCAL_REF = /^#\/\$defs\/(.+)$/;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A schema and those that apply to the same value, without repetition: conditions refer to themselves. */
function applying(schema: Schema, root: Schema, seen = new Set<Schema>()): ReadonlySet<Schema> {
  if (objectOf(schema) === undefined || seen.has(schema)) return seen;
  seen.add(schema);
  const ref = memberOf(schema, '$ref');
  const [, name] = LOCAL_REF.exec(typeof ref === 'string' ? ref : '') ?? [];
  if (name !== undefined) applying(memberOf(memberOf(root, '$defs'), name), root, seen);
  for (const keyword of ALTERNATIVES) for (const one of listOf(memberOf(schema, keyword))) applying(one, root, seen);
  for (const keyword of BRANCHES) applying(memberOf(schema, keyword), root, seen);
  return seen;
}

/** The schemas of a member or an item, in all schemas that apply to the value that has it. */
function below(schemas: ReadonlySet<Schema>, root: Schema, pick: (schema: Schema) => unknown): ReadonlySet<Schema> {
  const found = new Set<Schema>();
  for (const schema of schemas) applying(pick(schema), root, found);
  return found;
}

function memberSchemas(schemas: ReadonlySet<Schema>, root: Schema, name: string): ReadonlySet<Schema> {
  const named = below(schemas, root, (schema) => memberOf(memberOf(schema, 'properties'), name));
  if (named.size > 0) return named;
  const free = new Set(below(schemas, root, (schema) => memberOf(schema, 'additionalProperties')));
  for (const schema of schemas)
    for (const pattern of Object.values(objectOf(memberOf(schema, 'patternProperties')) ?? {}))
      applying(pattern, root, free);
  return free;
}

/** Members that a schema names come first, in its order; names that an author chose keep theirs. */
function orderedMembers(value: Json, schemas: ReadonlySet<Schema>): readonly string[] {
  const known = new Set<string>();
  for (const schema of schemas)
    for (const name of Object.keys(objectOf(memberOf(schema, 'properties')) ?? {})) known.add(name);
  const names = Object.keys(value);
  return [...[...known].filter((name) => Object.hasOwn(value, name)), ...names.filter((name) => !known.has(name))];
}

function ordered(value: unknown, schemas: ReadonlySet<Schema>, root: Schema): unknown {
  if (Array.isArray(value)) {
    const items = below(schemas, root, (schema) => memberOf(schema, 'items'));
    return value.map((item) => ordered(item, items, root));
  }
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    orderedMembers(object, schemas).map((name) => [
      name,
      ordered(object[name], memberSchemas(schemas, root, name), root),
    ]),
  );
}

/** Characters that an editor does not show or that change the direction of a text: escaped, as their author probably wrote them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapedCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
    .join('');

/** Whether two texts have the same value. */
function isSame(text: string, value: unknown): boolean {
  try {
    return canonicalize(parseJson(text)) === canonicalize(value);
  } catch (error) {
    // A number such as 1e17 is refused in its usual notation.
    if (error instanceof JsonError) return false;
    throw error;
  }
}

/**
 * The text of a file in its canonical layout; the same text where the layout could not keep its value. So the digest of the set does not
 * change.
 * @param schema undefined for a file of an unknown kind, whose members keep their order
 * @throws {JsonError}
 */
export function formatted(text: string, schema: Schema): string {
  const value = parseJson(text);
  const result = ordered(value, applying(schema, schema), schema);
  const written = typeof result === 'object' && result !== null ? prettyJson(result) : `${JSON.stringify(result)}\n`;
  // Outside of strings only the line breaks of the layout are such characters.
  const laidOut = written.replace(INVISIBLE, (character) =>
    character === '\n' ? character : escapedCharacter(character),
  );
  return isSame(laidOut, value) ? laidOut : text;
}
