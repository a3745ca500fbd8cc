// The verbs that a parse may return: those of the lexicon, its commands, the action classes and the verbs of code.
import { type ActionClass, ACTIONS, type Effect } from '../../../kernel/vocabulary.ts';
import type { Lexicon } from './types.ts';

/** Verbs of statements and of code, which are defined in the parsers and not in the lexicon. */
const OF_CODE = ['select', 'insert', 'query', 'write', 'fork-bomb'];
/** Collecting the words of one organisation takes milliseconds. */
const MOST_ORGANISATIONS = 100;

export interface KnownVerbs {
  has(verb: string): boolean;
  /** What a verb of the installation does; undefined for other words, and for verbs that are also nouns. */
  effectOf(word: string): Effect | undefined;
  /** The action that a verb or command of the installation counts as; undefined for other words. */
  actionOf(word: string): ActionClass | undefined;
  /** Undefined when there are too many organisations; then no verb can be called unknown. */
  readonly all: readonly string[] | undefined;
}

/** The same as data, which can be given to a thread. */
export interface VerbTable {
  readonly effects: ReadonlyMap<string, Effect>;
  readonly actions: ReadonlyMap<string, ActionClass>;
  readonly all: readonly string[] | undefined;
}

/** The known verbs of a lexicon as data. */
export function tableOfVerbs(lexicon: Lexicon): VerbTable {
  const verbs = knownVerbs(lexicon);
  const effects = new Map<string, Effect>();
  const actions = new Map<string, ActionClass>();
  for (const word of [...lexicon.verbs.keys(), ...lexicon.commands.keys()]) {
    const [effect, action] = [verbs.effectOf(word), verbs.actionOf(word)];
    if (effect !== undefined) effects.set(word, effect);
    if (action !== undefined) actions.set(word, action);
  }
  return { effects, actions, all: verbs.all };
}

/** The verbs of which `tableOfVerbs` made a table. */
export function verbsOfTable({ effects, actions, all }: VerbTable): KnownVerbs {
  const words = all && new Set(all);
  return {
    effectOf: (word) => effects.get(word),
    actionOf: (word) => actions.get(word),
    has: (verb) => words === undefined || words.has(verb),
    all,
  };
}

/** The verbs of the installation and of every organisation that defines its own words. */
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
    effectOf(word) {
      const entry = lexicon.verbs.get(word);
      return entry === undefined || entry.weak || entry.alsoNoun ? undefined : entry.effect;
    },
    actionOf: (word) => (lexicon.verbs.get(word) ?? lexicon.commands.get(word))?.action,
    has: (verb) => lexicon.verbs.has(verb) || isTooMuch || words().has(verb),
    get all() {
      return isTooMuch ? undefined : [...words()];
    },
  };
}
