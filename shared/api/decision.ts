// Enforcement and decisions as the HTTP interface has them: snake_case, because a decision is also hashed.
import { Type, type Static } from 'typebox';
import { LAPSES } from '../core/decision/stands.ts';
import { REQUEST_ID_PATTERN } from '../kernel/ids.ts';
import { ACTIONS, EFFECTS, TRAITS, VERDICTS } from '../kernel/vocabulary.ts';
import { CallerId, Cursor, Instant, Limit, listOf, Nullable, StringEnum, Timestamp } from './common.ts';
import { Context, IntentId, RiskSchema } from './intent.ts';
import { ProblemSchema } from './problem.ts';
import { PromiseSchema } from './proof.ts';
import { ToolAnswer, ToolCallSchema } from './tool.ts';

const Level = Type.Integer({ minimum: 0, maximum: 7 });

export const EnforceRequest = Type.Object(
  {
    intent: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'A normalized intent (`data.read.user_profile`), or `action:resource` (`delete:db/production/users`). Exactly one of `intent` and `tool`.',
        examples: ['data.read.user_profile'],
      }),
    ),
    tool: Type.Optional(ToolCallSchema),
    agent_id: CallerId,
    trust_level: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 7, description: 'A claim: it can only lower the recorded level.' }),
    ),
    intent_id: Type.Optional(IntentId),
    context: Type.Optional(Context),
    approval_id: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Za-z_-]{1,64}$',
        description:
          'The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was written or tool call with all its arguments, intent_id and context, read as they were then. It lets an ESCALATE through and nothing that is denied.',
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({ description: 'Needs admin:*. Adds every candidate rule with the values it saw.' }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Needs admin:*. Evaluates and stores nothing: not a decision.' }),
    ),
  },
  { $id: 'EnforceRequest', additionalProperties: false },
);
export type EnforceRequestBody = Static<typeof EnforceRequest>;

