// Checks a lexicon file and turns it into the tables that the parser looks words up in.
import { LRUCache } from 'lru-cache';
import { type ActionClass, DATA_CLASSES, type DataClass, type Effect, type Trait } from '../vocabulary.ts';
import type { VerbForm } from './inflection.ts';
import { compileFrames } from './lexicon-frames.ts';
import { compileForms, compileNominals, compileParticiples } from './lexicon-forms.ts';
import { extendLexicon } from './lexicon-organisation.ts';
import type { SIGNAL_STRENGTHS } from './lexicon-parts.ts';
import { checkLexicon, type LexiconProblem } from './lexicon-problems.ts';
import type { LexiconFile } from './lexicon-schema.ts';
import {
  byVerb,
  commandGroups,
  compileCommands,
  compileDomains,
  compilePhrases,
  compileMarkers,
  compileSignals,
  compileVerbs,
  pluralsOf,
  objectsOf,
  readRefinements,
  type Report,
} from './lexicon-tables.ts';
import type { PhraseTable } from './phrase-table.ts';

/** A lexicon that cannot be used: its first mistake, and the others that were found with it. */
export class LexiconError extends Error {
  readonly pointer: string;
  readonly others: readonly LexiconProblem[];
  constructor(pointer: string, message: string, others: readonly LexiconProblem[] = []) {
    super(message);
    this.name = 'LexiconError';
    this.pointer = pointer;
    this.others = others;
  }
}

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

export { effectOfAction } from './effect.ts';

/** How many organisations' lexicons are kept ready; those of others are made again when they ask. */
const MAX_READY = 1_000;

/**
 * A lexicon from the parsed JSON of its file.
 * @throws {LexiconError} with everything that is wrong: what is outside the schema; or else a verb, command, noun or phrase
 * listed twice, references to verbs that are not listed, and an organisation that would lower what a word says.
 */
export function compileLexicon(json: unknown): Lexicon {
  const checked = checkLexicon(json);
  if (!checked.ok) throw errorOf(checked.problems);
  const { file } = checked;
  const problems: LexiconProblem[] = [];
  const base = compileInstallation(file, (pointer, message) => problems.push({ pointer, message }));
  const parts = new Map(Object.entries(file.organisations ?? {}));
  for (const [slug, part] of parts)
    extendLexicon(base, part, (pointer, message) =>
      problems.push({ pointer: `/organisations/${slug}${pointer}`, message }),
    );
  if (problems.length > 0) throw errorOf(problems);
  const organisations = [...parts.keys()];
  const ready = new LRUCache<string, Lexicon>({ max: MAX_READY });
  const forOrganisation = (slug: string): Lexicon => {
    const part = parts.get(slug);
    if (part === undefined) return lexicon;
    let own = ready.get(slug);
    if (own === undefined) {
      own = { ...extendLexicon(base, part, () => undefined), organisations, forOrganisation };
      ready.set(slug, own);
    }
    return own;
  };
  const lexicon: Lexicon = { ...base, organisations, forOrganisation };
  return lexicon;
}

function errorOf([first = { pointer: '', message: 'is not a lexicon' }, ...others]: LexiconProblem[]): LexiconError {
  return new LexiconError(first.pointer, first.message, others);
}

function compileInstallation(file: LexiconFile, report: Report): Words {
  const verbs = compileVerbs(file, report);
  for (const [index, noun] of file.alsoNouns.entries())
    if (!verbs.has(noun)) report(`/alsoNouns/${index}`, `"${noun}" is not a verb of this lexicon`);
  const plurals = new Map(Object.entries(file.irregularPlurals));
  const domainOfNoun = compileDomains(file.domains, plurals, report);
  const commands = compileCommands(file.commands, report);
  const signals = compileSignals(file.signals);
  return {
    verbs,
    verbForms: compileForms(verbs),
    participles: compileParticiples(verbs),
    nominals: compileNominals(verbs, new Set([...domainOfNoun.keys(), ...file.genericNouns, ...file.containerNouns])),
    refinements: byVerb(readRefinements(file.refinements, (verb) => verbs.has(verb), report)),
    commands,
    commandGroups: commandGroups(commands.keys()),
    refinedObjects: objectsOf(file.refinements),
    domainOfNoun,
    domains: new Set([...Object.keys(file.domains), file.defaultDomain]),
    defaultDomain: file.defaultDomain,
    synonyms: new Map(Object.entries(file.synonyms)),
    plurals: new Map([...pluralsOf(domainOfNoun.keys(), plurals), ...plurals]),
    dataClasses: compilePhrases(
      DATA_CLASSES.map((name) => ({ value: name, phrases: file.dataClasses[name], pointer: `/dataClasses/${name}` })),
      report,
    ),
    places: compilePhrases(
      file.places.map(({ place, words }, at) => ({ value: place, phrases: words, pointer: `/places/${at}/words` })),
      report,
    ),
    internalHosts: file.internalHosts.map((host) => host.toLowerCase()),
    traitPhrases: compilePhrases<Trait>(
      [
        { value: 'privileged', phrases: file.privileged, pointer: '/privileged' },
        { value: 'financial', phrases: file.money, pointer: '/money' },
        { value: 'external', phrases: file.external, pointer: '/external' },
        { value: 'irreversible', phrases: file.irreversible, pointer: '/irreversible' },
      ],
      report,
    ),
    quantifiers: compilePhrases(
      [
        { value: 'all', phrases: file.quantifiers.all, pointer: '/quantifiers/all' },
        { value: 'many', phrases: file.quantifiers.many, pointer: '/quantifiers/many' },
      ],
      report,
    ),
    prefixes: compilePhrases<Prefix>(
      [
        { value: 'polite', phrases: file.politePrefixes, pointer: '/politePrefixes' },
        { value: 'negation', phrases: file.negations, pointer: '/negations' },
      ],
      report,
    ),
    compounds: compilePhrases([{ value: true as const, phrases: file.compounds, pointer: '/compounds' }], report),
    genericNouns: new Set(file.genericNouns),
    containerNouns: new Set(file.containerNouns),
    fillers: new Set(file.fillers),
    foreignWords: new Set(file.foreignWords),
    signals,
    ...compileFrames(file, signals, report),
    markers: compileMarkers(file.markers),
  };
}
