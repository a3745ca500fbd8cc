// Word lists of the rules, written as one string each.

/** The words of a list separated by single spaces. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** The words of such a list, as a type. */
export type WordsOf<List extends string> = List extends `${infer Word} ${infer Others}` ? Word | WordsOf<Others> : List;

/** The words of several such lists, in their order. */
export const wordsOf = <List extends string>(lists: readonly List[]): readonly WordsOf<List>[] =>
  lists.flatMap((list) => list.split(' ')) as WordsOf<List>[]; // the words of the type

/** A map written as `key:value` pairs that are separated by single spaces. */
export const pairMap = (list: string): ReadonlyMap<string, string> =>
  new Map(list.split(' ').map((pair) => pair.split(':', 2) as [string, string])); // both have a value

/** A map from each word of several lists to the name of its list. */
export function wordMap<Name extends string>(lists: Readonly<Record<Name, string>>): ReadonlyMap<string, Name> {
  const names = Object.keys(lists) as Name[];
  return new Map(names.flatMap((name) => lists[name].split(' ').map((word) => [word, name] as const)));
}
