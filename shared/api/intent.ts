// Schemas of parses. Members are snake_case, because a parse is also hashed and used as policy facts.
import { Type, type Static } from 'typebox';
import {
  ACTIONS,
  DATA_CLASSES,
  EFFECTS,
  EXTENTS,
  INTENT_FLAGS,
  RISK_LEVELS,
  TRAITS,
  VERDICTS,
} from '../kernel/vocabulary.ts';
import { CallerId, closed, JsonObject, named, Nullable, StringEnum, Timestamp } from './common.ts';

export const Context = JsonObject({
  description: 'Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.',
  examples: [{ ticket: 'OPS-1234', source_ip: '192.0.2.7' }],
});

export const IntentId = Type.String({
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  description: 'The intent_id of a parse.',
});

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

export const RiskSchema = closed(
  {
    level: StringEnum(RISK_LEVELS),
    score: Type.Integer({ minimum: 0, maximum: 1_000 }),
    factors: Type.Array(closed({ factor: Type.String(), score: Type.Integer(), message: Type.String() })),
    certain: Type.Optional(
      closed(
        { level: StringEnum(RISK_LEVELS), score: Type.Integer({ minimum: 0, maximum: 1_000 }) },
        {
          description:
            'The risk without factors that count only because facts are missing; present when there are such factors. Where it differs, rules of stage enforce treat the risk as missing.',
        },
      ),
    ),
  },
  {
    $id: 'Risk',
    description: 'Computed by the policies of stage intake; level low below 400, medium below 700, else high.',
  },
);

const ScoreAndLevel = closed({
  score: Type.Integer({ minimum: 0, maximum: 1_000 }),
  level: Type.Integer({ minimum: 0, maximum: 7 }),
});

export const Intent = named('Intent', {
  intent_id: IntentId,
  agent_id: Type.String(),
  normalized: Type.String({ examples: ['data.read.user_profile'] }),
  domain: Type.String(),
  action: StringEnum(ACTIONS),
  verb: Type.String({ description: "The caller's own verb." }),
  object: Type.String(),
  places: Type.Array(Type.String({ examples: ['db/production'] })),
  effect: StringEnum(EFFECTS),
  traits: Type.Array(StringEnum(TRAITS)),
  extent: StringEnum(EXTENTS, { description: 'How many objects are affected.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  alternatives: Type.Array(
    closed({
      normalized: Type.String(),
      action: StringEnum(ACTIONS),
      verb: Type.String(),
      object: Type.String(),
      effect: StringEnum(EFFECTS),
      confidence: Type.Number({ minimum: 0, maximum: 1 }),
    }),
  ),
  entities: closed({
    emails: Type.Array(Type.String()),
    urls: Type.Array(Type.String()),
    hosts: Type.Array(Type.String()),
    money: Type.Array(closed({ amount: Type.Number(), currency: Type.String() })),
    paths: Type.Array(Type.String()),
    identifiers: Type.Array(Type.String()),
  }),
  data_classes: Type.Array(StringEnum(DATA_CLASSES)),
  flags: Type.Array(StringEnum(INTENT_FLAGS)),
  risk: RiskSchema,
  trust: closed({ claimed: Nullable(ScoreAndLevel), recorded: ScoreAndLevel, effective: ScoreAndLevel }),
  verdict_preview: StringEnum(VERDICTS, {
    description: 'The verdict that enforcing this now would have. Not a decision: it permits nothing.',
  }),
  policy_set: closed({ digest: Type.String() }),
  created_at: Timestamp,
});
export type IntentBody = Static<typeof Intent>;

export const IntentIdParams = closed({ id: IntentId });
