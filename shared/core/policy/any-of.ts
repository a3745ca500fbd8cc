// Values of a fact that are not plain JSON: several values at once, and a value that differs among the resources of one request.

/**
 * The value of a fact that differs among the resources that a request covers: every comparison with it holds for a part of them at most.
 */
export const PARTLY = Symbol('differs among the resources of the request');

/** What a path with `[]` leads to: the values of all items, of which any may make a comparison hold; undefined for an item without one. */
export class AnyOf {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** A value as plain JSON, for people. */
export function plainValue(value: unknown): unknown {
  if (value === PARTLY) return undefined;
  return value instanceof AnyOf ? value.values.map((one) => one ?? null) : value;
}
