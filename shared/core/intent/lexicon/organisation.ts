// Layers the words of one organisation over those of the installation. It may add and refine meanings; it may not weaken them.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { EFFECTS } from '../../../kernel/vocabulary.ts';
import { commandGroups, compileCommands, namedCommands } from './commands.ts';
import { participles, singular, verbForms } from './inflection.ts';
import { layered } from './layers.ts';
import type { CommandEntry, Doing, Refinement, VerbEntry, Words } from './types.ts';
import { compileForms, compileNominals, compileParticiples } from './forms.ts';
import type { OrganisationFile } from './schema.ts';
import {
  byVerb,
  compileDomains,
  compilePhraseTables,
  compileVerbs,
  doingOf,
  pluralsOf,
  objectsOf,
  readRefinements,
  type Report,
} from './tables.ts';

/** Severity of the classes: a word may move to a more severe class, never to one of equal severity, because policies name classes. */
const GRAVITY: Readonly<Record<ActionClass, number>> = {
  read: 0,
  create: 1,
  update: 1,
  execute: 1,
  send: 2,
  transfer: 3,
  grant: 3,
  revoke: 3,
  delete: 4,
};

/** Whether `own` is weaker than `known`: a lesser effect, another class that is not more severe, or a missing trait. */
function lowers(own: Doing, known: Doing): boolean {
  return (
    EFFECTS.indexOf(own.effect) < EFFECTS.indexOf(known.effect) ||
    (own.action !== known.action && GRAVITY[own.action] <= GRAVITY[known.action]) ||
    known.traits.some((trait) => !own.traits.includes(trait))
  );
}

/** A definition such as a `delete` that only reads is refused before any comparison. */
const PRETENDS = 'only `read` has the effect read: an organisation may not say otherwise';
const pretends = ({ action, effect }: Doing): boolean => effect === 'read' && action !== 'read';

function shown({ action, effect, traits }: Doing): string {
  return [action, effect, ...traits].filter((word, at, all) => all.indexOf(word) === at).join(', ');
}

function lowered(name: string, known: Doing & { readonly name: string }): string {
  const what = name === known.name ? `"${name}"` : `"${name}" would hide "${known.name}", which`;
  return `${what} is ${shown(known)} in the whole installation: an organisation may not make it less`;
}

/** The installation's verbs that a text may contain inside a form of this one: redefining it would hide them. */
function verbsWithin(verb: string, base: Words): VerbEntry[] {
  const found = new Set<VerbEntry>();
  const add = (entry: VerbEntry | undefined): void => {
    if (entry !== undefined) found.add(entry);
  };
  for (const text of [...verbForms(verb).map(([form]) => form), ...participles(verb)]) {
    add(base.verbForms.get(text)?.entry ?? base.participles.get(text));
    add(base.nominals.get(text));
    const words = text.split(' ');
    for (let from = 0; from < words.length; from += 1) {
      for (let to = from + 1; to <= words.length; to += 1) {
        const part = words.slice(from, to).join(' ');
        const entry = base.verbForms.get(part)?.entry ?? base.participles.get(part);
        // `raise ticket`: after the first word, a word that may be noun or verb is a noun.
        if (from === 0 || entry?.alsoNoun !== true) add(entry);
      }
    }
  }
  return [...found];
}

function ownVerbs({ verbs = [], alsoNouns = [] }: OrganisationFile, base: Words, report: Report) {
  const own = compileVerbs({ verbs, alsoNouns }, report);
  for (const [at, group] of verbs.entries()) {
    if (group.action !== 'read' && group.effect === 'read') report(`/verbs/${at}/effect`, PRETENDS);
    for (const [index, verb] of group.verbs.entries()) {
      const entry = own.get(verb);
      const known = entry && verbsWithin(verb, base).find((other) => lowers(entry, other));
      if (known) report(`/verbs/${at}/verbs/${index}`, lowered(verb, { name: known.verb, ...known }));
    }
  }
  for (const [index, noun] of alsoNouns.entries()) {
    if (base.verbs.has(noun))
      report(`/alsoNouns/${index}`, `"${noun}" is a verb of the whole installation, which alone says how it is read`);
    else if (!own.has(noun)) report(`/alsoNouns/${index}`, `"${noun}" is not a verb of this organisation`);
  }
  const entries = [...own.values()].map((entry): VerbEntry => {
    const known = base.verbs.get(entry.verb);
    return known ? { ...entry, object: entry.object ?? known.object, alsoNoun: known.alsoNoun } : entry;
  });
  return new Map(entries.map((entry) => [entry.verb, entry]));
}

/** Refinements of the installation come first; those weaker than the organisation's own verb are dropped. */
function ownRefinements(
  { refinements = [] }: OrganisationFile,
  base: Words,
  own: ReadonlyMap<string, VerbEntry>,
  report: Report,
) {
  const read = readRefinements(refinements, (verb) => own.has(verb) || base.verbs.has(verb), report);
  const kept = (verb: string): readonly Refinement[] => {
    const entry = own.get(verb);
    const known = base.refinements.get(verb) ?? [];
    return entry === undefined ? known : known.filter((rule) => !lowers(rule, entry));
  };
  for (const [at, { verbs, ...rule }] of read.entries()) {
    if (pretends(rule)) report(`/refinements/${at}/effect`, PRETENDS);
    for (const { verb, pointer } of verbs) {
      const dropped = (base.refinements.get(verb) ?? []).filter((other) => !kept(verb).includes(other));
      const known = [...verbsWithin(verb, base), ...dropped.map((other) => ({ verb, ...other }))].find((other) =>
        lowers(rule, other),
      );
      if (known) report(pointer, lowered(verb, { name: known.verb, ...known }));
    }
  }
  const added = byVerb(read);
  const verbs = [...added.keys(), ...[...own.keys()].filter((verb) => base.refinements.has(verb))];
  return new Map(verbs.map((verb) => [verb, [...kept(verb), ...(added.get(verb) ?? [])]]));
}

