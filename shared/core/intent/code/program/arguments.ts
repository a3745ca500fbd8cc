// What is known of the arguments of calls by their names and places: which are called, which name a file.
import type { Argument } from './language.ts';
import type { Part } from './parts.ts';
import { BLIND, elementOf, inList, LIBRARY, MEMORY, together, type Value, valueOf } from './values.ts';

const PATTERN = /^(?!.*(?:\/|^)\.(?!\.?\/))[\w\s./*-]*\.\w{1,8}$/;

/** The names of files in a folder: those with an ending that the program says are what it says. */
export function walked({ bits, texts, depth }: Value): Value {
  const isSeen = texts.some((text) => PATTERN.test(text));
  return isSeen ? inList({ bits: bits | LIBRARY, texts, depth: depth + 1 }) : valueOf(bits | LIBRARY | BLIND);
}

export const pathIn = (given: readonly Argument[]): Argument | undefined =>
  given.find(({ keyword }) => PATH_KEYWORD.test(keyword ?? '')) ?? given.find(({ keyword }) => keyword === undefined);
const PATH_KEYWORD = /^(?:file|fname|filename|path|io|source|database|filepath_or_buffer|path_or_buf|fp)$/;

export const elementOfAll = (value: Value): Value => (value.depth > 0 ? elementOf(value) : value);

/** Functions of the language, and of modules about its own values: what they give may be an object of the program that they were given. */
export const HANDS_BACK =
  /^(?:[^.]+|(?:asyncio|bisect|collections|concurrent\.futures|contextlib|copy|dataclasses|functools|heapq|itertools|lodash|operator|queue|random|types|Array|Map|Object|Promise)\..+)$/;

/** A program that loads libraries, so that a name like one is not that of a tool. */
export const IMPORTS = /\b(?:import|require)\b/;

/** Methods that change a list or a set, and what a client stores. */
export const CHANGES = /^(?:append|appendleft|add|extend|insert|sort|copy|setdefault|start|push|unshift)$/;

/** Functions that change their first argument. */
export const CHANGES_FIRST: ReadonlySet<string> = new Set(['Object.assign']);

/** A type, or a method of one: what it gives is an object. */
export const MAKES_OBJECT = /(?:^|\.)[A-Z]\w*(?:\.\w+)?$/;

/** Methods of functions that call them. */
export const RUNS_ITSELF = /^(?:call|apply|bind)$/;

/** Functions that call their first argument; others call a later one. */
export const FIRST_IS_CALLED =
  /^(?:map|filter|functools\.(?:reduce|partial)|itertools\.(?:starmap|filterfalse|takewhile|dropwhile)|asyncio\.\w+|queueMicrotask|process\.nextTick|Promise|util\.promisify)$/;

/** Functions that call none of their arguments but those given by name, or not the first one. */
export const IS_DATA = /^(?:sorted|max|min)$/;
export const FIRST_IS_DATA =
  /^(?:itertools\.(?:groupby|accumulate)|re\.subn?|Array\.from|JSON\.(?:parse|stringify)|(?:Map|Object)\.groupBy|lodash\.\w+)$/;

/** Arguments by these names are functions that are called. */
export const CALLED: ReadonlySet<string> = new Set(
  'key default default_factory object_hook object_pairs_hook func function aggfunc converters target callback initializer parse_float parse_int parse_constant'.split(
    ' ',
  ),
);

/** Whether it is surely no function: a list or another value that is written out. */
export const holdsValues = (part: Part): boolean =>
  /^(?:object|literal|each)$/.test(part.kind) ||
  (part.kind === 'values' && (part.makes === 'list' || part.makes === 'answer'));

export const allOf = (given: readonly Argument[]): Value =>
  given.reduce((all, { value }) => together(all, value), MEMORY);
