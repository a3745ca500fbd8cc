// What the values of a program may be, as far as a reader has to know to say what a call with them does.

/** Made by the program, and in its memory only. */
export const MADE = 0;
/** It may be anything that the program was given: a parameter, a name that it does not define. */
export const OUTSIDE = 1;
/** It may be a function that nobody has read. */
export const UNSEEN = 2;
/** It is of a name that the program does not define, and not even given to it. */
const FREE = 4;
/** An object of a library, so that no method of the program is one of its own. */
export const LIBRARY = 8;
/** A connection to something outside, or a client of a service: what changes a list in memory changes what is stored there. */
export const CLIENT = 16;
/** A text of which nobody sees what it says: put together from characters, decoded, cut, or found in a folder. */
export const BLIND = 32;
/** Given to a function that the program does not call itself: it may be a function of whoever does. */
export const GIVEN = 64;
/** A database in memory, which nothing of what is done with it outlives. */
export const STORE = 128;
export const ANYTHING = OUTSIDE | UNSEEN | FREE;

export const isFree = (bits: number): boolean => (bits & FREE) !== 0;

export interface Value {
  readonly bits: number;
  /** The strings of the program that it may be put together from. */
  readonly texts: readonly string[];
  /** In how many lists the strings are, at least: an element of a text is a character. */
  readonly depth: number;
  /** Where it comes from that the program does not define: `crm.customers()`, at most MAX_ORIGINS. */
  readonly origins: readonly string[];
  /** The name of a function, object or module that is not of the program: `os.path.join`. */
  readonly name?: string;
  readonly own?: Own;
}

/** A function or class of the program, whose code is read where it stands. */
export interface Own {
  /** What it is called with, all calls together. */
  given: Value;
  returns: Value;
  /** Something in the program calls it. What it is given otherwise comes from outside. */
  isCalled: boolean;
  readonly isClass: boolean;
  /** What an object of a class is by the classes that it extends. */
  base: number;
}

/** The variables of a function. */
export interface Scope {
  readonly values: Map<string, Value>;
  readonly above: Scope | undefined;
  readonly own: Own | undefined;
  /** Names that are those of a scope above. */
  readonly outer: Set<string>;
  /** The body of a class, whose names are members too. */
  readonly isClass: boolean;
}

const NO_TEXTS: readonly string[] = [];
const BY_BITS = Array.from(
  { length: 256 },
  (_, bits): Value => ({ bits, texts: NO_TEXTS, depth: 0, origins: NO_TEXTS }),
);
export const valueOf = (bits: number): Value => BY_BITS[bits] ?? { bits, texts: NO_TEXTS, depth: 0, origins: NO_TEXTS };
export const MEMORY = valueOf(MADE);
export const UNKNOWN = valueOf(ANYTHING);
export const textValue = (text: string): Value => ({ bits: MADE, texts: [text], depth: 0, origins: NO_TEXTS });

/** More strings than these are not told apart. */
const MAX_TEXTS = 64;

/** A function of the program is kept somewhere, so that nobody knows what it will be called with. */
export function letGo({ own }: Value): void {
  if (!own) return;
  own.given = withBits(own.given, own.given.bits | OUTSIDE | GIVEN);
  own.isCalled = true;
}

const valueWith = (bits: number, texts: readonly string[], depth: number, origins: readonly string[]): Value =>
  texts.length === 0 && origins.length === 0 ? valueOf(bits) : { bits, texts, depth, origins };

export const withBits = ({ bits, texts, depth, origins }: Value, more: number): Value =>
  valueWith(bits === more ? bits : more, texts, depth, origins);

/** Of more origins than these nobody knows what a call on them does. */
const MAX_ORIGINS = 4;
const MANY: readonly string[] = [''];
export const isNameless = (origins: readonly string[]): boolean => origins.length === 0 || origins.includes('');

/** The same from elsewhere. */
export const withOrigins = ({ bits, texts, depth }: Value, origins: readonly string[]): Value =>
  valueWith(bits, texts, depth, origins);

const MAX_NAMES = 6;
/** What comes from a member of such a value. A name is there once, so that a list that goes on and on has one origin. */
export const memberOf = (origins: readonly string[], name: string): readonly string[] => [
  ...new Set(
    origins.map((origin) => {
      const names = origin.split('.');
      if (names.at(-1) === name || origin === '') return origin;
      const kept = names.filter((one) => one !== name);
      return [...kept.slice(0, 1), ...kept.slice(1).slice(1 - MAX_NAMES), name].join('.');
    }),
  ),
];

function allOrigins(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const more = b.filter((one) => !a.includes(one));
  if (more.length === 0) return a;
  return a.length + more.length > MAX_ORIGINS ? MANY : [...a, ...more];
}

/** What is one value or another, or both put together, but for their names. */
export function together(a: Value, b: Value): Value {
  if (a === b && a.name === undefined && a.own === undefined) return a;
  const bits = a.bits | b.bits;
  const origins = allOrigins(a.origins, b.origins);
  if (b.texts.length === 0) return valueWith(bits, a.texts, a.depth, origins);
  if (a.texts.length === 0) return valueWith(bits, b.texts, b.depth, origins);
  const depth = Math.min(a.depth, b.depth);
  const more = b.texts.filter((text) => !a.texts.includes(text));
  if (more.length === 0) return valueWith(bits, a.texts, depth, origins);
  if (a.texts.length + more.length > MAX_TEXTS) return valueWith(bits | BLIND, NO_TEXTS, 0, origins);
  return valueWith(bits, [...a.texts, ...more], depth, origins);
}

export const isSame = (a: Value, b: Value): boolean =>
  a === b ||
  (a.bits === b.bits &&
    a.origins.length === b.origins.length &&
    a.origins.every((one) => b.origins.includes(one)) &&
    a.name === b.name &&
    a.own === b.own &&
    a.depth === b.depth &&
    a.texts.length === b.texts.length);

/** A value that is one or the other. */
export function either(a: Value | undefined, b: Value): Value {
  if (a === undefined || a === b) return b;
  if (a.name === b.name && a.own === b.own) {
    if (a.name === undefined && a.own === undefined) return together(a, b);
    return { ...a, ...together(a, b) };
  }
  letGo(a);
  letGo(b);
  const both = together(a, b);
  return a.name === undefined && b.name === undefined ? both : withBits(both, both.bits | ANYTHING);
}

/** The same within a list, or as an element of one. */
export const inList = ({ bits, texts, depth, origins }: Value): Value => valueWith(bits, texts, depth + 1, origins);
export function elementOf({ bits, texts, depth, origins }: Value): Value {
  if (texts.length === 0) return valueWith(bits, texts, 0, origins);
  return depth > 0 ? valueWith(bits, texts, depth - 1, origins) : valueWith(bits | BLIND, NO_TEXTS, 0, origins);
}
export const asText = ({ bits, texts, origins }: Value): Value => valueWith(bits, texts, 0, origins);
/** A text that was made of others in a way that is not followed. */
export const altered = ({ bits, texts, origins }: Value): Value =>
  valueWith(texts.length > 0 ? bits | BLIND : bits, NO_TEXTS, 0, origins);
