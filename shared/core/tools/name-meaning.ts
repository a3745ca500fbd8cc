// What the words of a tool's name and of its description say about its effect.
import { actionRank, effectRank } from '../intent/assess/strictness.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { wordsOfName } from './name-words.ts';
import type { ActionClass, Effect, Trait } from '../../kernel/vocabulary.ts';

export interface Meaning {
  readonly word: string;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  /** The effect is destructive unless the server says in an annotation that it is not. */
  readonly mayBeMilder?: true;
}

const meanings = (
  words: string,
  action: ActionClass,
  effect: Effect,
  more: Pick<Meaning, 'mayBeMilder'> = {},
): [string, Meaning][] => words.split(' ').map((word) => [word, { word, action, effect, traits: [], ...more }]);

/** Words whose meaning in names of tools is another one than in sentences, or stricter. */
const TOOL_WORDS: ReadonlyMap<string, Meaning> = new Map([
  ...meanings('cat diff echo head ls pwd return returns tail', 'read', 'read'),
  ...meanings('mkdir', 'create', 'write'),
  // Content that is replaced is gone, whether or not the word sounds like it.
  ...meanings('change edit import modify overwrite patch put replace restore save set sync', 'update', 'destructive', {
    mayBeMilder: true,
  }),
  ...meanings('update upsert write', 'update', 'destructive', { mayBeMilder: true }),
  // These take something away from its place, also when an annotation calls that harmless.
  ...meanings('checkout move mv rebase rename reset revert rollback', 'update', 'destructive'),
  ...meanings('rm rmdir unlink', 'delete', 'destructive'),
  ...meanings('bash call command deploy eval evaluate exec execute install invoke', 'execute', 'destructive', {
    mayBeMilder: true,
  }),
  ...meanings('kill restart run script shell start stop terminal trigger', 'execute', 'destructive', {
    mayBeMilder: true,
  }),
]);

/** Words that name what is read, when a name has no verb: `git_log`, `directory_tree`. */
const READ_NOUNS = new Set(
  'blame diff health history info log logs metadata schema stats status tree version'.split(' '),
);

/** Of verbs of several words. */
const VERB_LENGTHS = [2, 3, 4];

interface Read {
  readonly meaning: Meaning;
  readonly isNoun: boolean;
}

function meaningOf(word: string, lexicon: Lexicon): Read | undefined {
  const own = TOOL_WORDS.get(word);
  if (own !== undefined) return { meaning: own, isNoun: false };
  const entry = lexicon.verbs.get(word);
  if (entry === undefined || entry.weak) return undefined;
  const { action, effect, traits, alsoNoun } = entry;
  return { meaning: { word, action, effect, traits }, isNoun: alsoNoun };
}

const strictnessOf = ({ effect, action }: Meaning): number => 10 * effectRank(effect) + actionRank(action);
const stricter = (a: Meaning, b: Meaning): Meaning => (strictnessOf(b) > strictnessOf(a) ? b : a);

/** What a name says; `isSure` is false when only a noun says it. */
export interface NameMeaning extends Meaning {
  readonly isSure: boolean;
}

/**
 * The strictest verb of a name: its first word, or any other word that is no noun, too. `git_create_branch` creates, although `branch`
 * could be a verb; `search_and_delete` deletes.
 */
export function meaningOfName(name: string, lexicon: Lexicon): NameMeaning | undefined {
  const words = wordsOfName(name);
  const found = words.flatMap((word, at) => {
    // `get_rid_of` is another verb than `get`.
    const phrases = VERB_LENGTHS.map((length) => words.slice(at, at + length).join(' '));
    return [word, ...phrases].flatMap((one) => {
      const read = meaningOf(one, lexicon);
      return read === undefined ? [] : [{ ...read, at }];
    });
  });
  const verbs = found.filter(({ isNoun, at }) => !isNoun || at === 0).map(({ meaning }) => meaning);
  if (verbs.length > 0) return { ...verbs.reduce(stricter), isSure: true };
  const last = words.at(-1) ?? '';
  if (READ_NOUNS.has(last)) return { word: last, action: 'read', effect: 'read', traits: [], isSure: false };
  const [noun] = found;
  return noun && { ...noun.meaning, isSure: false };
}

/** `Deletes` as `deletes`, `delete`; `searches` as `search`. */
const forms = (word: string): string[] => [word, word.replace(/s$/, ''), word.replace(/es$/, '')];

/** The verb with which a description begins; adverbs before it are skipped. */
export function leadingVerb(description: string, lexicon: Lexicon): Meaning | undefined {
  const first = wordsOfName(description.slice(0, 200).toLowerCase()).find((word) => !word.endsWith('ly')) ?? '';
  for (const form of forms(first)) {
    const read = meaningOf(form, lexicon);
    if (read !== undefined) return read.meaning;
  }
  return undefined;
}

const DESTRUCTIVE_WORDS =
  /\b(?:overwrit\w*|delet\w*|remov\w*|eras(?:e|es|ed|ing)|destroy\w*|truncat\w*|wip(?:e|es|ed|ing)|irreversibl\w*|permanently)\b/i;

/** A word in a description that tells of something that can't be undone. */
export function destructiveWord(description: string): string | undefined {
  return DESTRUCTIVE_WORDS.exec(description)?.[0].toLowerCase();
}
