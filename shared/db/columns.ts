// How many rows travel to Postgres in one statement.

/**
 * One column of many rows as one text, rows separated by line feeds; the statement takes it apart with
 * `string_to_array($n, E'\\n')`. In an array literal every quote of every JSON text would be escaped, which costs more
 * than the insert. No value may hold a line feed: JSON texts escape it and ids refuse it.
 * @throws {Error} when one does all the same: rows must never shift.
 */
export function textColumn(values: readonly string[]): string {
  for (const value of values) if (value.includes('\n')) throw new Error('a column value holds a line feed');
  return values.join('\n');
}
