// Checks a lexicon file and compiles it into the tables that the parser uses.
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import type { Lexicon, Prefix, Words } from './types.ts';
import { compileCodeWords } from './code-words.ts';
import { compilePrograms } from './programs.ts';
import { compileSettings } from './settings.ts';
import {
  commandGroups,
  compileCommands,
  compileCommandNouns,
  compileCommandVerbs,
  compileEmptying,
  compileSameCommands,
} from './commands.ts';
import { compileAssessment } from './assessment.ts';
import { compileHarm } from './harm.ts';
import { compileLearned } from './learned.ts';
import { compileFrames } from './frames.ts';
import { compileForms, compileNominals, compileParticiples } from './forms.ts';
import { extendLexicon } from './organisation.ts';
import { singular } from './inflection.ts';
import { compileLanguages } from './languages.ts';
import { createSpelling } from './spelling.ts';
import { compileWordForms } from './word-forms.ts';
import { compilePhrasings } from './phrasings.ts';
import { compileWordKinds } from './word-kinds.ts';
import { WordMemory, WordTable } from './word-table.ts';
import { toPresentForm } from './earlier.ts';
import { checkLexicon, digestOfLexicon, type LexiconProblem } from './problems.ts';
import type { LexiconFile } from './schema.ts';
import {
  byVerb,
  compileDomains,
  compilePhrases,
  compilePhraseTables,
  compileMarkers,
  compileSignals,
  compileVerbs,
  pluralsOf,
  objectsOf,
  readRefinements,
  type Report,
} from './tables.ts';

/** Reports an invalid lexicon: its first mistake, and the others found with it. */
export class LexiconError extends Error {
  readonly pointer: string;
  readonly others: readonly LexiconProblem[];
  /** As in LexiconProblem. */
  readonly first: string | undefined;
  constructor({ pointer, message, first }: LexiconProblem, others: readonly LexiconProblem[] = []) {
    super(message);
    this.name = 'LexiconError';
    this.pointer = pointer;
    this.first = first;
    this.others = others;
  }
}

export { effectOfAction } from './effect.ts';

/** The number of organisations' lexicons that are cached; others are compiled again when needed. */
const MAX_READY = 1_000;

/**
 * The lexicons that this process has compiled and still uses, by the digest of their text. A check of policies, a replay and the set in
 * force mostly have the same lexicon, and compiling the shipped one takes half a second.
 */
const inUse = new Map<string, WeakRef<Lexicon>>();
/** Those of an earlier form, which only stored sets may have. */
const earlierInUse = new Map<string, WeakRef<Lexicon>>();
const leftOut = new WeakMap<Lexicon, readonly LexiconProblem[]>();

function remember(lexicons: Map<string, WeakRef<Lexicon>>, digest: string, lexicon: Lexicon): Lexicon {
  for (const [each, reference] of lexicons) if (reference.deref() === undefined) lexicons.delete(each);
  lexicons.set(digest, new WeakRef(lexicon));
  return lexicon;
}

/**
 * Compiles a lexicon from the parsed JSON of its file, or returns the one in use that has the same text. @throws {LexiconError} with all
 * mistakes: violations of the schema; or else a verb, command, noun or phrase listed twice, references to unlisted verbs, and an
 * organisation that would weaken the meaning of a word.
 */
export function compileLexicon(json: unknown): Lexicon {
  const digest = digestOfLexicon(json);
  const known = inUse.get(digest)?.deref();
  if (known !== undefined) return known;
  const checked = checkLexicon(json, digest);
  if (!checked.ok) throw errorOf(checked.problems);
  const { lexicon, problems } = build(checked.file);
  if (problems.length > 0) throw errorOf(problems);
  return remember(inUse, digest, lexicon);
}

/**
 * As compileLexicon, for a stored policy set, which an earlier version of the service may have accepted: kinds of words and members that it
 * lacks are empty, and what this version does not know is left out (`leftOutOf`). @throws {LexiconError} when it is no lexicon at all
 */
export function compileStoredLexicon(json: unknown): Lexicon {
  const digest = digestOfLexicon(json);
  const known = (inUse.get(digest) ?? earlierInUse.get(digest))?.deref();
  if (known !== undefined) return known;
  const present = toPresentForm(json, digest);
  if ('problems' in present) throw errorOf(present.problems);
  const built = build(present.file);
  const left = [...present.left, ...built.problems];
  if (left.length === 0) return remember(inUse, digest, built.lexicon);
  // Weights for other features than those of this version would be read as something else.
  const wrong = WEIGHTS.filter((name) => built.problems.some(({ pointer }) => pointer.startsWith(`/${name}`)));
  const without = Object.fromEntries(wrong.map((name) => [name, undefined]));
  const { lexicon } = wrong.length === 0 ? built : build({ ...present.file, ...without });
  leftOut.set(lexicon, left);
  return remember(earlierInUse, digest, lexicon);
}

const WEIGHTS = ['harm', 'learned', 'assessment'] as const;

