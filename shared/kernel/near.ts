// "Did you mean": finds the known name that is nearest to an unknown one.
import damerauLevenshtein from 'damerau-levenshtein';

/** Longer unknown names get no suggestion: no known name is as long, and the comparison takes quadratic time. */
const MAX_NAME_LENGTH = 128;
/** Share of the characters that may differ. Two swapped letters count as one difference: `tiem` is near `time`. */
const MAX_DIFFERENT_SHARE = 1 / 3;
/** A shorter prefix fits too many names. */
const MIN_PREFIX_LENGTH = 4;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that the writer of `name` most likely meant: equal but for case and punctuation, else the nearest by
 * Damerau-Levenshtein distance (at most a third of the characters), else one that is a prefix of it or begins with it.
 * @returns undefined when none is near; the first of several that are equally near
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const wanted = plain(name);
  const same = wanted === '' ? undefined : known.find((other) => plain(other) === wanted);
  if (same !== undefined) return same;
  const begins = (whole: string, part: string): boolean => part.length >= MIN_PREFIX_LENGTH && whole.startsWith(part);
  let best: string | undefined;
  let least = Math.floor(name.length * MAX_DIFFERENT_SHARE) + 1;
  for (const other of known) {
    const { steps } = damerauLevenshtein(name.toLowerCase(), other.toLowerCase());
    if (steps < least) [best, least] = [other, steps];
  }
  return best ?? known.find((other) => begins(plain(other), wanted) || begins(wanted, plain(other)));
}

/** `; did you mean "level"?`, or an empty text when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
}
