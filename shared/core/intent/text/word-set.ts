// Word lists of the rules, written as one string each.

/** The words of a list separated by single spaces. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
