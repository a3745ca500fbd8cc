// The result of parsing a text. Members are snake_case, because a parse appears unchanged in JSON (also as policy facts).
import { type Static, Type } from 'typebox';
import { closed, StringEnum } from '../../kernel/schema.ts';
import { ACTIONS, DATA_CLASSES, EFFECTS, EXTENTS, INTENT_FLAGS, TRAITS } from '../../kernel/vocabulary.ts';
import type { Action, Effect, Extent, SecondReading } from '../../kernel/vocabulary.ts';

const Confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'How sure the reading is, with three decimals.',
});
const Texts = (description: string) => Type.Array(Type.String(), { description });
const Action = StringEnum(ACTIONS, { description: 'The class of the verb.' });
const Verb = Type.String({ description: "The caller's own verb, in its base form; `unknown` when none was found." });
const Thing = Type.String({ description: 'What the verb acts on.' });
const EffectOf = StringEnum(EFFECTS, { description: 'What it does to the object.' });

export const ParsedIntentSchema = closed({
  normalized: Type.String({
    description: '`<domain>.<action>.<object>`, as strict as the text; parsing it again returns it.',
    examples: ['data.read.user_profile'],
  }),
  domain: Type.String({ description: 'The kind of thing: `data`, `db`, `email`, ...' }),
  action: Action,
  verb: Verb,
  object: Thing,
  places: Type.Array(Type.String({ examples: ['db/production'] }), {
    description: 'Canonical resources that are named.',
  }),
  effect: EffectOf,
  traits: Type.Array(StringEnum(TRAITS), { description: 'Properties that make it graver.' }),
  extent: StringEnum(EXTENTS, { description: 'How many objects are affected.' }),
  confidence: Confidence,
  coverage: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The share of the text that was read, with three decimals.',
  }),
  unread: Type.Array(
    closed({
      at: Type.Integer({ minimum: 0, description: 'Offset.' }),
      text: Type.String({ maxLength: 80, description: 'Without secrets.' }),
    }),
    { maxItems: 8, description: 'What it does not account for.' },
  ),
  alternatives: Type.Array(
    closed({
      normalized: Type.String({ description: 'Likewise.' }),
      action: Action,
      verb: Verb,
      object: Thing,
      effect: EffectOf,
      confidence: Confidence,
    }),
    { description: 'Other actions that it may request.' },
  ),
  entities: closed(
    {
      emails: Texts('Mail addresses.'),
      urls: Texts('Addresses of pages and services.'),
      hosts: Texts('Names and addresses of hosts.'),
      money: Type.Array(
        closed({
          amount: Type.Number({ description: "In the currency's major unit." }),
          currency: Type.String({ description: 'ISO 4217.' }),
        }),
        { description: 'Sums of money.' },
      ),
      paths: Texts('Paths of files.'),
      identifiers: Texts('Of tickets, invoices and the like.'),
    },
    { description: 'What the text names.' },
  ),
  data_classes: Type.Array(StringEnum(DATA_CLASSES), { description: 'Sensitive kinds of data.' }),
  flags: Type.Array(StringEnum(INTENT_FLAGS), {
    description: 'Warnings about the text itself.',
  }),
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
  /** What the second reader said of the text. Absent when it was not asked. */
  second_reading?: SecondReading;
  /** The learned weights of harm are sure that no stretch of the text does any. Absent otherwise, and in readings of strings and calls. */
  harmless?: true;
};
export type Alternative = ParsedIntent['alternatives'][number];
export type Entities = ParsedIntent['entities'];
export type Money = Entities['money'][number];