function ownCommands({ commands = [] }: OrganisationFile, base: Words, report: Report) {
  const own = compileCommands({ commands }, report);
  for (const [at, given] of commands.entries())
    if (pretends(doingOf(given))) report(`/commands/${at}/effect`, PRETENDS);
  for (const { name: command, pointer } of namedCommands({ commands })) {
    const entry = own.get(command);
    const words = command.split(' ');
    const begins = words.map((_, until) => words.slice(0, until + 1).join(' '));
    const known = [...begins, (words[0] ?? '').split('.', 1)[0] ?? '']
      .flatMap((name) => base.commands.get(name) ?? [])
      .find((other) => entry !== undefined && lowers(entry, other));
    if (known) report(pointer, lowered(command, { name: known.command, ...known }));
    const same = base.commands.get(command);
    if (entry !== undefined && same !== undefined) own.set(command, withRulesOf(same, entry));
  }
  return own;
}

/** An organisation's command with all rules of the installation's: none that makes it graver may be lost, and no dry run may be added. */
const withRulesOf = (base: CommandEntry, own: CommandEntry): CommandEntry => ({
  ...own,
  ...{ verbAt: base.verbAt, dryRun: base.dryRun, valued: base.valued, runs: base.runs },
  options: [...base.options, ...own.options],
  sends: base.sends || own.sends,
  unseen: base.unseen || own.unseen,
  targets: base.targets,
});

const EVERYWHERE = 'in the whole installation: an organisation may not rename it';
const isNoun = (word: string, { domainOfNoun, nominals, genericNouns, containerNouns }: Words): boolean =>
  [domainOfNoun, nominals, genericNouns, containerNouns].some((nouns) => nouns.has(word));

/** A synonym would remove a noun from the refinements that list it. */
function ownSynonyms({ synonyms = {} }: OrganisationFile, base: Words, report: Report) {
  for (const [noun, name] of Object.entries(synonyms)) {
    const known = base.synonyms.get(noun) ?? (isNoun(noun, base) ? noun : undefined);
    if (known !== undefined && known !== name)
      report(`/synonyms/${noun}`, `"${noun}" stands for the noun "${known}" ${EVERYWHERE}`);
  }
  return new Map(Object.entries(synonyms));
}

function ownPlurals({ irregularPlurals = {} }: OrganisationFile, base: Words, report: Report) {
  for (const [plural, one] of Object.entries(irregularPlurals)) {
    const known = singular(plural, base.plurals);
    if (one !== known && isNoun(known, base))
      report(`/irregularPlurals/${plural}`, `"${plural}" stands for the noun "${known}" ${EVERYWHERE}`);
  }
  return new Map(Object.entries(irregularPlurals));
}

/**
 * The lexicon of one organisation: small, because all other words are looked up in the installation's. Mistakes are reported with pointers
 * into the part; the result is then unusable.
 */
export function extendLexicon(base: Words, part: OrganisationFile, report: Report): Words {
  const verbs = ownVerbs(part, base, report);
  const plurals = layered(ownPlurals(part, base, report), base.plurals);
  const domainOfNoun = compileDomains(part.domains ?? {}, plurals, report);
  const commands = ownCommands(part, base, report);
  const isThing = (noun: string): boolean => {
    const known = base.nominals.get(noun);
    if (known !== undefined) return !verbs.has(known.verb);
    if (base.domainOfNoun.has(noun) || domainOfNoun.has(noun)) return true;
    return base.verbs.has(noun) || base.genericNouns.has(noun) || base.containerNouns.has(noun);
  };
  return {
    ...base,
    verbs: layered(verbs, base.verbs),
    verbForms: compileForms(verbs, base.verbForms),
    participles: compileParticiples(verbs, base.participles),
    nominals: layered(compileNominals(verbs, { has: isThing }), base.nominals),
    refinements: layered(ownRefinements(part, base, verbs, report), base.refinements),
    refinedObjects: new Set([...base.refinedObjects, ...objectsOf(part.refinements ?? [])]),
    domains: new Set([...base.domains, ...Object.keys(part.domains ?? {})]),
    commands: layered(commands, base.commands),
    commandGroups: new Set([...base.commandGroups, ...commandGroups(commands.keys())]),
    domainOfNoun: layered(domainOfNoun, base.domainOfNoun),
    synonyms: layered(ownSynonyms(part, base, report), base.synonyms),
    plurals: layered(pluralsOf(domainOfNoun.keys(), plurals), plurals),
    ...compilePhraseTables(part, report, base),
    internalHosts: [...base.internalHosts, ...(part.internalHosts ?? []).map((host) => host.toLowerCase())],
  };
}
