// A compiled lexicon: the tables that reading looks words up in. Types only.
import type { ActionClass, DataClass, Effect, Trait } from '../../../kernel/vocabulary.ts';
import type { VerbForm } from './inflection.ts';
import type { SIGNAL_STRENGTHS } from './parts.ts';
import type { PhraseTable } from './phrase-table.ts';

/** What a verb does unless a refinement says otherwise. */
export interface VerbEntry {
  readonly verb: string;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  /** The object it implies when the text names none: `refund` implies `payment`. */
  readonly object: string | undefined;
  readonly mentions: boolean;
  readonly weak: boolean;
  readonly alsoNoun: boolean;
}

export interface VerbReading {
  readonly entry: VerbEntry;
  readonly form: VerbForm;
}

export interface CommandEntry {
  readonly command: string;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string | undefined;
  readonly domain: string | undefined;
}

export interface Refinement {
  readonly objects: ReadonlySet<string> | undefined;
  readonly prepositions: ReadonlySet<string> | undefined;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
}

export interface Signal {
  readonly name: string;
  readonly start: boolean;
  readonly gap: number;
  readonly strength: (typeof SIGNAL_STRENGTHS)[number];
  readonly steps: readonly ReadonlySet<string>[];
}

/** Kinds of words, as bits of two numbers. */
export interface Kinds {
  readonly low: number;
  readonly high: number;
}

/** What a word may be a part of: the signals that begin with it, and its kinds, which frames ask for. */
export interface Telling {
  readonly signals: readonly Signal[];
  /** The words of all their second steps, one of which stands within `reach` words; undefined when a signal has no such step. */
  readonly seconds: ReadonlySet<string> | undefined;
  readonly reach: number;
  readonly kinds: Kinds | undefined;
}

/** Kinds of words that stand within `within` words of each other. */
export interface Frame {
  readonly name: string;
  readonly within: number;
  /** The slots are filled in their order. */
  readonly ordered: boolean;
  /** Only in a text that has an e-mail address or a URL. */
  readonly address: boolean;
  readonly strength: Signal['strength'];
  readonly slots: readonly Kinds[];
  /** All kinds of its slots. */
  readonly any: Kinds;
  /** Kinds beside which it says something else. */
  readonly unless: Kinds | undefined;
  /** A word that negates is one of its own. */
  readonly negated: boolean;
}

export type Prefix = 'polite' | 'negation';

/** The words themselves, of the installation or with those of one organisation over them. */
export interface Words {
  readonly verbs: ReadonlyMap<string, VerbEntry>;
  /** Every form of every verb, phrases included. */
  readonly verbForms: PhraseTable<VerbReading>;
  /** Past participles: `deleted`, `shut down`. */
  readonly participles: PhraseTable<VerbEntry>;
  /** Nouns that name what a verb does and no thing: `deletion`, but not `payment`. */
  readonly nominals: ReadonlyMap<string, VerbEntry>;
  readonly refinements: ReadonlyMap<string, readonly Refinement[]>;
  readonly commands: ReadonlyMap<string, CommandEntry>;
  /** Commands whose second word decides: `git`. */
  readonly commandGroups: ReadonlySet<string>;
  /** Every object that a refinement names. */
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
  /** Signals by each of their possible first words. */
  readonly signals: ReadonlyMap<string, readonly Signal[]>;
  /** Words that signals begin with or frames ask for: every word of a text is looked up, so both stand in one table. */
  readonly telling: ReadonlyMap<string, Telling>;
  readonly frames: readonly Frame[];
  /** Literal openings of forged messages, as patterns by a character that they have. */
  readonly markers: ReadonlyMap<string, RegExp>;
}

/** A checked lexicon, ready for lookups. Immutable: a changed file gives a new one. */
export interface Lexicon extends Words {
  /** The slugs of those that have words of their own. */
  readonly organisations: readonly string[];
  /** What this organisation's texts are read with: this very value when it has no words of its own. */
  forOrganisation(slug: string): Lexicon;
}
