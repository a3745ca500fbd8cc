// Compiles the lists of a lexicon file into look-up tables and reports mistakes that a schema can not express.
import { DATA_CLASSES, type DataClass, type Trait } from '../../../kernel/vocabulary.ts';
import { effectOfAction } from './effect.ts';
import { singular } from './inflection.ts';
import type { LexiconFile, OrganisationFile } from './schema.ts';
import type { Doing, Refinement, Signal, VerbEntry } from './types.ts';
import { PhraseTable } from './phrase-table.ts';

/** Called with each mistake: the RFC 6901 pointer of the member, a message, and the pointer of the first mention of what is listed twice. */
export type Report = (pointer: string, message: string, first?: string) => void;

/** Reports each name that is listed again, with the place of the first one. @returns whether a name is there for the first time */
export function listingOnce(report: Report): (name: string, pointer: string, message: string) => boolean {
  const places = new Map<string, string>();
  return (name, pointer, message) => {
    const first = places.get(name);
    if (first === undefined) places.set(name, pointer);
    else report(pointer, message, first);
    return first === undefined;
  };
}

/** Reports the examples of an entry in which it does not occur, and the texts `against` it in which it does. */
export function checkExamples(
  { examples, against }: { readonly examples: readonly string[]; readonly against: readonly string[] },
  pointer: string,
  occursIn: (text: string) => boolean,
  says: { readonly lacks: string; readonly has: string },
  report: Report,
): void {
  for (const [index, text] of examples.entries())
    if (!occursIn(text)) report(`${pointer}/examples/${index}`, `${says.lacks} in "${text}"`);
  for (const [index, text] of against.entries())
    if (occursIn(text)) report(`${pointer}/against/${index}`, `${says.has} in "${text}"`);
}

type VerbGroups = LexiconFile['verbs'];

/** What is done, with the effect that its class has by default. */
export const doingOf = ({
  action,
  effect = effectOfAction(action),
  traits = [],
}: Partial<Doing> & Pick<Doing, 'action'>) => ({
  action,
  effect,
  traits,
});

export function compileVerbs(
  { verbs: groups, alsoNouns = [] }: { readonly verbs: VerbGroups; readonly alsoNouns?: readonly string[] },
  report: Report,
): Map<string, VerbEntry> {
  const verbs = new Map<string, VerbEntry>();
  const isFirst = listingOnce(report);
  const nouns = new Set(alsoNouns);
  for (const [at, group] of groups.entries()) {
    const { action, effect, traits } = doingOf(group);
    for (const [index, verb] of group.verbs.entries()) {
      if (!isFirst(verb, `/verbs/${at}/verbs/${index}`, `the verb "${verb}" is listed twice`)) continue;
      verbs.set(verb, {
        verb,
        action,
        effect,
        traits,
        object: group.object,
        mentions: group.mentions ?? false,
        weak: group.weak ?? false,
        alsoNoun: nouns.has(verb),
      });
    }
  }
  return verbs;
}

export interface ReadRefinement extends Refinement {
  readonly verbs: readonly { readonly verb: string; readonly pointer: string }[];
}

export function readRefinements(
  rules: LexiconFile['refinements'],
  isVerb: (verb: string) => boolean,
  report: Report,
): ReadRefinement[] {
  return rules.map((rule, at) => {
    if (rule.objects === undefined && rule.preposition === undefined)
      report(`/refinements/${at}`, 'needs `objects` or `preposition`');
    const verbs = rule.verbs.map((verb, index) => ({ verb, pointer: `/refinements/${at}/verbs/${index}` }));
    for (const { verb, pointer } of verbs)
      if (!isVerb(verb)) report(pointer, `"${verb}" is not a verb of this lexicon`);
    return {
      verbs,
      objects: rule.objects && new Set(rule.objects),
      prepositions: rule.preposition && new Set(rule.preposition),
      ...doingOf(rule),
    };
  });
}

/** Every object that a refinement lists. */
export const objectsOf = (rules: readonly { readonly objects?: readonly string[] }[]): Set<string> =>
  new Set(rules.flatMap(({ objects }) => objects ?? []));

/** Groups refinements by verb, in file order. */
export function byVerb(refinements: readonly ReadRefinement[]): Map<string, Refinement[]> {
  const found = new Map<string, Refinement[]>();
  for (const { verbs, objects, prepositions, action, effect, traits } of refinements) {
    const refinement = { objects, prepositions, action, effect, traits };
    for (const { verb } of verbs) {
      const known = found.get(verb);
      if (known) known.push(refinement);
      else found.set(verb, [refinement]);
    }
  }
  return found;
}

