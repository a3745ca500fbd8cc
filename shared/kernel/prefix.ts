// Range scans over texts with a common prefix.

/**
 * The upper bound (exclusive) of the range of texts that begin with a prefix, in the order of code points, which is the
 * order of UTF-8 bytes.
 * @param prefix not empty; the texts have at most 256 characters
 */
export function endOfPrefix(prefix: string): string {
  const points = [...prefix];
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0;
    // The code points after U+D7FF are surrogates, which text cannot hold.
    if (last < 0x10_ffff) return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
  return '\u{10ffff}'.repeat(257);
}
