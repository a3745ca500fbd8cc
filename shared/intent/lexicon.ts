// Checks a lexicon file and turns it into the tables that the parser looks words up in.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { pointerToken } from '../json.ts';
import { didYouMean } from '../near.ts';
import { type Action, type ActionClass, DATA_CLASSES, type DataClass, type Effect, type Trait } from '../vocabulary.ts';
import { singular, type VerbForm } from './inflection.ts';
import { compileForms, compileNominals, compileParticiples } from './lexicon-forms.ts';
import { type LexiconFile, LexiconSchema, type SIGNAL_STRENGTHS } from './lexicon-schema.ts';
import { PhraseTable } from './phrase-table.ts';

/** One mistake in a lexicon: the RFC 6901 path of the member at fault, and what is wrong with it. */
export interface LexiconProblem {
  readonly pointer: string;
  readonly message: string;
}

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

export type Prefix = 'polite' | 'negation';

/** A checked lexicon, ready for lookups. Immutable: a changed file gives a new one. */
export interface Lexicon {
  readonly verbs: ReadonlyMap<string, VerbEntry>;
  /** Every form of every verb, phrases included. */
  readonly verbForms: PhraseTable<VerbReading>;
  /** Past participles: `deleted`, `shut down`. */
  readonly participles: PhraseTable<VerbEntry>;
  /** Nouns that name what a verb does and no thing: `deletion`, but not `payment`. */
  readonly nominals: ReadonlyMap<string, VerbEntry>;
  readonly refinements: ReadonlyMap<string, readonly Refinement[]>;
  readonly commands: ReadonlyMap<string, CommandEntry>;
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
  readonly markers: readonly string[];
}

/** The side effect of an action class, when neither verb nor context says more. */
export function effectOfAction(action: Action): Effect {
  if (action === 'read') return 'read';
  return action === 'delete' ? 'destructive' : 'write';
}

const validate = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, verbose: true }).compile<LexiconFile>(
  LexiconSchema,
);

function problemOf({
  keyword,
  instancePath: pointer,
  params,
  parentSchema,
  data,
  message,
}: ErrorObject): LexiconProblem {
  const known = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    const members: unknown = parentSchema?.['properties'];
    const names = typeof members === 'object' && members !== null ? Object.keys(members) : [];
    return { pointer: pointer + pointerToken(name), message: `unknown member "${name}"${didYouMean(name, names)}` };
  }
  if (keyword === 'required') return { pointer, message: `the member "${params['missingProperty']}" is missing` };
  if (keyword === 'enum') {
    const allowed = known(params['allowedValues']);
    const meant = typeof data === 'string' ? didYouMean(data, allowed) : '';
    return { pointer, message: `must be one of ${allowed.join(', ')}${meant}` };
  }
  return { pointer, message: message ?? 'is not a lexicon' };
}

/**
 * A lexicon from the parsed JSON of its file.
 * @throws {LexiconError} for anything outside the schema, for a verb, command, noun or phrase listed twice, and for
 * references to verbs that are not listed.
 */
export function compileLexicon(json: unknown): Lexicon {
  if (!validate(json)) {
    const [first = { pointer: '', message: 'is not a lexicon' }, ...others] = (validate.errors ?? []).map(problemOf);
    throw new LexiconError(first.pointer, first.message, others);
  }
  const verbs = compileVerbs(json);
  const plurals = new Map(Object.entries(json.irregularPlurals));
  const domainOfNoun = compileDomains(json, plurals);
  return {
    verbs,
    verbForms: compileForms(verbs),
    participles: compileParticiples(verbs),
    nominals: compileNominals(verbs, new Set([...domainOfNoun.keys(), ...json.genericNouns, ...json.containerNouns])),
    refinements: compileRefinements(json, verbs),
    commands: compileCommands(json),
    domainOfNoun,
    domains: new Set([...Object.keys(json.domains), json.defaultDomain]),
    defaultDomain: json.defaultDomain,
    synonyms: new Map(Object.entries(json.synonyms)),
    plurals,
    dataClasses: phrases(DATA_CLASSES.map((name) => [name, json.dataClasses[name], `/dataClasses/${name}`])),
    places: phrases(json.places.map((place, at) => [place.place, place.words, `/places/${at}/words`])),
    internalHosts: json.internalHosts.map((host) => host.toLowerCase()),
    traitPhrases: phrases<Trait>([
      ['privileged', json.privileged, '/privileged'],
      ['financial', json.money, '/money'],
      ['external', json.external, '/external'],
      ['irreversible', json.irreversible, '/irreversible'],
    ]),
    quantifiers: phrases([
      ['all', json.quantifiers.all, '/quantifiers/all'],
      ['many', json.quantifiers.many, '/quantifiers/many'],
    ]),
    prefixes: phrases<Prefix>([
      ['polite', json.politePrefixes, '/politePrefixes'],
      ['negation', json.negations, '/negations'],
    ]),
    compounds: phrases([[true, json.compounds, '/compounds']]),
    genericNouns: new Set(json.genericNouns),
    containerNouns: new Set(json.containerNouns),
    fillers: new Set(json.fillers),
    foreignWords: new Set(json.foreignWords),
    signals: compileSignals(json),
    markers: json.markers,
  };
}

