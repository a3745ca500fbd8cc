// The action word of a normalized string: its meaning, also when look-alike characters disguise it.
import { ACTION_CLASSES, type ActionClass, type Trait } from '../../../kernel/vocabulary.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { wordAsItLooks } from '../text/look-alikes.ts';

export const CLASSES: ReadonlySet<string> = new Set(ACTION_CLASSES);

/** The meaning of an action word: one of the nine classes, `unknown`, or a finer verb of the lexicon. */
export type ActionWord = Pick<VerbEntry, 'verb' | 'effect' | 'traits'> & { readonly action: ActionClass | 'unknown' };

/**
 * A text that publishes something has the string `data.send.report`, so whoever enforces that string alone may mean to publish: the bare
 * class has the trait of its gravest verbs. The other classes have theirs in the lexicon, except `delete`, which is destructive anyway.
 */
const SENT: readonly Trait[] = ['external'];

const NOT_KNOWN: ActionWord = { verb: 'unknown', action: 'unknown', effect: 'write', traits: [] };

/** The entry of a word in the lexicon's own spelling. */
function entryOf(word: string, lexicon: Lexicon): VerbEntry | undefined {
  return (
    lexicon.verbs.get(word) ??
    lexicon.verbs.get(word.replaceAll('_', ' ')) ??
    lexicon.verbs.get(word.replaceAll('_', '-'))
  );
}

/** Whether a word is an action as written, without undoing a disguise. */
const isWritten = (word: string, lexicon: Lexicon): boolean =>
  word === 'unknown' || CLASSES.has(word) || entryOf(word, lexicon) !== undefined;

/** The meaning of a word in action position, or undefined when it neither is nor looks like a class or a verb of the lexicon. */
export function actionOf(word: string, lexicon: Lexicon): ActionWord | undefined {
  if (isWritten(word, lexicon)) return writtenAction(word, lexicon);
  const plain = wordAsItLooks(word, (other) => writtenAction(other, lexicon) !== undefined);
  return plain === undefined ? undefined : writtenAction(plain, lexicon);
}

function writtenAction(word: string, lexicon: Lexicon): ActionWord | undefined {
  if (word === 'unknown') return NOT_KNOWN;
  const entry = entryOf(word, lexicon);
  if (CLASSES.has(word)) {
    // The nine classes always keep their meaning, whatever a lexicon defines for these words.
    const action = word as ActionClass; // checked by the set, which holds exactly the classes
    const traits: readonly Trait[] = entry?.action === action ? entry.traits : [];
    return { verb: word, action, effect: effectOfAction(action), traits: action === 'send' ? SENT : traits };
  }
  return entry && !entry.weak ? entry : undefined;
}

/**
 * The action word as it looks: `de1ete` is `delete` in disguise. A verb without much meaning (`do`) is not an action by itself, but its
 * meaning with the object still counts: `verb` is the word that refinements list.
 */
export function spokenAction(
  word: string,
  lexicon: Lexicon,
): { reading: ActionWord; verb: string; disguised: boolean } {
  const reading = actionOf(word, lexicon);
  if (reading === undefined)
    return { reading: NOT_KNOWN, verb: entryOf(word, lexicon)?.verb ?? 'unknown', disguised: false };
  return { reading, verb: reading.verb, disguised: !isWritten(word, lexicon) };
}
