// The meaning of an action on the objects of a resource: action, effect and traits, refined by the lexicon.
import type { Action, Trait } from '../../../kernel/vocabulary.ts';
import { candidatesOf } from '../assess/candidates.ts';
import { actionRank, effectRank, stricterAction, stricterEffect } from '../assess/strictness.ts';
import { isIllicit } from '../attack/illicit.ts';
import { READS } from '../code/code.ts';
import { fragmentsOf } from '../code/fragments.ts';
import { refinementsOf } from '../grammar/meaning.ts';
import { movesMoney } from '../grammar/sums.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { sentencesOf } from '../text/tokens.ts';
import { spokenText } from '../text/words.ts';
import { type ActionWord, actionOf } from './action-word.ts';
import { knownWordsOf } from './segments.ts';

type Doing = Pick<ActionWord, 'action' | 'effect' | 'traits'>;

/** Several meanings, and the strictest of them. A rule may be about any: a DENY of `delete` is also about deleting a permission. */
interface Meant {
  readonly doing: Doing;
  readonly each: readonly Doing[];
}

/** Whether a refinement says anything stricter than the word by itself. A word that nobody knows says nothing by itself. */
export const isStricter = (refined: Doing, reading: Doing): boolean =>
  reading.action === 'unknown' ||
  actionRank(refined.action) > actionRank(reading.action) ||
  effectRank(refined.effect) > effectRank(reading.effect);

/** The meanings of a verb with these objects, and the refined one: member by member the stricter of them. */
function doneTo(reading: ActionWord, heads: readonly string[], words: readonly string[], lexicon: Lexicon): Meant {
  const refined = refinementsOf(reading.verb, heads, words, lexicon);
  return {
    doing: strictestDoing([reading, ...refined]),
    each: [reading, ...refined.filter((one) => isStricter(one, reading))],
  };
}

/** An amount joined with a currency code in one word: `500eur`. */
const AMOUNT = /^\d+(?:[a-z]{3})$/;

/**
 * The meaning of an action word with the objects of a resource, and the class in its normalized form. A finer verb that is refined is named
 * by the refined class (`identity.give.access` is `identity.grant.access`). A class keeps its name, so that a normalized string parses to
 * itself, but its meaning may still be stricter: `payments.send.money` is a transfer.
 */
export function meaningOfString(
  reading: ActionWord,
  heads: readonly string[],
  words: readonly string[],
  lexicon: Lexicon,
): Meant & { named: Action } {
  let { doing, each } = doneTo(reading, heads, words, lexicon);
  const named = reading.verb === reading.action ? reading.action : doing.action;
  // The resulting class may be refined in turn; each step is stricter than the one before, so the loop terminates.
  for (let action: Action | undefined; action !== doing.action; ) {
    action = doing.action;
    const of = actionOf(action, lexicon);
    if (of === undefined) break;
    const { doing: further, each: refined } = doneTo(of, heads, words, lexicon);
    each = [...each, ...refined.slice(1)];
    doing = {
      action: stricterAction(doing.action, further.action),
      effect: stricterEffect(doing.effect, further.effect),
      traits: [...doing.traits, ...(further.action === of.action ? [] : further.traits)],
    };
  }
  if (movesMoney(reading, lexicon) && words.some((word) => AMOUNT.test(word))) {
    each = [...each, { ...doing, action: 'transfer' }];
    doing = { ...doing, action: stricterAction(doing.action, 'transfer'), traits: [...doing.traits, 'financial'] };
  }
  return { doing, each, named };
}

/**
 * The meaning of the verb in a sentence about the last named object. Only there can nouns that are also verbs (`request debit`) and illicit
 * requests (`forge data`) be recognized. Names of several words are not sentences.
 */
export function saidOf(verb: string, words: readonly string[], lexicon: Lexicon): Doing | undefined {
  const [noun = ''] = words;
  if (words.length !== 1 || !knownWordsOf(lexicon).isKnown(noun)) return undefined;
  const text = `${verb} the ${noun}`;
  const sentences = sentencesOf(text, () => false, lexicon.words);
  const candidates = candidatesOf(sentences, lexicon).filter(({ negated }) => !negated);
  const illicit: readonly Trait[] = isIllicit(spokenText(text, lexicon.words).infos, candidates, sentences, lexicon)
    ? ['illicit']
    : [];
  // `service restart`, `fly deploy`: the verb may be a command, whose next word says what it does.
  const isCommand = lexicon.commandGroups.has(verb) || lexicon.commands.has(verb);
  const run = isCommand ? fragmentsOf(text, lexicon).filter(({ action }) => action !== 'unknown') : [];
  return strictestDoing([...candidates, ...run, { ...READS, traits: illicit }]);
}

export const strictestDoing = (all: readonly Doing[]): Doing =>
  all.reduce((a, b) => ({
    action: stricterAction(a.action, b.action),
    effect: stricterEffect(a.effect, b.effect),
    traits: [...a.traits, ...b.traits],
  }));
