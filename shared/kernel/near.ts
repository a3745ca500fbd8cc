// "Did you mean": the known name that is nearest to an unknown one.

/** Longer names get no suggestion: no known name is as long, and the distance takes quadratic time. */
const LONGEST = 128;

/** Number of characters added, removed, replaced or swapped with their neighbour (optimal string alignment distance). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Shortest prefix that counts as an abbreviation. */
const MIN_PREFIX = 4;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that `name` most likely means: equal but for case and punctuation, within an edit distance of a third of
 * its length, or with it as a prefix. Undefined: none is near. Of equally near names the first.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  const same = wanted === '' ? undefined : known.find((other) => plain(other) === wanted);
  if (same !== undefined) return same;
  const begins = (whole: string, part: string): boolean => part.length >= MIN_PREFIX && whole.startsWith(part);
  let best: string | undefined;
  let least = Math.floor(name.length / 3) + 1;
  for (const other of known) {
    const distance = editDistance(name.toLowerCase(), other.toLowerCase());
    if (distance < least) [best, least] = [other, distance];
  }
  return best ?? known.find((other) => begins(plain(other), wanted) || begins(wanted, plain(other)));
}

/** `; did you mean "level"?`, or nothing when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
}
