// Word lists of the rules, written as one string each.

/** The words of a list separated by single spaces. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** The words of such a list, as a type. */
export type WordsOf<List extends string> = List extends `${infer Word} ${infer Others}` ? Word | WordsOf<Others> : List;

/** A map from each word of several lists to the name of its list. */
export function wordMap<Name extends string>(lists: Readonly<Record<Name, string>>): ReadonlyMap<string, Name> {
  const names = Object.keys(lists) as Name[];
  return new Map(names.flatMap((name) => lists[name].split(' ').map((word) => [word, name] as const)));
}
