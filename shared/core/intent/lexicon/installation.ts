// Compiles the words of an installation into the tables of the parser, which those of an organisation are layered over.
import { compileAssessment } from './assessment.ts';
import { compileCodeWords } from './code-words.ts';
import { compilePrograms } from './programs.ts';
import {
  commandGroups,
  compileCommandNouns,
  compileCommands,
  compileCommandVerbs,
  compileEmptying,
  compileSameCommands,
} from './commands.ts';
import { compileForms, compileNominals, compileParticiples } from './forms.ts';
import { compileFrames } from './frames.ts';
import { compileHarm } from './harm.ts';
import { singular } from './inflection.ts';
import { compileLanguages } from './languages.ts';
import { compileLearned } from './learned.ts';
import { compilePhrasings } from './phrasings.ts';
import type { LexiconFile } from './schema.ts';
import { compileSettingKinds, compileSettings } from './settings.ts';
import {
  byVerb,
  compileDomains,
  compileMarkers,
  compilePhrases,
  compilePhraseTables,
  compileSignals,
  compileVerbs,
  objectsOf,
  pluralsOf,
  readRefinements,
  type Report,
} from './tables.ts';
import type { Prefix } from './types.ts';
import { compileWordForms } from './word-forms.ts';
import { compileWordKinds } from './word-kinds.ts';

/** The tables, each with what it is for; mistakes are reported. */
export function compileInstallation(file: LexiconFile, report: Report) {
  const verbs = compileVerbs(file, report);
  for (const [index, noun] of file.alsoNouns.entries())
    if (!verbs.has(noun)) report(`/alsoNouns/${index}`, `"${noun}" is not a verb of this lexicon`);
  const plurals = new Map(Object.entries(file.irregularPlurals));
  const domainOfNoun = compileDomains(file.domains, plurals, report);
  const commands = compileCommands(file, report);
  const signals = compileSignals(file.signals);
  const verbForms = compileForms(verbs);
  const { all, many } = file.quantifiers;
  const codeWords = compileCodeWords(file.codeWords);
  const { verbs: destroying = [], others = [] } = file.destructiveWords ?? {};
  return {
    verbs,
    /** Every form of every verb, phrases included. */
    verbForms,
    /** Past participles: `deleted`, `shut down`. */
    participles: compileParticiples(verbs),
    /** Nouns that name the action of a verb and not a thing: `deletion`, but not `payment`. */
    nominals: compileNominals(verbs, new Set([...domainOfNoun.keys(), ...file.genericNouns, ...file.containerNouns])),
    refinements: byVerb(readRefinements(file.refinements, (verb) => verbs.has(verb), report)),
    commands,
    /** Commands whose next words decide: `git`, `aws s3`. */
    commandGroups: commandGroups(commands.keys()),
    /** Verbs of subcommands and functions. */
    commandVerbs: compileCommandVerbs(file.commandVerbs),
    commandNouns: compileCommandNouns(file.commandNouns),
    /** Names of commands that others have too, by the first word and the second, which may be empty. */
    sameCommands: compileSameCommands(file.sameCommands, report),
    /** Words in the names of settings that keep things, with the values that leave nothing. */
    emptying: compileEmptying(file.emptying),
    /** Words in the names of fields, with the values by which an update ends or disables what has them: `active` with `false`. */
    disabling: compileEmptying(file.disabling),
    /** What is done by setting a value. */
    settings: compileSettings(file.settings),
    /** Which other settings are ordinary, and which are not; the first kind counts that a setting is of. */
    settingKinds: compileSettingKinds(file.settingKinds, codeWords),
    codeWords,
    programs: compilePrograms(file.programs, report),
    /** Every object that a refinement lists. */
    refinedObjects: objectsOf(file.refinements),
    domainOfNoun,
    domains: new Set([...Object.keys(file.domains), file.defaultDomain]),
    defaultDomain: file.defaultDomain,
    synonyms: new Map(Object.entries(file.synonyms)),
    plurals: new Map([...pluralsOf(domainOfNoun.keys(), plurals), ...plurals]),
    ...compilePhraseTables(file, report),
    internalHosts: file.internalHosts.map((host) => host.toLowerCase()) as readonly string[],
    quantifiers: compilePhrases(
      [
        ['all', '/quantifiers/all', all],
        ['many', '/quantifiers/many', many],
      ],
      report,
    ),
    prefixes: compilePhrases<Prefix>(
      [
        ['polite', '/politePrefixes', file.politePrefixes],
        ['negation', '/negations', file.negations],
      ],
      report,
    ),
    compounds: compilePhrases([['compound', '/compounds', file.compounds]], report),
    genericNouns: new Set(file.genericNouns),
    containerNouns: new Set(file.containerNouns),
    fillers: new Set(file.fillers),
    foreignWords: new Set(file.foreignWords),
    wordKinds: compileWordKinds(file, report),
    signals,
    ...compileFrames(file, signals, report),
    /** Literal openings of forged messages, as patterns by a character that they contain. */
    markers: compileMarkers(file.markers),
    languages: compileLanguages(file.languages ?? {}, report),
    /** Words without a meaning of their own: articles, prepositions, auxiliaries. */
    functionWords: new Set(file.functionWords),
    clauseOpeners: new Set(file.clauseOpeners),
    /** Adjectives, adverbs and nouns that change nothing about what is requested. */
    commonWords: new Set(file.commonWords),
    /** Words that destroy, in any spelling. */
    destructiveWords: compileWordForms(
      destroying,
      others,
      (word) => verbForms.get(word) !== undefined || domainOfNoun.has(singular(word, plurals)),
    ),
    phrasings: compilePhrasings(file.phrasings ?? { kinds: {}, patterns: [] }, report),
    learned: compileLearned(file.learned, report),
    harm: compileHarm(file.harm, report),
    assessment: compileAssessment(file.assessment, report),
  };
}
