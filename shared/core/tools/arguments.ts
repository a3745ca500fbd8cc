// Values inside the arguments of a call: where a path or a JSON Pointer leads. Own members only; a path is never run as code.

/** One member on the way to a value; `every`: the member is a list, and the way goes on in each of its items. */
export interface Step {
  readonly name: string;
  readonly every: boolean;
}

/** A member of a plain object, or an item of a list by its index; undefined for inherited members and other values. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(name) ? (value[Number(name)] as unknown) : undefined;
  // Object.hasOwn has shown that the member exists.
  return (value as Record<string, unknown>)[name];
}

/** All values that the steps lead to: one without an `every`, else one for each item. Undefined and null stand for missing values. */
export function valuesAt(root: unknown, steps: readonly Step[]): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const { name, every } of steps) {
    found = found.flatMap((value) => {
      const member = memberOf(value, name);
      return every && Array.isArray(member) ? (member as readonly unknown[]) : [every ? undefined : member];
    });
  }
  return found;
}

const EVERY = '[]';

/** One step as it is written: `items[]` goes into each item. */
export function stepOf(written: string): Step {
  return written.endsWith(EVERY)
    ? { name: written.slice(0, -EVERY.length), every: true }
    : { name: written, every: false };
}

/** Reads a JSON Pointer without its first slash (`to/0/address`, `paths[]`). @returns undefined when it is none */
export function stepsOfPointer(pointer: string): readonly Step[] | undefined {
  if (/~(?![01])/.test(pointer)) return undefined;
  const steps = pointer.split('/').map((token) => stepOf(token.replaceAll('~1', '/').replaceAll('~0', '~')));
  return steps.some(({ name }) => name === '') ? undefined : steps;
}
