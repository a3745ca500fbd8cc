// Checks a lexicon file and compiles it into the tables that the parser uses.
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { toPresentForm } from './earlier.ts';
import { compileInstallation } from './installation.ts';
import { extendLexicon } from './organisation.ts';
import { checkLexicon, digestOfLexicon, type LexiconProblem } from './problems.ts';
import type { LexiconFile } from './schema.ts';
import { createSpelling } from './spelling.ts';
import type { Lexicon, Words } from './types.ts';
import { WordMemory, WordTable } from './word-table.ts';

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
const digests = new WeakMap<Lexicon, string>();

function remember(lexicons: Map<string, WeakRef<Lexicon>>, digest: string, lexicon: Lexicon): Lexicon {
  for (const [each, reference] of lexicons) if (reference.deref() === undefined) lexicons.delete(each);
  lexicons.set(digest, new WeakRef(lexicon));
  digests.set(lexicon, digest);
  return lexicon;
}

/**
 * Compiles a lexicon from the parsed JSON of its file, or returns the one in use that has the same text. @throws {LexiconError} with all
 * mistakes: violations of the schema; or else a verb, command, noun or phrase listed twice, references to unlisted verbs, and an
 * organisation that would weaken the meaning of a word.
 * @param digest of the text, where it is known: to serialise a lexicon takes ten milliseconds
 */
export function compileLexicon(json: unknown, digest = digestOfLexicon(json)): Lexicon {
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
export function compileStoredLexicon(json: unknown, digest = digestOfLexicon(json)): Lexicon {
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

/** The digest of the text of a lexicon that was compiled here (`digestOfLexicon`); undefined for that of one organisation. */
export const digestOfCompiled = (lexicon: Lexicon): string | undefined => digests.get(lexicon);

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
