// What the calls of tools ask for, by their names, which are read as sentences are: `search_tickets` as `search tickets`.
import { gravest, gravity, unknownCode } from '../code/code.ts';
import { doingOfCall } from '../code/call-effects.ts';
import { doingOfName, partsOf, verbIn } from '../code/names.ts';
import type { ToolCall } from '../code/tool-calls.ts';
import { type CandidateAction, changed } from '../grammar/candidate.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { candidateOfFragment } from './candidates.ts';

/** The most consequential request of a sentence. */
export type ReadSentence = (sentence: string) => CandidateAction | undefined;

const JOINS: ReadonlySet<string> = new Set(['and', 'then']);
const NOT_KNOWN = candidateOfFragment(unknownCode({ at: 0, end: 0 }));

/** In a sentence `get` may be to buy or to be paid; in names of tools it reads. */
const plainVerb = (word: string): string => (word === 'get' ? 'show' : word);

/** What the words of a name ask for: the verb comes first, or last (`issue_read`), or it only names what is told (`disk.usage`). */
function askedByName(
  words: readonly string[],
  of: readonly string[],
  read: ReadSentence,
  lexicon: Lexicon,
): CandidateAction | undefined {
  const [verb = '', ...rest] = words;
  const last = rest.at(-1) ?? verb;
  const about = [...of, ...words.slice(0, -1)];
  const inOrder = [plainVerb(verb), ...(rest.length > 0 ? rest : of)];
  const isTold = about.length > 0 && lexicon.commandVerbs.get(last)?.effect === 'read';
  const others = [[last, ...words.slice(0, -1)], ...(isTold ? [['show', ...about, last]] : [])];
  // A name that begins with a verb is not read in another order.
  const orders = verbIn(verb, lexicon) === undefined || words.length === 1 ? [inOrder, ...others] : [inOrder];
  for (const order of orders) {
    const asked = read(order.join(' '));
    if (asked !== undefined && !asked.weak) return asked;
  }
  return undefined;
}

/** The steps of a name, each with a verb: `read_then_archive`. */
function stepsOf(words: readonly string[]): string[][] {
  const steps: string[][] = [[]];
  for (const word of words)
    if (JOINS.has(word)) steps.push([]);
    else steps.at(-1)?.push(word);
  return steps.filter((step) => step.length > 0);
}

const isCode = (asked: CandidateAction | undefined): boolean => asked?.source === 'code' && asked.action !== 'unknown';

/** What a call asks for. Its name tells it; what else its name or its arguments say can only make it graver. */
function askedByCall(
  { name, modes, commands }: ToolCall,
  read: ReadSentence,
  lexicon: Lexicon,
): CandidateAction | undefined {
  const [last = '', ...before] = name.split(/[.:/]|__/).reverse();
  const words = partsOf(last);
  const each = stepsOf(words).map((step) => askedByName(step, before.flatMap(partsOf), read, lexicon) ?? NOT_KNOWN);
  const asked = gravest(each) ?? NOT_KNOWN;
  if (asked === NOT_KNOWN) return NOT_KNOWN;
  const called = doingOfCall(last, before[0] ?? '', lexicon);
  // What `run_command` does is told by the command alone.
  if (called?.action === 'execute' && called.effect === 'destructive') {
    const isUnderstood = commands.length > 0 && commands.every((line) => isCode(read(line)));
    // Among the code of the text, it is read already.
    return isUnderstood ? undefined : NOT_KNOWN;
  }
  const more: (Doing | undefined)[] = [
    called,
    ...modes.map((mode) => doingOfName(mode, lexicon)),
    // Whatever else a name says: `sync_and_purge`, `list_or_drop`.
    ...words.map((word) => lexicon.commandVerbs.get(word)).filter((doing) => doing?.effect === 'destructive'),
  ];
  const graver = gravest([asked, ...more]) ?? asked;
  const { action, effect, traits } = gravity(graver) > gravity(asked) ? graver : asked;
  return changed(asked, { action, effect, traits, at: 0, sentence: 0 });
}

export const askedByCalls = (calls: readonly ToolCall[], read: ReadSentence, lexicon: Lexicon): CandidateAction[] =>
  calls.flatMap((call) => askedByCall(call, read, lexicon) ?? []);
