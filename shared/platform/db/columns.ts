// How many rows travel to Postgres in one statement.
import { Buffer } from 'node:buffer';

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

/** Larger columns are left to textColumn, so that one large request does not occupy memory for ever. */
const MAX_KEPT_BYTES = 2 * 1_048_576;
const LINE_FEED = 0x0a;

/**
 * As textColumn, for columns of long values: the bytes, which are the same parameter to Postgres, in memory that is
 * used again. Joined texts of this size live as long as their statement and then wait for a full garbage collection;
 * they made half of the heap.
 * What a call returns is overwritten by the next one: only for callers that have one statement under way at a time.
 */
export function createColumnWriter(): (values: readonly string[]) => string | Buffer {
  let bytes = Buffer.allocUnsafeSlow(65_536);
  return (values) => {
    let units = values.length;
    for (const value of values) units += value.length;
    // UTF-8 has at most three bytes for a UTF-16 code unit.
    if (3 * units > MAX_KEPT_BYTES) return textColumn(values);
    if (3 * units > bytes.length) bytes = Buffer.allocUnsafeSlow(3 * units);
    let end = 0;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] as string;
      if (value.includes('\n')) throw new Error('a column value holds a line feed');
      if (i > 0) bytes[end++] = LINE_FEED;
      end += bytes.write(value, end);
    }
    return bytes.subarray(0, end);
  };
}
