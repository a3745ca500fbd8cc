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
export const ANYTHING = OUTSIDE | UNSEEN | FREE;

export const isFree = (bits: number): boolean => (bits & FREE) !== 0;

/** A function or class of the program, whose code is read where it stands. */
export interface Own {
  /** What it is called with, all calls together. */
  given: number;
  /** What it returns. */
  returns: number;
  /** Something in the program calls it. What it is given otherwise comes from outside. */
  isCalled: boolean;
  readonly isClass: boolean;
  /** What an object of a class is by the classes that it extends. */
  base: number;
}

export interface Value {
  readonly bits: number;
  /** The name of a function, object or module that is not of the program: `os.path.join`. */
  readonly name?: string;
  readonly own?: Own;
}

const BY_BITS = Array.from({ length: 32 }, (_, bits): Value => ({ bits }));
export const valueOf = (bits: number): Value => BY_BITS[bits] ?? { bits };
export const MEMORY = valueOf(MADE);

/** A function of the program is kept somewhere, so that nobody knows what it will be called with. */
export function letGo({ own }: Value): void {
  if (!own) return;
  own.given |= OUTSIDE;
  own.isCalled = true;
}

/** A value that is one or the other. */
export function either(a: Value | undefined, b: Value): Value {
  if (a === undefined || a === b) return b;
  const bits = a.bits | b.bits;
  if (a.name === b.name && a.own === b.own) return bits === a.bits ? a : { ...a, bits };
  letGo(a);
  letGo(b);
  return valueOf(a.name === undefined && b.name === undefined ? bits : ANYTHING);
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
