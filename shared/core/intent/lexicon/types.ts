// Types of a compiled lexicon: the look-up tables of the parser.
import type { ActionClass, DataClass, Effect, Trait } from '../../../kernel/vocabulary.ts';
import type { Assessment } from './assessment.ts';
import type { LearnedWeights } from '../attack/learned.ts';
import type { HarmEstimator } from '../harm/estimate.ts';
import type { CodeWords } from './code-words.ts';
import type { Programs } from './programs.ts';
import type { commandEntry, compileCommandNouns } from './commands.ts';
import type { compileFrames } from './frames.ts';
import type { VerbForm } from './inflection.ts';
import type { KindBits } from './kind-bits.ts';
import type { NearWords } from './one-edit.ts';
import type { SIGNAL_STRENGTHS } from './parts.ts';
import type { PhraseTable } from './phrase-table.ts';
import type { Language } from './languages.ts';
import type { SettingRule } from './settings.ts';
import type { Spelling } from './spelling.ts';
import type { WordForms } from './word-forms.ts';
import type { WordKinds } from './word-kinds.ts';
import type { WordPatterns } from './word-patterns.ts';
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
export interface CodeOnLine {
  readonly language: 'command' | 'shell' | 'sql' | 'script' | 'python' | 'javascript';
  readonly options?: readonly string[];
  readonly skip?: number;
  readonly dashed?: boolean;
}

export interface Refinement extends Doing {
  readonly objects: ReadonlySet<string> | undefined;
  readonly prepositions: ReadonlySet<string> | undefined;
}

export interface Signal {
  readonly name: string;
  readonly start: boolean;
  readonly gap: number;
  readonly strength: (typeof SIGNAL_STRENGTHS)[number];
  readonly steps: readonly ReadonlySet<string>[];
}

/** The signals that begin with a word, and its kinds, which frames refer to. */
export interface Telling {
  readonly signals: readonly Signal[];
  /** The words of all second steps, one of which must follow within `reach` words; undefined when a signal has no second step. */
  readonly seconds: ReadonlySet<string> | undefined;
  readonly reach: number;
  readonly kinds: KindBits | undefined;
}

/** Kinds of words that occur within `within` words of each other. */
export type Frame = ReturnType<typeof compileFrames>['frames'][number];

export type Prefix = 'polite' | 'negation';

/** The tables of the installation, or with those of one organisation layered over them. */
export interface Words {
  readonly verbs: ReadonlyMap<string, VerbEntry>;
  /** Every form of every verb, phrases included. */
  readonly verbForms: PhraseTable<VerbReading>;
  /** Past participles: `deleted`, `shut down`. */
  readonly participles: PhraseTable<VerbEntry>;
  /** Nouns that name the action of a verb and not a thing: `deletion`, but not `payment`. */
  readonly nominals: ReadonlyMap<string, VerbEntry>;
  readonly refinements: ReadonlyMap<string, readonly Refinement[]>;
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** Commands whose next words decide: `git`, `aws s3`. */
  readonly commandGroups: ReadonlySet<string>;
  /** Verbs of subcommands and functions. */
  readonly commandVerbs: ReadonlyMap<string, Doing>;
  readonly commandNouns: ReturnType<typeof compileCommandNouns>;
  /** Names of commands that others have too, by the first word and the second, which may be empty. */
  readonly sameCommands: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Words in the names of settings that keep things, with the values that leave nothing. */
  readonly emptying: ReadonlyMap<string, ReadonlySet<string>>;
  /** Words in the names of fields, with the values by which an update ends or disables what has them: `active` with `false`. */
  readonly disabling: ReadonlyMap<string, ReadonlySet<string>>;
  /** What is done by setting a value. */
  readonly settings: readonly SettingRule[];
  readonly codeWords: CodeWords;
  readonly programs: Programs;
  /** Every object that a refinement lists. */
  readonly refinedObjects: ReadonlySet<string>;
  readonly domainOfNoun: ReadonlyMap<string, string>;
  readonly domains: ReadonlySet<string>;
  readonly defaultDomain: string;
  readonly synonyms: ReadonlyMap<string, string>;
  readonly plurals: ReadonlyMap<string, string>;
  readonly dataClasses: PhraseTable<DataClass>;
  readonly places: PhraseTable<string>;
  readonly internalHosts: readonly string[];
  readonly traitPhrases: PhraseTable<Trait>;
  readonly quantifiers: PhraseTable<'all' | 'many'>;
  readonly prefixes: PhraseTable<Prefix>;
  readonly compounds: PhraseTable<true>;
  readonly genericNouns: ReadonlySet<string>;
  readonly containerNouns: ReadonlySet<string>;
  readonly fillers: ReadonlySet<string>;
  readonly foreignWords: ReadonlySet<string>;
  readonly wordKinds: WordKinds;
  readonly signals: ReadonlyMap<string, readonly Signal[]>;
  /** First words of signals and words of frames, in one table, because every word of a text is looked up. */
  readonly telling: ReadonlyMap<string, Telling>;
  readonly frames: readonly Frame[];
  readonly kindNames: readonly string[];
  /** Words of signals, and of kinds that may be misspelt. */
  readonly misspelt: NearWords;
  /** Literal openings of forged messages, as patterns by a character that they contain. */
  readonly markers: ReadonlyMap<string, RegExp>;
  readonly phrasings: WordPatterns;
  readonly languages: readonly Language[];
  /** Words without a meaning of their own: articles, prepositions, auxiliaries. */
  readonly functionWords: ReadonlySet<string>;
  readonly clauseOpeners: ReadonlySet<string>;
  /** Adjectives, adverbs and nouns that change nothing about what is requested. */
  readonly commonWords: ReadonlySet<string>;
  /** Words that destroy, in any spelling. */
  readonly destructiveWords: WordForms;
  readonly learned: LearnedWeights | undefined;
  readonly harm: HarmEstimator | undefined;
  readonly assessment: Assessment;
}

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
