// The one table of word kinds: which kinds each word is of, as bits. A token is tagged with them once.
import { participles, verbForms } from './inflection.ts';
import { KIND_NAMES, type KindName } from './kind-names.ts';
import type { LexiconFile } from './schema.ts';
import type { Report } from './tables.ts';

type WordKindsFile = NonNullable<LexiconFile['wordKinds']>;

export type Kind = number;
/** The kinds of one word: bit `n % 32` of number `n / 32` is kind `n`. */
export type KindSet = Readonly<Uint32Array>;

/** The kinds that the rules use, by name. A lexicon must list each of them; its other kinds have numbers after these. */
export const K = Object.fromEntries(KIND_NAMES.map((name, at) => [name, at])) as Readonly<Record<KindName, Kind>>; // one for each name

/** As long as that of any word: reading beyond the end of an array is slow. */
export const NO_KINDS: KindSet = new Uint32Array(64);

export const isOf = (set: KindSet, kind: Kind): boolean => (((set[kind >> 5] ?? 0) >>> (kind & 31)) & 1) === 1;

function isOfAny(set: KindSet | undefined, some: readonly Kind[]): boolean {
  if (set !== undefined) for (const kind of some) if (isOf(set, kind)) return true;
  return false;
}

export class WordKinds {
  readonly #sets: ReadonlyMap<string, KindSet>;

  constructor(sets: ReadonlyMap<string, KindSet>) {
    this.#sets = sets;
  }

  /** The kinds of a lower-case word, or of a verb with its particle. */
  of(word: string): KindSet {
    return this.#sets.get(word) ?? NO_KINDS;
  }

  has(word: string, kind: Kind): boolean {
    return isOf(this.of(word), kind);
  }

  tag(words: readonly string[]): TaggedWords {
    return taggedWith(
      [...words],
      words.map((word) => this.of(word)),
    );
  }
}

export interface TaggedWords extends ReadonlyArray<string> {
  readonly kinds: readonly KindSet[];
}

export function taggedWith(words: string[] & { kinds?: readonly KindSet[] }, kinds: readonly KindSet[]): TaggedWords {
  words.kinds = kinds;
  // Set right above.
  return words as string[] & TaggedWords;
}

/** Whether the word at this index is of a kind; false outside the words. */
export function is({ kinds }: TaggedWords, at: number, kind: Kind): boolean {
  const set = kinds[at];
  return set !== undefined && isOf(set, kind);
}

/** Whether it is of one of several kinds. */
export const isAny = ({ kinds }: TaggedWords, at: number, ...some: readonly Kind[]): boolean =>
  isOfAny(kinds[at], some);

/** Whether one of the words `from` to before `to` is of a kind. */
export function someAre(words: TaggedWords, from: number, to: number, kind: Kind): boolean {
  for (let at = Math.max(0, from); at < Math.min(to, words.length); at += 1) if (is(words, at, kind)) return true;
  return false;
}

export const tokenIs = (token: { readonly kinds: KindSet } | undefined, kind: Kind): boolean =>
  token !== undefined && isOf(token.kinds, kind);

export const tokenIsAny = (token: { readonly kinds: KindSet } | undefined, ...some: readonly Kind[]): boolean =>
  isOfAny(token?.kinds, some);

/** The words of a kind and of the kinds that it includes, with all forms of verbs. */
export function wordsOfKind(name: string, all: WordKindsFile, seen: ReadonlySet<string> = new Set()): Set<string> {
  const { verbs = [], words = [], kinds = [] } = all[name] ?? {};
  const others = seen.has(name) ? [] : kinds.flatMap((kind) => [...wordsOfKind(kind, all, new Set([...seen, name]))]);
  const forms = verbs.flatMap((verb) => [...verbForms(verb).map(([form]) => form), ...participles(verb)]);
  return new Set([...words, ...forms, ...others]);
}

/** Builds the table; kinds that the rules use and the file does not have are reported. */
export function compileWordKinds({ wordKinds = {} }: LexiconFile, report: Report): WordKinds {
  for (const name of KIND_NAMES)
    if (!Object.hasOwn(wordKinds, name)) report('/wordKinds', `the kind "${name}" is missing, which the rules use`);
  for (const [name, { kinds = [] }] of Object.entries(wordKinds))
    for (const [at, kind] of kinds.entries())
      if (!Object.hasOwn(wordKinds, kind))
        report(`/wordKinds/${name}/kinds/${at}`, `"${kind}" is not a kind of words of this lexicon`);
  const names = [...new Set([...KIND_NAMES, ...Object.keys(wordKinds)])];
  return new WordKinds(kindsByWord(names, (name) => wordsOfKind(name, wordKinds)));
}

/** The kinds of each word, by their index among the names. Words of the same kinds share one set. */
export function kindsByWord(
  names: readonly string[],
  wordsOf: (name: string) => Iterable<string>,
): Map<string, KindSet> {
  const kindsOf = new Map<string, Kind[]>();
  for (const [kind, name] of names.entries())
    for (const word of new Set(wordsOf(name))) {
      const known = kindsOf.get(word);
      if (known === undefined) kindsOf.set(word, [kind]);
      else known.push(kind);
    }
  const shared = new Map<string, KindSet>();
  const sets = new Map<string, KindSet>();
  for (const [word, kinds] of kindsOf) {
    const key = kinds.join();
    let set = shared.get(key);
    if (set === undefined) {
      set = setOf(kinds, names.length);
      shared.set(key, set);
    }
    sets.set(word, set);
  }
  return sets;
}

export function setOf(kinds: readonly Kind[], count: number): KindSet {
  const set = new Uint32Array(Math.ceil(count / 32));
  for (const kind of kinds) set[kind >> 5] = (set[kind >> 5] ?? 0) | (1 << (kind & 31));
  return set;
}

/** Whether two sets have a kind in common. */
export function meet(a: KindSet, b: KindSet): boolean {
  for (let at = 0; at < a.length; at += 1) if (((a[at] ?? 0) & (b[at] ?? 0)) !== 0) return true;
  return false;
}
