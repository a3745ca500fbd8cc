// Statistics, reproducible random numbers and text tables, which the measurements share.

/** The value at a share of sorted values: 0.5 is the median, 1 the maximum; 0 without values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Numbers from 0 to below 1, the same in every run: a linear congruential generator (constants of Numerical Recipes). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Puts items into another order (Fisher and Yates). */
export function shuffle<T>(items: T[], random: () => number): void {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [items[at], items[other]];
    if (a === undefined || b === undefined) continue;
    items[at] = b;
    items[other] = a;
  }
}

/** Aligns cells in columns: the first column to the left, the others to the right. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
