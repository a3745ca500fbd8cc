// Schemas of enforcement and decisions. Members are snake_case, because a decision is also hashed.
import { Type, type Static } from 'typebox';
import { LAPSES } from '../core/decision/stands.ts';
import { ApproverDemandSchema } from '../core/policy/approvers.ts';
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
import { Context, InForce, IntentId } from './intent.ts';
import { ProblemSchema } from './problem.ts';
import { ToolAnswer, ToolCallSchema } from './tool.ts';

const level = (description: string) => Type.Integer({ minimum: 0, maximum: 7, description });

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
        'The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was written or tool call with all its arguments, intent_id and context. It permits what would be ESCALATE, and nothing that is denied.',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({
      description:
        'Needs admin:*. Adds every candidate rule with the values that it compared. For a key that is bound to agents: of questions about them.',
    }),
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

const BudgetsLeft = Type.Array(
  closed({
    name: Type.String({ description: 'As in the policies.' }),
    limit: Type.Number({ description: 'Of one window.' }),
    left: Type.Number({ description: 'After this decision.' }),
    window: Type.String({ description: 'How long a permission counts.' }),
  }),
  {
    $id: 'BudgetsLeft',
    description:
      'Budgets that were read, by name. A permission counts against them. Absent when no rule with a budget would permit.',
  },
);

const common = {
  verdict: StringEnum(VERDICTS, {
    description: 'DEGRADE permits with obligations; ESCALATE waits for a human.',
  }),
  agent_id: Type.String({ description: 'The agent that was asked about.' }),
  key_id: Type.String({ description: 'The key that asked.' }),
  intent: closed(
    {
      requested: Type.Optional(RequestedSchema),
      normalized: Type.String({ description: '`<domain>.<action>.<object>`.' }),
      domain: Type.String({ description: 'The first word of it.' }),
      action: StringEnum(ACTIONS, { description: 'The class of the verb.' }),
      verb: Type.String({ description: "The caller's own verb." }),
      resource: Type.String({ description: 'Canonical, as policies match it.' }),
      effect: StringEnum(EFFECTS, { description: 'What it does to the resource.' }),
      traits: Type.Array(StringEnum(TRAITS), { description: 'Properties that make it graver.' }),
      risk: RiskSchema,
      parsed: Type.Boolean({
        description: 'Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not.',
      }),
    },
    { $id: 'DecisionIntent', description: 'How the question was read.' },
  ),
  tool: Type.Optional(ToolAnswer),
  trust: closed(
    {
      claimed_level: Nullable(level('What the request claims.')),
      recorded_level: level('What the signals about the agent say.'),
      effective_level: level('The lower of the two.'),
      score: Type.Integer({ minimum: 0, maximum: 1_000, description: 'The recorded score.' }),
      uncertainty: Type.Number({ minimum: 0, maximum: 1, description: '1 without any evidence.' }),
      as_of: closed(
        {
          signals: Type.Integer({ minimum: 0, description: 'How many signals were counted.' }),
          day: Type.String({ description: 'UTC day, YYYY-MM-DD.' }),
        },
        { description: 'What the score was computed from.' },
      ),
    },
    { $id: 'DecisionTrust', description: 'The trust in the agent.' },
  ),
  reasons: Type.Array(ReasonSchema, { description: 'By severity, DENY first. Never empty.' }),
  obligations: Type.Array(ObligationSchema),
  budgets: Type.Optional(BudgetsLeft),
  policy_set: InForce,
  evaluated_at: Timestamp,
};

const decision = {
  decision_id: Type.String({ description: 'Names the decision, and its record.' }),
  request_id: Type.Optional(
    Type.String({
      description:
        'X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the first request. Absent in older decisions.',
    }),
  ),
  allowed: Type.Boolean({ description: 'Whether the verdict is ALLOW or DEGRADE.' }),
  ...common,
  approval: Type.Optional(
    closed(
      {
        approval_id: Type.String({ description: 'Sent with the question once it is approved.' }),
        expires_at: Timestamp,
        approvers: Type.Optional(
          Type.Array(ApproverDemandSchema, {
            description: 'Who must approve: what each rule demands, all of which must be met. Absent: any admin key.',
          }),
        ),
      },
      {
        description:
          'With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now.',
      },
    ),
  ),
  proof: closed(
    { proof_id: Type.String({ description: 'For GET /v1/proofs/{id}.' }), promise: Type.Optional(PromiseSchema) },
    { description: 'The record of the decision in the log.' },
  ),
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
    dry_run: Type.Literal(true, { description: 'Tells it from a decision.' }),
    allowed: Type.Literal(false, { description: 'A dry run permits nothing.' }),
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
  verdict: Type.Optional(StringEnum(VERDICTS, { description: 'Only decisions with this verdict.' })),
  reason: Type.Optional(
    Type.String({
      pattern: '^[A-Z][A-Z0-9_]{0,63}$',
      description: 'Only decisions with this reason code, of those that are not ALLOW.',
    }),
  ),
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
