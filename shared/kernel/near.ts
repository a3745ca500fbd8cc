// "Did you mean": finds the known name that is nearest to an unknown one.
import { distance } from 'fastest-levenshtein';

/** Longer unknown names get no suggestion: no known name is longer, and the comparison costs time. */
const MAX_NAME_LENGTH = 128;
/** Share of the characters that may differ. Two swapped letters cost 2, so a name of five letters must allow 2. */
const MAX_DIFFERENT_SHARE = 0.4;

/** A shorter prefix fits too many names. */
const MIN_PREFIX_LENGTH = 4;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that the writer of `name` most likely meant: equal but for case and punctuation, else the nearest by
 * Levenshtein distance (at most 40 % of the characters), else one that is a prefix of it or begins with it.
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
    const apart = distance(name.toLowerCase(), other.toLowerCase());
    if (apart < least) [best, least] = [other, apart];
  }
  return best ?? known.find((other) => begins(plain(other), wanted) || begins(wanted, plain(other)));
}

/** `; did you mean "level"?`, or an empty text when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
}
