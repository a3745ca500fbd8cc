// The result of parsing a text. Members are snake_case, because a parse appears unchanged in JSON (also as policy facts).
import { type Static, Type } from 'typebox';
import { closed, StringEnum } from '../../kernel/schema.ts';
import { ACTIONS, DATA_CLASSES, EFFECTS, EXTENTS, INTENT_FLAGS, TRAITS } from '../../kernel/vocabulary.ts';
import type { Action, Effect, Extent } from '../../kernel/vocabulary.ts';

const Confidence = Type.Number({ minimum: 0, maximum: 1 });
const Texts = Type.Array(Type.String());

export const ParsedIntentSchema = closed({
  // `<domain>.<action>.<object>`, lower case, snake_case words; parsing it again returns it.
  normalized: Type.String({ examples: ['data.read.user_profile'] }),
  domain: Type.String(),
  action: StringEnum(ACTIONS),
  // In its base form (`drop`, `fetch`); `unknown` when none was found.
  verb: Type.String({ description: "The caller's own verb." }),
  object: Type.String(),
  // Canonical resource paths.
  places: Type.Array(Type.String({ examples: ['db/production'] })),
  effect: StringEnum(EFFECTS),
  traits: Type.Array(StringEnum(TRAITS)),
  extent: StringEnum(EXTENTS, { description: 'How many objects are affected.' }),
  // Three decimals.
  confidence: Confidence,
  // Other actions that the text requests, or may request.
  alternatives: Type.Array(
    closed({
      normalized: Type.String(),
      action: StringEnum(ACTIONS),
      verb: Type.String(),
      object: Type.String(),
      effect: StringEnum(EFFECTS),
      confidence: Confidence,
    }),
  ),
  entities: closed({
    emails: Texts,
    urls: Texts,
    hosts: Texts,
    // `currency` is an ISO 4217 code, `amount` in its major unit.
    money: Type.Array(closed({ amount: Type.Number(), currency: Type.String() })),
    paths: Texts,
    identifiers: Texts,
  }),
  data_classes: Type.Array(StringEnum(DATA_CLASSES)),
  flags: Type.Array(StringEnum(INTENT_FLAGS)),
});

/** One thing that an intent may come to mean: what policies judge it as. */
export interface Meaning {
  action: Action;
  verb: string;
  effect: Effect;
  extent: Extent;
}

export type ParsedIntent = Static<typeof ParsedIntentSchema> & {
  /**
   * All that it may mean, sorted, when that is more than one thing; then action, verb, effect and extent are the strictest
   * of them. Absent: those are all that it means.
   */
  meanings?: Meaning[];
};
export type Alternative = ParsedIntent['alternatives'][number];
export type Entities = ParsedIntent['entities'];
export type Money = Entities['money'][number];
