// Words of programs, of SQL and of sentences around code: their schema, and the sets that the readers of code use.
import Type, { type Static } from 'typebox';
import { list, object } from './parts.ts';
import texts from './texts.json' with { type: 'json' };

export type CodeWordName = Exclude<keyof typeof texts.codeWords, ''>;
// Every name of the type is a key.
export const CODE_WORD_NAMES = Object.keys(texts.codeWords).filter((name) => name !== '') as readonly CodeWordName[];
export const isCodeWordName = (name: string): name is CodeWordName => CODE_WORD_NAMES.some((one) => one === name);

const Words = Type.Optional(list(Type.String({ pattern: '^[$a-z][$a-z0-9_-]*\\*?$', maxLength: 40 })));

export const CodeWordsSchema = object(
  'codeWords',
  // The same names.
  Object.fromEntries(CODE_WORD_NAMES.map((name) => [name, Words])) as Record<CodeWordName, typeof Words>,
);

/** Names, some of which stand for all that begin alike. */
export type CodeWords = Readonly<Record<CodeWordName, NameSet>>;

export interface NameSet {
  has(name: string): boolean;
  /** Those that stand only for themselves. */
  readonly names: ReadonlySet<string>;
  readonly hasStems: boolean;
}

function nameSet(names: readonly string[]): NameSet {
  const whole = new Set(names.filter((name) => !name.endsWith('*')));
  const stems = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const hasWithStems = (name: string) => whole.has(name) || stems.some((stem) => name.startsWith(stem));
  return {
    names: whole,
    hasStems: stems.length > 0,
    has: stems.length === 0 ? (name) => whole.has(name) : hasWithStems,
  };
}

/** The sets by name; a list that the lexicon has not is empty. */
export const compileCodeWords = (file: Static<typeof CodeWordsSchema> = {}): CodeWords =>
  // Every name of the type is a key.
  Object.fromEntries(CODE_WORD_NAMES.map((name) => [name, nameSet(file[name] ?? [])])) as CodeWords;
