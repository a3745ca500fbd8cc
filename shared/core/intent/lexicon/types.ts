// Types of a compiled lexicon: the look-up tables of the parser.
import type { ActionClass, Effect, Trait } from '../../../kernel/vocabulary.ts';
import type { commandEntry } from './commands.ts';
import type { compileFrames } from './frames.ts';
import type { VerbForm } from './inflection.ts';
import type { compileInstallation } from './installation.ts';
import type { Strength } from './schema.ts';
import type { Spelling } from './spelling.ts';
import type { KindSet } from './word-kinds.ts';
import type { WordTable } from './word-table.ts';

/** What is done to an object. */
export interface Doing {
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
}

/** The meaning of a verb, unless a refinement applies. */
export interface VerbEntry extends Doing {
  readonly verb: string;
  /** The implied object when the text names none: `refund` implies `payment`. */
  readonly object: string | undefined;
  readonly mentions: boolean;
  readonly weak: boolean;
  readonly alsoNoun: boolean;
}

export interface VerbReading {
  readonly entry: VerbEntry;
  readonly form: VerbForm;
}

export type CommandEntry = Readonly<ReturnType<typeof commandEntry>>;
/** Code that is on the line of a command: the value of one of `options`, the arguments after `skip` of them, or what follows `--`. */
export type CodeOnLine = NonNullable<CommandEntry['runs']>;

export interface Refinement extends Doing {
  readonly objects: ReadonlySet<string> | undefined;
  readonly prepositions: ReadonlySet<string> | undefined;
}

export interface Signal {
  readonly name: string;
  readonly start: boolean;
  readonly gap: number;
  readonly strength: Strength;
  readonly steps: readonly ReadonlySet<string>[];
}

/** The signals that begin with a word, and its kinds, which frames refer to. */
export interface Telling {
  readonly signals: readonly Signal[];
  /** The words of all second steps, one of which must follow within `reach` words; undefined when a signal has no second step. */
  readonly seconds: ReadonlySet<string> | undefined;
  readonly reach: number;
  readonly kinds: KindSet | undefined;
}

/** Kinds of words that occur within `within` words of each other. */
export type Frame = ReturnType<typeof compileFrames>['frames'][number];

export type Prefix = 'polite' | 'negation';

/** As the parser may use it: no table is changed. */
type Fixed<Table> =
  Table extends Map<infer Key, infer Value>
    ? ReadonlyMap<Key, Value>
    : Table extends Set<infer Value>
      ? ReadonlySet<Value>
      : Table;
type Tables = ReturnType<typeof compileInstallation>;

/** The tables of the installation, or with those of one organisation layered over them. */
export type Words = { readonly [Name in keyof Tables]: Fixed<Tables[Name]> };

/** A checked lexicon. Immutable: a changed file gives a new one. */
export interface Lexicon extends Words {
  /** What is known about single words. */
  readonly words: WordTable;
  /** Of the words of the installation. */
  readonly spelling: Spelling;
  readonly organisations: readonly string[];
  /** The lexicon for this organisation's texts: this same object when it has no words of its own. */
  forOrganisation(slug: string): Lexicon;
}