function compileVerbs(file: LexiconFile): Map<string, VerbEntry> {
  const verbs = new Map<string, VerbEntry>();
  const alsoNouns = new Set(file.alsoNouns);
  for (const [at, group] of file.verbs.entries()) {
    for (const [index, verb] of group.verbs.entries()) {
      if (verbs.has(verb)) throw new LexiconError(`/verbs/${at}/verbs/${index}`, `the verb "${verb}" is listed twice`);
      verbs.set(verb, {
        verb,
        action: group.action,
        effect: group.effect ?? effectOfAction(group.action),
        traits: group.traits ?? [],
        object: group.object,
        mentions: group.mentions ?? false,
        weak: group.weak ?? false,
        alsoNoun: alsoNouns.has(verb),
      });
    }
  }
  for (const [index, noun] of file.alsoNouns.entries()) {
    if (!verbs.has(noun)) throw new LexiconError(`/alsoNouns/${index}`, `"${noun}" is not a verb of this lexicon`);
  }
  return verbs;
}

function compileRefinements(file: LexiconFile, verbs: ReadonlyMap<string, VerbEntry>): Map<string, Refinement[]> {
  const refinements = new Map<string, Refinement[]>();
  for (const [at, rule] of file.refinements.entries()) {
    if (rule.objects === undefined && rule.preposition === undefined) {
      throw new LexiconError(`/refinements/${at}`, 'needs `objects` or `preposition`');
    }
    const refinement: Refinement = {
      objects: rule.objects && new Set(rule.objects),
      prepositions: rule.preposition && new Set(rule.preposition),
      action: rule.action,
      effect: rule.effect ?? effectOfAction(rule.action),
      traits: rule.traits ?? [],
    };
    for (const [index, verb] of rule.verbs.entries()) {
      if (!verbs.has(verb)) {
        throw new LexiconError(`/refinements/${at}/verbs/${index}`, `"${verb}" is not a verb of this lexicon`);
      }
      const known = refinements.get(verb);
      if (known) known.push(refinement);
      else refinements.set(verb, [refinement]);
    }
  }
  return refinements;
}

function compileCommands(file: LexiconFile): Map<string, CommandEntry> {
  const commands = new Map<string, CommandEntry>();
  for (const [at, entry] of file.commands.entries()) {
    if (commands.has(entry.command)) {
      throw new LexiconError(`/commands/${at}/command`, `the command "${entry.command}" is listed twice`);
    }
    commands.set(entry.command, {
      command: entry.command,
      action: entry.action,
      effect: entry.effect ?? effectOfAction(entry.action),
      traits: entry.traits ?? [],
      object: entry.object,
      domain: entry.domain,
    });
  }
  return commands;
}

function compileDomains(file: LexiconFile, plurals: ReadonlyMap<string, string>): Map<string, string> {
  const domains = new Map<string, string>();
  for (const [domain, nouns] of Object.entries(file.domains)) {
    for (const [index, noun] of nouns.entries()) {
      const known = domains.get(noun);
      if (known !== undefined) {
        throw new LexiconError(
          `/domains/${domain}/${index}`,
          `the noun "${noun}" is listed twice, in ${known} and ${domain}`,
        );
      }
      if (singular(noun, plurals) !== noun) {
        throw new LexiconError(
          `/domains/${domain}/${index}`,
          `nouns are listed in the singular: "${singular(noun, plurals)}"`,
        );
      }
      domains.set(noun, domain);
    }
  }
  return domains;
}

function phrases<T>(lists: [value: T, words: readonly string[], pointer: string][]): PhraseTable<T> {
  const table = new PhraseTable<T>();
  for (const [value, words, pointer] of lists) {
    for (const [index, phrase] of words.entries()) {
      if (table.get(phrase) !== undefined) throw new LexiconError(`${pointer}/${index}`, `"${phrase}" is listed twice`);
      table.add(phrase, value);
    }
  }
  return table;
}

function compileSignals(file: LexiconFile): Map<string, Signal[]> {
  const signals = new Map<string, Signal[]>();
  for (const { name, start = false, gap = 0, strength = 'attack', steps } of file.signals) {
    const signal: Signal = { name, start, gap, strength, steps: steps.map((step) => new Set(step)) };
    for (const word of steps[0] ?? []) signals.set(word, [...(signals.get(word) ?? []), signal]);
  }
  return signals;
}
