// The order of texts.

/** Compares by code units, which gives the same order on every machine. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
