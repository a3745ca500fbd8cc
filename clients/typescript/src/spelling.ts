// Spelling of members: callers use camelCase everywhere; some members of the service are in snake_case.
import { FREE_FORM } from './generated/members.ts';

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

const toCamelCase = (name: string): string =>
  SNAKE_CASE.test(name) ? name.replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()) : name;

const freeForm = new Set([...FREE_FORM, ...FREE_FORM.map(toCamelCase)]);

/** Renames members at every depth, but none inside free-form values. @throws {SyntaxError} when two members get one name */
function rename(value: unknown, nameOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => rename(element, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    nameOf(name),
    freeForm.has(name) ? (member as unknown) : rename(member, nameOf),
  ]);
  if (new Set(entries.map(([name]) => name)).size < entries.length) throw new SyntaxError('a member in two spellings');
  return Object.fromEntries(entries);
}

/** @param respelled the members that the service spells in snake_case */
export function toWire(value: unknown, respelled: readonly string[] = []): unknown {
  if (respelled.length === 0) return value;
  const names = new Map(respelled.map((name) => [toCamelCase(name), name]));
  return rename(value, (name) => names.get(name) ?? name);
}

/** @throws {SyntaxError} when a member is there in both spellings */
export function fromWire(value: unknown): unknown {
  return rename(value, toCamelCase);
}
