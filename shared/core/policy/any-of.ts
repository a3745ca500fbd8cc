// Several values of one fact, of which any may make a comparison hold: what a path with `[]` leads to.

/** The values of all items; undefined for an item without one. */
export class AnyOf {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** A value as plain JSON, for people. */
export function plainValue(value: unknown): unknown {
  return value instanceof AnyOf ? value.values.map((one) => one ?? null) : value;
}
