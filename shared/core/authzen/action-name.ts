// The meaning of an AuthZEN action name: by the table of the policy set, else by the lexicon's words in it.
import { EFFECTS } from '../../kernel/vocabulary.ts';
import { effectRank } from '../intent/assess/strictness.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { readNormalized } from '../intent/normalized.ts';
import { fold } from '../intent/resource.ts';
import { type ActionWord, actionOf } from '../intent/strings/action-word.ts';
import type { AuthzenFile } from './schema.ts';

/** Longer names are not read. */
const MAX_NAME_LENGTH = 256;
/** Words of a name: at `_`, `-`, `.`, `:`, `/`, spaces, and where a capital letter follows a small one. */
const BOUNDARY = /[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
/** `get_rid_of` is a verb of the lexicon. */
const MAX_VERB_WORDS = 4;
const UNKNOWN = 'unknown';

const isAtLeastAsStrict = (one: ActionWord, other: ActionWord): boolean =>
  EFFECTS.indexOf(one.effect) >= EFFECTS.indexOf(other.effect) &&
  other.traits.every((trait) => one.traits.includes(trait));

/** The longest verb with which the words begin, and its meaning. */
function verbOf(words: readonly string[], lexicon: Lexicon) {
  for (let count = Math.min(MAX_VERB_WORDS, words.length); count > 0; count -= 1) {
    const word = words.slice(0, count).join('_');
    const meaning = actionOf(word, lexicon);
    if (meaning !== undefined) return { word, meaning, words, others: words.slice(count) };
  }
  return undefined;
}

/** Whether no word means more than the verb: alone, as a command, or as the object of the verb in a string. */
function isClear({ word, meaning, words, others }: NonNullable<ReturnType<typeof verbOf>>, lexicon: Lexicon): boolean {
  const isMild = words.every((other) => {
    const also = actionOf(other, lexicon);
    const command = lexicon.commands.get(other)?.effect;
    const isDestruction = command === 'destructive' && meaning.effect !== 'destructive';
    return !isDestruction && (also === undefined || isAtLeastAsStrict(meaning, also));
  });
  if (!isMild || others.length === 0) return isMild;
  const read = readNormalized({ actionWord: word, segments: ['action', others.join('_')] }, lexicon);
  // Data of other classes is named by resources, too; who asks for credentials need not say so there.
  return (
    read.action === meaning.action &&
    effectRank(read.effect) <= effectRank(meaning.effect) &&
    read.flags.length === 0 &&
    !read.data_classes.includes('credentials')
  );
}

/**
 * The action word that stands for a name: a class or a verb of the lexicon, or `unknown`, which no ALLOW matches. In
 * `can_read_user` the first word counts. Another word that means more than it (`read_and_delete`, `read_secrets`) makes the name
 * unknown, so that a name cannot hide its effect behind a harmless beginning.
 */
export function actionWordOf(name: string, table: AuthzenFile['actions'], lexicon: Lexicon): string {
  if (Object.hasOwn(table, name)) return table[name] ?? UNKNOWN;
  // A percent sign may begin an escape, which some readers undo.
  if (name.length > MAX_NAME_LENGTH || name.includes('%')) return UNKNOWN;
  const words = name.normalize('NFKC').split(BOUNDARY).filter(Boolean).map(fold);
  const verb = verbOf(words[0] === 'can' ? words.slice(1) : words, lexicon);
  return verb !== undefined && isClear(verb, lexicon) ? verb.word : UNKNOWN;
}
