// What the judge of programs asks about a language: its names, and the calls that it treats by itself.
import type { ProgramNames } from '../../lexicon/programs.ts';
import { isSecretName } from '../code.ts';
import type { Part, Place } from './parts.ts';
import type { Value } from './values.ts';

export interface Argument {
  readonly value: Value;
  readonly part: Part;
  /** The name that it is given by. */
  readonly keyword?: string | undefined;
}

/** The arguments of a call that are all in a list or a dictionary, whichever they are. */
export const SPREAD = '*';

export interface Called {
  /** What is called; of a method, with a dot before it. */
  readonly name: string;
  readonly object: Value | undefined;
  /** The object as it is written. */
  readonly of?: Argument | undefined;
  readonly given: readonly Argument[];
  readonly place: Place;
  /** As they are written. */
  readonly args: string;
}

/** What a language does to judge a call by itself. */
export interface Acts {
  readonly text: string;
  readonly names: ProgramNames;
  /** Whether the program may have changed what all its objects have. */
  readonly changesAll: boolean;
  act(place: Place, name?: string, args?: string): Value;
  named(name: string): Value;
  evaluate(part: Part): Value;
  member(object: Value, name: string, place: Place): Value;
  isListed(name: string): boolean;
  /** Loads a module, which may be one that is not listed. */
  loads(module: string, place: Place): void;
  /** Whether a variable of the environment may be read at a place: it holds no credentials, or they go where they belong. */
  mayReadVariable(name: string | undefined, place: Place): boolean;
  /** A file is opened to write it. @returns whether it is known which */
  writes(path: Argument, mode: string, place: Place): boolean;
  /** A file is opened to read it. */
  opens(path: Argument | undefined, place: Place): void;
  /** What a class extends in which the program is just now. */
  baseOfClass(): number;
}

export interface Language {
  /** Functions that `special` treats and no table has. */
  readonly treated: ReadonlySet<string>;
  /** The variables of the process, which hold credentials. */
  readonly environment: string;
  /** Members are found by keys, too: `object["name"]`. */
  readonly keysAreMembers: boolean;
  /** Names of members by which everything can be reached. */
  isHidden(name: string): boolean;
  /** What the language offers that does more than compute. */
  isActing(name: string): boolean;
  /** A name of the language that is no usual one of a variable. */
  isKept(name: string): boolean;
  /** Whether a global object may have a member of this name which acts: `this` of a method may be that object. */
  isOfHost(name: string): boolean;
  /** Whether the arguments of a function decide what it does: nobody knows what it does where it is handed on. */
  isDecided(name: string): boolean;
  /** What a call does that this language treats by itself; undefined for the others. */
  special(called: Called, judge: Acts): Value | undefined;
}

export const textIn = (part: Part | undefined): string | undefined =>
  part?.kind === 'literal' ? part.text : undefined;

/** Whether a variable of the environment holds no credential and no address by its name. */
export const isPlainVariable = (name: string | undefined): boolean =>
  name !== undefined &&
  /^\w{1,60}$/.test(name) &&
  !isSecretName(name) &&
  !/key|pass|auth|cred|url|dsn|conn|cert|sign|salt|private|webhook/i.test(name);
