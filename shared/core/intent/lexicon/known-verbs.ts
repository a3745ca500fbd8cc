// The words that a reading may give as its verb: those of the lexicon, its commands, the action classes and what code is read as.
import { ACTIONS } from '../../../kernel/vocabulary.ts';
import type { Lexicon } from './types.ts';

/** Verbs of statements and of code: they stand in the readers, not in the lexicon. */
const OF_CODE = ['select', 'insert', 'query', 'write', 'fork-bomb'];
/** Each organisation's words take milliseconds to put together. */
const MOST_ORGANISATIONS = 100;

export interface KnownVerbs {
  has(verb: string): boolean;
  /** Undefined where there are too many to put together: then nobody can say that a word is not known. */
  readonly all: readonly string[] | undefined;
}

/** The verbs of the installation and of every organisation that has words of its own. */
export function knownVerbs(lexicon: Lexicon): KnownVerbs {
  let found: ReadonlySet<string> | undefined;
  const words = (): ReadonlySet<string> => {
    const lexicons = [lexicon, ...lexicon.organisations.map((slug) => lexicon.forOrganisation(slug))];
    found ??= new Set([
      ...ACTIONS,
      ...OF_CODE,
      ...lexicons.flatMap(({ verbs, commands }) => [...verbs.keys(), ...commands.keys()]),
    ]);
    return found;
  };
  const isTooMuch = lexicon.organisations.length > MOST_ORGANISATIONS;
  return {
    has: (verb) => lexicon.verbs.has(verb) || isTooMuch || words().has(verb),
    get all() {
      return isTooMuch ? undefined : [...words()];
    },
  };
}
