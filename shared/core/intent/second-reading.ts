// The answer of a second reader about a text, and its join with the first parse: it can only make the parse stricter.
import { Type } from 'typebox';
import { closed, type Shape, StringEnum } from '../../kernel/schema.ts';
import { ACTIONS, DATA_CLASSES, EFFECTS, INTENT_FLAGS, TRAITS } from '../../kernel/vocabulary.ts';
import { actionRank, effectRank, strictest } from './assess/strictness.ts';
import type { ParsedIntent } from './types.ts';

/** Longer than the reason that is kept, because not every reader counts characters. */
const MAX_GIVEN_REASON = 2_000;
const MAX_REASON = 200;

/** What a second reader answers. Not every endpoint supports limits of lengths in a schema, so that of `why` is only checked here. */
export const SecondAnswerSchema = closed({
  effect: StringEnum(EFFECTS),
  action: StringEnum(ACTIONS),
  traits: Type.Array(StringEnum(TRAITS)),
  data_classes: Type.Array(StringEnum(DATA_CLASSES)),
  flags: Type.Array(StringEnum(INTENT_FLAGS)),
  why: Type.String(),
});
export type SecondAnswer = Shape<typeof SecondAnswerSchema>;

/** The answer in the form in which it is used and cached: values once, and a reason that can be shown. Undefined: its reason is too long. */
export function usableAnswer({
  effect,
  action,
  traits,
  data_classes,
  flags,
  why,
}: SecondAnswer): SecondAnswer | undefined {
  if (why.length > MAX_GIVEN_REASON) return undefined;
  return {
    effect,
    action,
    traits: TRAITS.filter((trait) => traits.includes(trait)),
    data_classes: DATA_CLASSES.filter((dataClass) => data_classes.includes(dataClass)),
    flags: INTENT_FLAGS.filter((flag) => flags.includes(flag)),
    why: shownReason(why),
  };
}

/** One line of at most 200 characters. */
function shownReason(why: string): string {
  const line = why
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length <= MAX_REASON ? line : `${line.slice(0, MAX_REASON - 1).toWellFormed()}…`;
}

type Members = Omit<SecondAnswer, 'why'>;
/** The members in which an answer is stricter than the parse. Lists have the additional values. */
export type Raised = Partial<Members>;

const added = <T extends string>(own: readonly T[], given: readonly T[]): T[] =>
  given.filter((value) => !own.includes(value));

export function raisedBy(parse: ParsedIntent, answer: SecondAnswer): Raised {
  const { effect, action } = answer;
  const lists = {
    traits: added(parse.traits, answer.traits),
    data_classes: added(parse.data_classes, answer.data_classes),
    flags: added(parse.flags, answer.flags),
  };
  return {
    ...(effectRank(effect) > effectRank(parse.effect) ? { effect } : {}),
    ...(actionRank(action) > actionRank(parse.action) ? { action } : {}),
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
  };
}

export const isRaised = (raised: Raised): boolean => Object.keys(raised).length > 0;

/** The parse with these members, and never a milder one. Its name, object and places stay its own. */
export function raise(parse: ParsedIntent, raised: Raised): ParsedIntent {
  if (!isRaised(raised)) return parse;
  const { effect = parse.effect, action = parse.action, traits = [], data_classes = [], flags = [] } = raised;
  // A text of which a second reader thinks worse is not surely harmless.
  const { meanings: _, harmless: __, ...own } = parse;
  const second = {
    ...own,
    effect,
    action,
    verb: raised.action ?? parse.verb,
    traits: [...traits],
    data_classes: [...data_classes],
    flags: [...flags],
  };
  return { ...own, ...strictest(parse, second) };
}