export function compileDomains(
  domains: LexiconFile['domains'],
  plurals: ReadonlyMap<string, string>,
  report: Report,
): Map<string, string> {
  const found = new Map<string, string>();
  const isFirst = listingOnce(report);
  for (const [domain, nouns] of Object.entries(domains)) {
    for (const [index, noun] of nouns.entries()) {
      const pointer = `/domains/${domain}/${index}`;
      const one = singular(noun, plurals);
      const twice = `the noun "${noun}" is listed twice, in ${found.get(noun)} and ${domain}`;
      if (one !== noun) report(pointer, `nouns are listed in the singular: "${one}"`);
      else if (isFirst(noun, pointer, twice)) found.set(noun, domain);
    }
  }
  return found;
}

/** `bogie` gives `bogies`, `axe` gives `axes`: regular plurals of listed nouns that the general rules would assign to another noun. */
export function pluralsOf(nouns: Iterable<string>, plurals: ReadonlyMap<string, string>): Map<string, string> {
  const regular = [...nouns].filter((noun) => !/(?:[sxz]|[cs]h|[^aeiou]y)$/.test(noun));
  const misread = regular.filter((noun) => !plurals.has(`${noun}s`) && singular(`${noun}s`, plurals) !== noun);
  return new Map(misread.map((noun) => [`${noun}s`, noun]));
}

/** Phrases with their value, and the pointer of their list in the file. */
type PhraseList<Value> = readonly [value: Value, pointer: string, phrases: readonly string[]];

/**
 * A table of phrases, each listed once. Layered over the installation's table, a phrase must not change the meaning of one of its phrases,
 * nor hide a phrase that is its beginning.
 */
export function compilePhrases<Value extends string>(
  lists: readonly PhraseList<Value>[],
  report: Report,
  below?: PhraseTable<Value>,
): PhraseTable<Value> {
  if (below !== undefined && lists.every(([, , phrases]) => phrases.length === 0)) return below;
  const table = new PhraseTable<Value>(below);
  const isFirst = listingOnce(report);
  for (const [value, pointer, phrases] of lists) {
    for (const [index, phrase] of phrases.entries()) {
      const words = phrase.split(' ');
      const hidden = words
        .map((_, at) => words.slice(0, at + 1).join(' '))
        .find((part) => (below?.get(part) ?? value) !== value);
      const place = `${pointer}/${index}`;
      if (isFirst(phrase, place, `"${phrase}" is listed twice`) && hidden !== undefined)
        report(place, hides(phrase, hidden, below?.get(hidden)));
      table.add(phrase, value);
    }
  }
  return table;
}

/** The tables of phrases that the installation and each organisation may have. */
interface PhraseTables {
  readonly dataClasses: PhraseTable<DataClass>;
  readonly places: PhraseTable<string>;
  readonly traitPhrases: PhraseTable<Trait>;
}

export function compilePhraseTables(file: OrganisationFile, report: Report, below?: PhraseTables): PhraseTables {
  const { dataClasses = {}, places = [], privileged = [], money = [], external = [], irreversible = [] } = file;
  const classes = DATA_CLASSES.map((name) => [name, `/dataClasses/${name}`, dataClasses[name] ?? []] as const);
  const named = places.map(({ place, words }, at) => [place, `/places/${at}/words`, words] as const);
  const traits: readonly PhraseList<Trait>[] = [
    ['privileged', '/privileged', privileged],
    ['financial', '/money', money],
    ['external', '/external', external],
    ['irreversible', '/irreversible', irreversible],
  ];
  return {
    dataClasses: compilePhrases(classes, report, below?.dataClasses),
    places: compilePhrases(named, report, below?.places),
    traitPhrases: compilePhrases(traits, report, below?.traitPhrases),
  };
}

function hides(phrase: string, hidden: string, value: string | undefined): string {
  const what = phrase === hidden ? `"${phrase}"` : `"${phrase}" begins with "${hidden}", which`;
  return `${what} stands for ${value} in the whole installation: an organisation may not change that`;
}

export function compileSignals(signals: LexiconFile['signals']): Map<string, Signal[]> {
  const found = new Map<string, Signal[]>();
  for (const { name, start = false, gap = 0, strength = 'attack', steps } of signals) {
    const signal: Signal = { name, start, gap, strength, steps: steps.map((step) => new Set(step)) };
    for (const word of steps[0] ?? []) found.set(word, [...(found.get(word) ?? []), signal]);
  }
  return found;
}

/**
 * Groups the markers into patterns by a character that all markers of the group contain: their first non-letter, which is rarer than
 * letters, else their first character. A text without these characters has no marker, and one pattern finds many markers in one pass.
 */
export function compileMarkers(markers: readonly string[]): Map<string, RegExp> {
  const found = new Map<string, string[]>();
  for (const marker of markers) {
    const sign = /[^a-z0-9\s]/.exec(marker)?.[0] ?? marker.charAt(0);
    found.set(sign, [...(found.get(sign) ?? []), marker.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')]);
  }
  return new Map([...found].map(([sign, patterns]) => [sign, new RegExp(patterns.join('|'))]));
}
