// Schemas of parses. Members are snake_case, because a parse is also hashed and used as policy facts.
import { Type, type Static } from 'typebox';
import { ParsedIntentSchema } from '../core/intent/types.ts';
import { RiskSchema } from '../core/policy/types.ts';
import { SECOND_READINGS, VERDICTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, JsonObject, named, Nullable, StringEnum, Timestamp } from './common.ts';

export const Context = JsonObject({
  description: 'Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.',
  examples: [{ ticket: 'OPS-1234', source_ip: '192.0.2.7' }],
});

export const IntentId = Type.String({
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  description: 'The intent_id of a parse.',
});

/** The policy set in force. */
export const InForce = closed(
  { digest: Type.String({ description: 'Its SHA-256, lower-case hex.' }) },
  { description: 'The policy set that was in force.' },
);

export const IntentRequest = named('IntentRequest', {
  agent_id: CallerId,
  raw_intent: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: 'The action that the agent wants to take, as free text.',
    examples: ['Read user profile data'],
  }),
  trust_score: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'A claim; fractions round down. It can only lower the recorded score.',
    }),
  ),
  context: Type.Optional(Context),
});
export type IntentRequestBody = Static<typeof IntentRequest>;

const scoreAndLevel = (description: string) =>
  closed(
    {
      score: Type.Integer({ minimum: 0, maximum: 1_000, description: '0 to 1000.' }),
      level: Type.Integer({ minimum: 0, maximum: 7, description: 'The level of the score.' }),
    },
    { description },
  );

export const Intent = named('Intent', {
  intent_id: IntentId,
  agent_id: Type.String({ description: 'The agent.' }),
  ...ParsedIntentSchema.properties,
  harmless: Type.Optional(Type.Boolean({ description: 'Surely; absent otherwise.' })),
  second_reading: Type.Optional(
    StringEnum(SECOND_READINGS, { description: 'Of the second reader; absent when it was not asked.' }),
  ),
  second_reading_why: Type.Optional(Type.String({ description: 'Its reason.' })),
  second_reading_raised: Type.Optional(
    Type.Array(Type.String(), { description: 'What it made stricter: `effect destructive`.' }),
  ),
  risk: RiskSchema,
  trust: closed(
    {
      claimed: Nullable(scoreAndLevel('What the request claims.')),
      recorded: scoreAndLevel('What the signals about the agent say.'),
      effective: scoreAndLevel('The lower of the two.'),
    },
    { description: 'The trust in the agent.' },
  ),
  verdict_preview: StringEnum(VERDICTS, {
    description: 'The verdict of this text enforced now. It permits nothing.',
  }),
  policy_set: InForce,
  created_at: Timestamp,
});
export type IntentBody = Static<typeof Intent>;