/** What this version does not use of the lexicon of a stored set, and what it misses in it. Empty for a lexicon of the present form. */
export const leftOutOf = (lexicon: Lexicon): readonly LexiconProblem[] => leftOut.get(lexicon) ?? [];

function build(file: LexiconFile): { readonly lexicon: Lexicon; readonly problems: readonly LexiconProblem[] } {
  const problems: LexiconProblem[] = [];
  const base = compileInstallation(file, (pointer, message, first) => problems.push({ pointer, message, first }));
  const parts = new Map(Object.entries(file.organisations ?? {}));
  for (const [slug, part] of parts)
    extendLexicon(base, part, (pointer, message, first) => {
      const inPart = (place: string): string => `/organisations/${slug}${place}`;
      problems.push({ pointer: inPart(pointer), message, first: first && inPart(first) });
    });
  const organisations = [...parts.keys()];
  const spelling = createSpelling(base, base.verbs.keys(), plainWordsOf(base), file.spelledRight ?? []);
  const memory = new WordMemory();
  const ready = new BoundedCache<Lexicon>({ max: MAX_READY });
  const forOrganisation = (slug: string): Lexicon => {
    const part = parts.get(slug);
    if (part === undefined) return lexicon;
    let own = ready.get(slug);
    if (own === undefined) {
      const extended = extendLexicon(base, part, () => undefined);
      const words = new WordTable(extended, memory);
      own = { ...extended, words, spelling, organisations, forOrganisation };
      ready.set(slug, own);
    }
    return own;
  };
  const lexicon: Lexicon = { ...base, words: new WordTable(base, memory), spelling, organisations, forOrganisation };
  return { lexicon, problems };
}

/** The words beside verbs that a text may have misspelt. */
function* plainWordsOf(words: Words): Generator<string> {
  for (const noun of words.domainOfNoun.keys()) {
    yield noun;
    yield `${noun}s`;
  }
  yield* words.plurals.keys();
  yield* words.genericNouns;
  yield* words.containerNouns;
  yield* words.synonyms.keys();
  yield* words.fillers;
  yield* words.functionWords;
  yield* words.commonWords;
}

function errorOf([
  first = { pointer: '', message: 'is not a lexicon' },
  ...others
]: readonly LexiconProblem[]): LexiconError {
  return new LexiconError(first, others);
}

function compileInstallation(file: LexiconFile, report: Report): Words {
  const verbs = compileVerbs(file, report);
  for (const [index, noun] of file.alsoNouns.entries())
    if (!verbs.has(noun)) report(`/alsoNouns/${index}`, `"${noun}" is not a verb of this lexicon`);
  const plurals = new Map(Object.entries(file.irregularPlurals));
  const domainOfNoun = compileDomains(file.domains, plurals, report);
  const commands = compileCommands(file, report);
  const signals = compileSignals(file.signals);
  const forms = compileForms(verbs);
  return {
    verbs,
    verbForms: forms,
    participles: compileParticiples(verbs),
    nominals: compileNominals(verbs, new Set([...domainOfNoun.keys(), ...file.genericNouns, ...file.containerNouns])),
    refinements: byVerb(readRefinements(file.refinements, (verb) => verbs.has(verb), report)),
    commands,
    commandGroups: commandGroups(commands.keys()),
    commandVerbs: compileCommandVerbs(file.commandVerbs),
    commandNouns: compileCommandNouns(file.commandNouns),
    sameCommands: compileSameCommands(file.sameCommands, report),
    emptying: compileEmptying(file.emptying),
    disabling: compileEmptying(file.disabling),
    settings: compileSettings(file.settings),
    codeWords: compileCodeWords(file.codeWords),
    programs: compilePrograms(file.programs, report),
    refinedObjects: objectsOf(file.refinements),
    domainOfNoun,
    domains: new Set([...Object.keys(file.domains), file.defaultDomain]),
    defaultDomain: file.defaultDomain,
    synonyms: new Map(Object.entries(file.synonyms)),
    plurals: new Map([...pluralsOf(domainOfNoun.keys(), plurals), ...plurals]),
    ...compilePhraseTables(file, report),
    internalHosts: file.internalHosts.map((host) => host.toLowerCase()),
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
    wordKinds: compileWordKinds(file, report),
    signals,
    ...compileFrames(file, signals, report),
    markers: compileMarkers(file.markers),
    languages: compileLanguages(file.languages ?? {}, report),
    functionWords: new Set(file.functionWords),
    clauseOpeners: new Set(file.clauseOpeners),
    commonWords: new Set(file.commonWords),
    destructiveWords: compileWordForms(
      file.destructiveWords?.verbs ?? [],
      file.destructiveWords?.others ?? [],
      (word) => forms.get(word) !== undefined || domainOfNoun.has(singular(word, plurals)),
    ),
    phrasings: compilePhrasings(file.phrasings ?? { kinds: {}, patterns: [] }, report),
    learned: compileLearned(file.learned, report),
    harm: compileHarm(file.harm, report),
    assessment: compileAssessment(file.assessment, report),
  };
}
