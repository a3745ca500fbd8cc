// Schemas of enforcement and decisions. Members are snake_case, because a decision is also hashed.
import { Type, type Static } from 'typebox';
import { LAPSES } from '../core/decision/stands.ts';
import {
  ExplanationSchema,
  ObligationSchema,
  ReasonSchema,
  RequestedSchema,
  RiskSchema,
} from '../core/policy/types.ts';
import { PromiseSchema } from '../core/proof/shapes.ts';
import { REQUEST_ID_PATTERN } from '../kernel/ids.ts';
import { ACTIONS, EFFECTS, TRAITS, VERDICTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, Instant, listOf, named, Nullable, PAGE, StringEnum, Timestamp } from './common.ts';
import { Context, IntentId } from './intent.ts';
import { ProblemSchema } from './problem.ts';
import { ToolAnswer, ToolCallSchema } from './tool.ts';

const Level = Type.Integer({ minimum: 0, maximum: 7 });

export const EnforceRequest = named('EnforceRequest', {
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
        'The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was written or tool call with all its arguments, intent_id and context, read as they were then. It permits what would be ESCALATE, and nothing that is denied.',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({ description: 'Needs admin:*. Adds every candidate rule with the values that it compared.' }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Needs admin:*. Evaluates without storing: not a decision.' })),
});
export type EnforceRequestBody = Static<typeof EnforceRequest>;

const BATCH = { minItems: 1, maxItems: 100 };

export const EnforceBatchRequest = named('EnforceBatchRequest', {
  requests: Type.Array(EnforceRequest, { ...BATCH, description: 'Answered in this order.' }),
});

/** What is checked before the members. Those are checked one by one: a wrong one becomes an error at its place and hides no other. */
export const EnforceBatchBody = closed({ requests: Type.Array(Type.Unknown(), BATCH) });

const common = {
  verdict: StringEnum(VERDICTS),
  agent_id: Type.String(),
  key_id: Type.String(),
  intent: closed({
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
      description: 'Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not.',
    }),
  }),
  tool: Type.Optional(ToolAnswer),
  trust: closed({
    claimed_level: Nullable(Level),
    recorded_level: Level,
    effective_level: Level,
    score: Type.Integer({ minimum: 0, maximum: 1_000, description: 'The recorded score.' }),
    uncertainty: Type.Number({ minimum: 0, maximum: 1 }),
    as_of: closed({ signals: Type.Integer({ minimum: 0 }), day: Type.String({ description: 'UTC day, YYYY-MM-DD.' }) }),
  }),
  reasons: Type.Array(ReasonSchema),
  obligations: Type.Array(ObligationSchema),
  policy_set: closed({ digest: Type.String() }),
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
    closed(
      { approval_id: Type.String(), expires_at: Timestamp },
      {
        description: 'With ESCALATE: the approval that a human must give, and until when it can be decided and used.',
      },
    ),
  ),
  proof: closed({ proof_id: Type.String(), promise: Type.Optional(PromiseSchema) }),
  expires_at: Timestamp,
};

export const Decision = named('Decision', { ...decision, explanation: Type.Optional(ExplanationSchema) });
export type DecisionBody = Static<typeof Decision>;

export const DecisionOnRecord = closed(
  {
    ...decision,
    stands: Type.Boolean({
      description:
        'Whether it may be acted upon now. Not part of the record: it is computed when the decision is read.',
    }),
    stands_reason: Type.Optional(
      StringEnum(LAPSES, {
        description:
          'The first reason why it does not stand: it permits nothing, it has expired, the environment is halted, the agent is not active, or the key that asked (with its rotations) is no longer valid.',
      }),
    ),
  },
  {
    $id: 'DecisionOnRecord',
    description: 'A stored decision: the original answer, and whether it stands now.',
  },
);

export const DryRun = closed(
  {
    dry_run: Type.Literal(true),
    allowed: Type.Literal(false),
    ...common,
    explanation: Type.Optional(ExplanationSchema),
  },
  {
    $id: 'DryRun',
    description: 'The verdict that a decision would have. Not a decision: no id, no proof, nothing stored.',
  },
);

export const EnforceResponse = Type.Union([Decision, DryRun], {
  $id: 'EnforceResponse',
  description: 'The decision, or for a request with `dry_run` what it would have been: `dry_run` tells them apart.',
});

export const DecisionList = listOf(DecisionOnRecord, 'DecisionList');
export const DecisionListQuery = closed({
  agentId: Type.Optional(CallerId),
  verdict: Type.Optional(StringEnum(VERDICTS)),
  requestId: Type.Optional(
    Type.String({ pattern: REQUEST_ID_PATTERN, description: 'X-Request-Id of the request that asked.' }),
  ),
  toolServer: Type.Optional(
    Type.String({ ...CallerId, description: 'Only calls of tools of this server, by the name of its catalogue.' }),
  ),
  toolName: Type.Optional(
    Type.String({
      ...CallerId,
      description: 'Only calls of this tool. Needs `toolServer`, because servers may have tools of the same name.',
    }),
  ),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PAGE,
});

const EnforceBatchFailure = named('EnforceBatchFailure', { error: ProblemSchema });

export const EnforceBatchResponse = named('EnforceBatchResponse', {
  decisions: Type.Array(Type.Union([Decision, DryRun, EnforceBatchFailure]), {
    description:
      'One answer for each request, in their order. `error` tells a failed one, and `dry_run` a dry run, from a decision.',
  }),
});
