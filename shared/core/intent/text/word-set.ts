// Lists of words that rules ask for, written as one string each.

/** The words of a list that single spaces part. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
