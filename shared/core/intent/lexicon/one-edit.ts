// Finds the word that a misspelt one is meant to be: one letter more, less or other, or two neighbours in the wrong order.

/** The word, and each with one letter left out: two words have one in common when they are one edit or transposition apart. */
export function shortened(word: string): string[] {
  const found = [word];
  for (let at = 0; at < word.length; at += 1) found.push(word.slice(0, at) + word.slice(at + 1));
  return found;
}

/** Whether two words differ by one edit or transposition. */
export function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}

const MAX_LENGTH = 20;
/** An edit leaves at least one end of a word as it was, so most other words need not be shortened. */
const END = 3;

/** Words of texts whose meaning is remembered; the same words occur again and again. */
const MAX_REMEMBERED = 20_000;

export interface NearWords {
  /** The listed word that this one is meant to be, with the same first letter. Undefined for short words and for listed ones. */
  meantBy(word: string): string | undefined;
}

/**
 * @param minLength of listed words that may be misspelt: shorter ones are too often one letter away from another word
 * @param minWritten the length of the shortest misspelling
 */
export function nearWords(words: Iterable<string>, minLength: number, minWritten = minLength): NearWords {
  const listed = new Set(words);
  const near = new Map<string, string[]>();
  const ends = new Set<string>();
  for (const word of listed) {
    if (word.length < minLength || word.includes(' ')) continue;
    ends.add(`${word.slice(0, END)}-`).add(`-${word.slice(-END)}`);
    for (const short of shortened(word)) near.set(short, [...(near.get(short) ?? []), word]);
  }
  const search = (word: string): string | undefined => {
    if (!ends.has(`${word.slice(0, END)}-`) && !ends.has(`-${word.slice(-END)}`)) return undefined;
    if (listed.has(word)) return undefined;
    for (const short of shortened(word)) {
      const meant = near.get(short)?.find((form) => form.startsWith(word.charAt(0)) && isOneEdit(form, word));
      if (meant !== undefined) return meant;
    }
    return undefined;
  };
  const remembered = new Map<string, string | undefined>();
  return {
    meantBy(word) {
      if (word.length < minWritten || word.length > MAX_LENGTH) return undefined;
      const known = remembered.get(word);
      if (known !== undefined || remembered.has(word)) return known;
      const meant = search(word);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(word, meant);
      return meant;
    },
  };
}
