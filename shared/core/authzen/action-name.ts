// The meaning of an AuthZEN action name: by the table of the policy set, else by the lexicon's words in it.
import { EFFECTS } from '../../kernel/vocabulary.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { fold } from '../intent/resource.ts';
import { type ActionWord, actionOf } from '../intent/strings/action-word.ts';
import type { AuthzenFile } from './schema.ts';

/** Longer names are not read. */
const MAX_NAME_LENGTH = 256;
/** Words of a name: at `_`, `-`, `.`, `:`, `/`, spaces, and where a capital letter follows a small one. */
const BOUNDARY = /[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
const UNKNOWN = 'unknown';

const isAtLeastAsStrict = (one: ActionWord, other: ActionWord): boolean =>
  EFFECTS.indexOf(one.effect) >= EFFECTS.indexOf(other.effect) &&
  other.traits.every((trait) => one.traits.includes(trait));

/**
 * The action word that stands for a name: a class or a verb of the lexicon, or `unknown`, which no ALLOW matches. In
 * `can_read_user` the first word counts. Another word that means more than it (`read_and_delete`) makes the name unknown,
 * so that a name cannot hide its effect behind a harmless beginning.
 */
export function actionWordOf(name: string, table: AuthzenFile['actions'], lexicon: Lexicon): string {
  if (Object.hasOwn(table, name)) return table[name] ?? UNKNOWN;
  if (name.length > MAX_NAME_LENGTH) return UNKNOWN;
  const words = name.normalize('NFKC').split(BOUNDARY).filter(Boolean).map(fold);
  const [first, ...others] = words[0] === 'can' ? words.slice(1) : words;
  const meant = first === undefined ? undefined : actionOf(first, lexicon);
  if (first === undefined || meant === undefined) return UNKNOWN;
  const isClear = others.every((other) => {
    const also = actionOf(other, lexicon);
    return also === undefined || isAtLeastAsStrict(meant, also);
  });
  return isClear ? first : UNKNOWN;
}
