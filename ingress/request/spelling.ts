// Both spellings of the members of a request, snake_case and camelCase: where the schema has one, the other is accepted too.
import type { FieldError } from '../../shared/kernel/errors.ts';
import { pointerToken } from '../../shared/kernel/json.ts';

/** The spellings of a schema's members. Free-form objects have none, so their members stay as they are. */
export interface Spelling {
  /** The schema's names by their other spellings. */
  readonly names: Map<string, string>;
  /** Those of the members of members, by name. */
  readonly members: Map<string, Spelling>;
  /** Those of the items of an array. */
  items: Spelling | undefined;
}

/** The name in the other spelling: `agentId` for `agent_id`, and vice versa; undefined for a name of one word. */
export function otherSpelling(name: string): string | undefined {
  if (name.includes('_')) return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snake === name ? undefined : snake;
}

type Schema = Readonly<Record<string, unknown>>;

/** The schemas that a value of this schema may also have to match. */
function branchesOf({ anyOf, oneOf, allOf, then, else: otherwise }: Schema): Schema[] {
  // Schemas are written in shared/api with typebox.
  return [anyOf, oneOf, allOf, then, otherwise].flat().filter((branch) => branch !== undefined) as Schema[];
}

function add(schema: Schema, to: Spelling): void {
  // As above.
  const { properties = {}, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  for (const [name, member] of Object.entries(properties)) {
    const other = otherSpelling(name);
    if (other !== undefined && Object.hasOwn(properties, other))
      throw new Error(`${name} and ${other} are two members`);
    if (other !== undefined) to.names.set(other, name);
    const inner = to.members.get(name) ?? empty();
    add(member, inner);
    if (hasNames(inner)) to.members.set(name, inner);
  }
  if (items !== undefined) {
    const inner = to.items ?? empty();
    add(items, inner);
    if (hasNames(inner)) to.items = inner;
  }
  for (const branch of branchesOf(schema)) add(branch, to);
}

const empty = (): Spelling => ({ names: new Map(), members: new Map(), items: undefined });
const hasNames = ({ names, members, items }: Spelling): boolean =>
  names.size > 0 || members.size > 0 || items !== undefined;

/**
 * The spellings of a schema, a union's branches taken together; undefined when every member has one spelling.
 * @throws {Error} when an object has two members whose names differ only in the spelling
 */
export function spellingOf(schema: object): Spelling | undefined {
  const spelling = empty();
  // Typebox's types do not show the keywords.
  add(schema as Schema, spelling);
  return hasNames(spelling) ? spelling : undefined;
}

type Members = Record<string, unknown>;

/** The value of one member or item. Errors of what is inside it get its place in front of their pointers. */
function inside(value: unknown, token: string | number, spelling: Spelling, conflicts: FieldError[]): unknown {
  const before = conflicts.length;
  const out = respell(value, spelling, conflicts);
  for (let i = before; i < conflicts.length; i += 1) {
    const { pointer, message } = conflicts[i] as FieldError;
    conflicts[i] = { pointer: pointerToken(token) + pointer, message };
  }
  return out;
}

/** An object with the schema's names. A member that is there in both spellings keeps both. */
function renamed(object: Members, names: Spelling['names'], conflicts: FieldError[]): Members {
  const given = Object.keys(object);
  const entries = given.map((name): [string, unknown] => {
    const own = names.get(name);
    if (own === undefined) return [name, object[name]];
    if (!Object.hasOwn(object, own)) return [own, object[name]];
    const [first, second] = given.indexOf(own) < given.indexOf(name) ? [own, name] : [name, own];
    conflicts.push({
      pointer: pointerToken(second),
      message: `is the other spelling of ${first}, which is given too`,
    });
    return [name, object[name]];
  });
  return Object.fromEntries(entries);
}

/**
 * A value that was just parsed, with the schema's spelling of every member. It may be changed in place. Costs one look-up
 * for each member that the schema may have there.
 * @param conflicts receives an error for each member that is given in both spellings, at the one that comes second
 */
export function respell(value: unknown, spelling: Spelling, conflicts: FieldError[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { names, members, items } = spelling;
  if (Array.isArray(value)) {
    if (items !== undefined) for (const [i, item] of value.entries()) value[i] = inside(item, i, items, conflicts);
    return value;
  }
  // Parsed from JSON: neither null nor a list.
  const given = value as Members;
  const object = Object.keys(given).some((name) => names.has(name)) ? renamed(given, names, conflicts) : given;
  for (const [name, spellingInside] of members)
    if (Object.hasOwn(object, name)) object[name] = inside(object[name], name, spellingInside, conflicts);
  return object;
}
