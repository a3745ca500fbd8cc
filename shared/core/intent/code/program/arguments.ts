// What is known of the arguments of calls by their names and places: which are called, which name a file.
import type { ProgramNames } from '../../lexicon/programs.ts';
import type { Argument } from './language.ts';
import type { Part } from './parts.ts';
import { BLIND, elementOf, inList, LIBRARY, MEMORY, together, type Value, valueOf } from './values.ts';

const PATTERN = /^(?!.*(?:\/|^)\.(?!\.?\/))[\w\s./*-]*\.\w{1,8}$/;

/** The names of files in a folder: those with an ending that the program says are what it says. */
export function walked({ bits, texts, depth, origins }: Value): Value {
  const isSeen = texts.some((text) => PATTERN.test(text));
  return isSeen ? inList({ bits: bits | LIBRARY, texts, depth: depth + 1, origins }) : valueOf(bits | LIBRARY | BLIND);
}

export const pathIn = (given: readonly Argument[], { pathArguments }: ProgramNames): Argument | undefined =>
  given.find(({ keyword }) => pathArguments.has(keyword ?? '')) ?? given.find(({ keyword }) => keyword === undefined);

export const elementOfAll = (value: Value): Value => (value.depth > 0 ? elementOf(value) : value);

/** Whether what a function gives may be an object of the program that it was given. */
export const handsBack = (name: string, names: ProgramNames): boolean =>
  !name.includes('.') || name.split('.').some((_, at, parts) => names.handsBack.has(parts.slice(0, at).join('.')));

/** A program that loads libraries, so that a name like one is not that of a tool. */
export const IMPORTS = /\b(?:import|require)\b/;

/** A type, or a method of one: what it gives is an object. */
export const MAKES_OBJECT = /(?:^|\.)[A-Z]\w*(?:\.\w+)?$/;

/** Methods of functions that call them. */
export const RUNS_ITSELF = /^(?:call|apply|bind)$/;

/** Whether it is surely no function: a list or another value that is written out. */
export const holdsValues = (part: Part): boolean =>
  /^(?:object|literal|each)$/.test(part.kind) ||
  (part.kind === 'values' && (part.makes === 'list' || part.makes === 'answer'));

export const allOf = (given: readonly Argument[]): Value =>
  given.reduce((all, { value }) => together(all, value), MEMORY);