export const EnforceBatchRequest = Type.Object(
  {
    requests: Type.Array(
      // Members are checked one by one: a wrong one becomes an error at its place and hides no other.
      Type.Unsafe<unknown>({
        description: 'An EnforceRequest.',
        examples: [{ intent: 'data.read.user_profile', agent_id: 'agent-7' }],
      }),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { $id: 'EnforceBatchRequest', additionalProperties: false },
);

const ReasonSchema = Type.Object(
  {
    policy: Type.String(),
    rule: Type.String(),
    effect: StringEnum(VERDICTS),
    code: Type.String(),
    message: Type.String(),
  },
  { $id: 'Reason', additionalProperties: false },
);

const ObligationSchema = Type.Unsafe<{ type: string; [member: string]: unknown }>({
  $id: 'Obligation',
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  description:
    'What a DEGRADE demands of the caller: redact_fields {fields}, max_rows {limit}, read_only, rate {limit, perSeconds}, or another kind with its data in params. A caller that does not know a kind must not act.',
  examples: [
    { type: 'max_rows', limit: 100 },
    { type: 'redact_fields', fields: ['email'] },
  ],
});

const ExplanationSchema = Type.Array(
  Type.Object(
    {
      policy: Type.String(),
      rule: Type.String(),
      effect: Type.String(),
      matched: Type.Boolean(),
      skipped: Type.Optional(Type.String()),
      conditions: Type.Array(
        Type.Object(
          {
            fact: Type.String(),
            path: Type.Optional(Type.String()),
            operator: Type.String(),
            expected: Type.Unknown(),
            actual: Type.Optional(Type.Unknown()),
            missing: Type.Boolean(),
            result: Type.Boolean(),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  { description: 'Every candidate rule, its conditions with the values they saw, and what was skipped and why.' },
);

export const RequestedSchema = Type.Union(
  [
    Type.Object({ intent: Type.String() }, { additionalProperties: false }),
    Type.Object({ action: Type.String(), resource: Type.String() }, { additionalProperties: false }),
    Type.Object(
      { tool: Type.Object({ server: Type.String(), name: Type.String() }, { additionalProperties: false }) },
      { additionalProperties: false },
    ),
  ],
  {
    $id: 'Requested',
    description:
      "The caller's own words, as they came: the intent of an enforcement, action and resource of a submitted intent, or the tool that is called. Decisions that were recorded before this member was have none.",
    examples: [{ intent: 'delete:db/production/users' }],
  },
);

const common = {
  verdict: StringEnum(VERDICTS),
  agent_id: Type.String(),
  key_id: Type.String(),
  intent: Type.Object(
    {
      requested: Type.Optional(RequestedSchema),
      normalized: Type.String(),
      domain: Type.String(),
      action: StringEnum(ACTIONS),
      verb: Type.String(),
      resource: Type.String(),
      effect: StringEnum(EFFECTS),
      traits: Type.Array(StringEnum(TRAITS)),
      risk: RiskSchema,
      parsed: Type.Boolean({
        description:
          'Whether a parse by this agent, at most 15 minutes old, stands behind it, named by its intent_id or not.',
      }),
    },
    { additionalProperties: false },
  ),
  tool: Type.Optional(ToolAnswer),
  trust: Type.Object(
    {
      claimed_level: Nullable(Level),
      recorded_level: Level,
      effective_level: Level,
      score: Type.Integer({ minimum: 0, maximum: 1_000, description: 'The recorded score.' }),
      uncertainty: Type.Number({ minimum: 0, maximum: 1 }),
      as_of: Type.Object(
        { signals: Type.Integer({ minimum: 0 }), day: Type.String({ description: 'UTC day, YYYY-MM-DD.' }) },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
  reasons: Type.Array(ReasonSchema),
  obligations: Type.Array(ObligationSchema),
  policy_set: Type.Object({ digest: Type.String() }, { additionalProperties: false }),
  evaluated_at: Timestamp,
};

const decision = {
  decision_id: Type.String(),
  request_id: Type.Optional(
    Type.String({
      description:
        'X-Request-Id of the request that asked, or that submitted the intent. A repeat under an Idempotency-Key gives that of the first request. Decisions that were recorded before this member was added have none.',
    }),
  ),
  allowed: Type.Boolean({ description: 'Whether the verdict is ALLOW or DEGRADE.' }),
  ...common,
  approval: Type.Optional(
    Type.Object(
      { approval_id: Type.String(), expires_at: Timestamp },
      {
        additionalProperties: false,
        description: 'With ESCALATE: what a human has to approve, and until when it can be decided and used.',
      },
    ),
  ),
  proof: Type.Object(
    { proof_id: Type.String(), promise: Type.Optional(PromiseSchema) },
    { additionalProperties: false },
  ),
  expires_at: Timestamp,
};

export const Decision = Type.Object(
  { ...decision, explanation: Type.Optional(ExplanationSchema) },
  { $id: 'Decision', additionalProperties: false },
);
export type DecisionBody = Static<typeof Decision>;

export const DecisionOnRecord = Type.Object(
  {
    ...decision,
    stands: Type.Boolean({
      description: 'Whether it may be acted upon now. It is no part of the record: it says what holds when it is read.',
    }),
    stands_reason: Type.Optional(
      StringEnum(LAPSES, {
        description:
          'Why it does not stand, the first that holds: it permits nothing, it has expired, the environment is halted, the agent is not active, or the key that asked (and what rotations made of it) is not valid any more.',
      }),
    ),
  },
  {
    $id: 'DecisionOnRecord',
    additionalProperties: false,
    description: 'A decision that is read back: as it was answered, and whether it stands now.',
  },
);

export const DryRun = Type.Object(
  {
    dry_run: Type.Literal(true),
    allowed: Type.Literal(false),
    ...common,
    explanation: Type.Optional(ExplanationSchema),
  },
  {
    $id: 'DryRun',
    additionalProperties: false,
    description: 'The verdict it would have been. Not a decision: no id, no proof, nothing stored.',
  },
);

export const DecisionIdParams = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 64 }) },
  { additionalProperties: false },
);

export const DecisionList = listOf(DecisionOnRecord, 'DecisionList');
export const DecisionListQuery = Type.Object(
  {
    agentId: Type.Optional(CallerId),
    verdict: Type.Optional(StringEnum(VERDICTS)),
    requestId: Type.Optional(
      Type.String({ pattern: REQUEST_ID_PATTERN, description: 'X-Request-Id of the request that asked.' }),
    ),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

export const EnforceBatchResponse = Type.Object(
  {
    decisions: Type.Array(
      Type.Union([Decision, DryRun, Type.Object({ error: ProblemSchema }, { additionalProperties: false })]),
    ),
  },
  { $id: 'EnforceBatchResponse', additionalProperties: false },
);
