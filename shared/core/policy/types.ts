// The facts that policies evaluate and the result of an evaluation. Plain data: stored with each decision and used again by replays.
import type { Escalation } from './approvers.ts';
import type { ToolFacts } from '../tools/call.ts';
import type { ResourceFacts } from '../resources/registry.ts';
import type { TrustFacts } from '../trust/facts.ts';
import type { Entities, ParsedIntent } from '../intent/types.ts';
import { type Static, Type } from 'typebox';
import { closed, named, type Shape, StringEnum } from '../../kernel/schema.ts';
import { RISK_LEVELS, VERDICTS } from '../../kernel/vocabulary.ts';
import type { BudgetScope } from './budget-limits.ts';
import type { AgentStatus, Environment, Effect, Verdict } from '../../kernel/vocabulary.ts';

const Score = Type.Integer({ minimum: 0, maximum: 1_000, description: '0 to 1000.' });
const Level = StringEnum(RISK_LEVELS, { description: 'low below 400, medium below 700, else high.' });

export const RiskSchema = closed(
  {
    level: Level,
    score: Score,
    factors: Type.Array(
      closed({
        factor: Type.String({ description: 'Its name.' }),
        score: Type.Integer({ description: 'Its part of the score.' }),
        message: Type.String({ description: 'What it found, as a sentence.' }),
      }),
      { description: 'What the score consists of.' },
    ),
    certain: Type.Optional(
      closed(
        { level: Level, score: Score },
        {
          description:
            'The risk without factors that count only because facts are missing; present when there are such factors. Where it differs, rules of stage enforce treat the risk as missing.',
        },
      ),
    ),
    installation: Type.Optional(
      closed(
        {
          level: Level,
          score: Score,
          certain: Type.Optional(
            closed({ level: Level, score: Score }, { description: 'As the member certain of the whole risk.' }),
          ),
        },
        {
          description:
            "The risk by the installation's policies alone; present when the organisation's own policies changed it. The verdict is the stricter one of both risks.",
        },
      ),
    ),
  },
  {
    $id: 'Risk',
    description: 'Computed by the policies of stage intake.',
  },
);
export type Risk = Static<typeof RiskSchema>;
export type RiskFactor = Risk['factors'][number];

export const RequestedSchema = Type.Union(
  [
    closed({ intent: Type.String({ description: 'Of an enforcement.' }) }),
    closed({
      action: Type.String({ description: 'Of a submitted intent.' }),
      resource: Type.String({ description: 'Of a submitted intent.' }),
    }),
    closed({
      tool: closed(
        {
          server: Type.String({ description: 'The source of the tool.' }),
          name: Type.String({ description: 'Its name.' }),
        },
        { description: 'The tool that is called.' },
      ),
    }),
  ],
  {
    $id: 'Requested',
    description:
      "The caller's own words, unchanged: the intent of an enforcement, action and resource of a submitted intent, or the tool that is called. Absent in decisions of versions without this member.",
    examples: [{ intent: 'delete:db/production/users' }],
  },
);
export type Requested = Shape<typeof RequestedSchema>;

/** A parsed intent with the canonical resource that policies match. In decisions of versions without it, `coverage` is absent and counts as missing. */
export type IntentFacts = Omit<ParsedIntent, 'alternatives' | 'unread' | 'entities'> & {
  /** Absent: recent parses had more than can be kept. Policies must not take some for all, so they count as missing. */
  entities?: Entities;
  /** Not visible to policies. Absent in decisions recorded before this member was introduced. */
  requested?: Requested;
  /** Canonical, without the action: `data/user_profile`, `db/production/*`. */
  resource: string;
  /** Number of named segments of the resource; the `*` of a pattern is not counted. */
  depth: number;
  /** Whether a parse by this agent, at most 15 minutes old, was joined to it, with or without an `intent_id` in the request. */
  parsed: boolean;
  risk: Risk;
};

/** A budget when the decision was made: the use before it, and the amount that the request needs. */
export interface BudgetFacts {
  readonly amount: number;
  readonly limit: number;
  readonly used: number;
  /** `24h` */
  readonly window: string;
}

/** An amount that a permission counts against a budget. Limit and amount are in millionths. */
export interface BudgetCharge {
  readonly name: string;
  readonly per: readonly BudgetScope[];
  readonly window: string;
  readonly windowMs: number;
  readonly limit: number;
  readonly amount: number;
}

/** All facts that a rule may refer to. `context` is the object that the caller sent. */
export interface Facts {
  intent: IntentFacts;
  agent: {
    id: string;
    registered: boolean;
    status: AgentStatus | 'UNREGISTERED';
    capabilities: string[];
    tags: string[];
    /** As stored, whatever the set declares. Absent without attributes, and in decisions recorded before agents had them. */
    attributes?: Readonly<Record<string, unknown>>;
  };
  /** Attributes of the resource by the registry. Absent when nothing that the request covers has any. */
  resource?: ResourceFacts;
  /** Absent in decisions recorded before this member was introduced. */
  client?: { address: string };
  trust: TrustFacts;
  /** `tags` are absent in decisions recorded before keys had them. */
  key: { id: string; bound: boolean; environment: Environment; tags?: readonly string[] };
  context: Record<string, unknown>;
  /** Absent when the question is no tool call. */
  tool?: ToolFacts;
  /** UTC. `weekday` 1 (Monday) .. 7; `minute_of_day` 0..1439. */
  time: { now: string; date: string; hour: number; minute_of_day: number; weekday: number };
  /** The agent's decisions, counted by verdict in three windows; at most 1 s stale. */
  history: Record<'last_60s' | 'last_1h' | 'last_24h', Record<Verdict, number>>;
  /**
   * Budgets that this decision counted, by name. Present only where use was read, or set by a test; a budget that is not in it counts as unused.
   * No condition can name it.
   */
  budgets?: Record<string, BudgetFacts>;
  organisation: { slug: string };
  environment: Environment;
}

export const ReasonSchema = named('Reason', {
  policy: Type.String({ description: 'The id of the policy, or of the rules that the service itself has.' }),
  rule: Type.String({ description: 'The name of its rule.' }),
  effect: StringEnum(VERDICTS, { description: 'What the rule demands.' }),
  code: Type.String({ description: 'For programs: stable while the rule keeps its meaning.' }),
  message: Type.String({ description: 'For people.' }),
});
export type Reason = Static<typeof ReasonSchema>;

/** An obligation of a DEGRADE verdict: the caller may act only if it complies with it. */
export interface Obligation {
  type: string;
  [member: string]: unknown;
}
export const ObligationSchema = Type.Unsafe<Obligation>({
  $id: 'Obligation',
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', description: 'The kind.' } },
  additionalProperties: true,
  description:
    'What the caller must do after DEGRADE: redact_fields {fields}, max_rows {limit}, read_only, rate {limit, perSeconds}, or another kind with its data in params. A caller that does not know a kind must not act.',
  examples: [
    { type: 'max_rows', limit: 100 },
    { type: 'redact_fields', fields: ['email'] },
  ],
});

const Positions = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description });
const AlternativeSchema = closed({
  text: Type.String({ description: 'The alternative in words.' }),
  conditions: Positions('Its comparisons: positions in `conditions`, from 0.'),
  of: Positions('The comparisons of all alternatives of the same `any`.'),
});
/** An alternative of an `any` that alone decides whether a rule holds. */
export type Alternative = Static<typeof AlternativeSchema>;

/** The rules of `explain`, with the values that their conditions were compared with. */
export const ExplanationSchema = Type.Array(
  closed(
    {
      policy: Type.String({ description: 'The id of the policy.' }),
      rule: Type.String({ description: 'The name of its rule.' }),
      effect: Type.Unsafe<Verdict>(Type.String({ description: 'What the rule demands.' })),
      matched: Type.Boolean({ description: 'Whether its conditions hold.' }),
      skipped: Type.Optional(
        Type.String({ description: 'Why it was skipped, or did not count although its conditions hold.' }),
      ),
      budget: Type.Optional(
        closed(
          {
            name: Type.String({ description: 'Its name.' }),
            window: Type.String({ description: 'How long a permission counts.' }),
            limit: Type.Number({ description: 'What permissions of one window may add up to.' }),
            used: Type.Number({ description: 'What was used before; 0 where the use was not read.' }),
            amount: Type.Optional(Type.Number({ description: 'What this request needs.' })),
          },
          { description: 'The budget of the rule.' },
        ),
      ),
      conditions: Type.Array(
        closed({
          fact: Type.String({ description: 'The fact that is compared.' }),
          path: Type.Optional(Type.String({ description: 'The member of the fact.' })),
          operator: Type.String({ description: 'How it is compared.' }),
          expected: Type.Unknown({
            description: 'The value in the rule; of a comparison of two facts, that of expectedFact.',
          }),
          condition: Type.Optional(
            Type.String({
              description: 'The named condition that it is part of.',
            }),
          ),
          constant: Type.Optional(Type.String({ description: 'The constant that is the expected value.' })),
          expectedFact: Type.Optional(
            closed(
              {
                fact: Type.String({ description: 'The fact.' }),
                path: Type.Optional(Type.String({ description: 'Its member.' })),
              },
              { description: 'The fact that the rule compares with.' },
            ),
          ),
          actual: Type.Optional(Type.Unknown({ description: 'The value of the fact.' })),
          item: Type.Optional(
            closed(
              {
                index: Type.Integer({ minimum: 0, description: 'From 0.' }),
                actual: Type.Unknown({ description: 'The item.' }),
              },
              { description: 'The item that decided.' },
            ),
          ),
          missing: Type.Boolean({ description: 'Whether the fact is missing.' }),
          result: Type.Boolean({ description: 'Whether the condition holds.' }),
        }),
        { description: 'Its conditions, in their order.' },
      ),
      alternatives: Type.Optional(
        Type.Array(AlternativeSchema, {
          description:
            'Alternatives of `any`, each of which alone decides whether the rule holds; absent when there are none.',
        }),
      ),
    },
    { $id: 'ExplainedRule' },
  ),
  {
    description: 'Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.',
  },
);
export type ExplainedRule = Static<typeof ExplanationSchema>[number];
export type ExplainedBudget = NonNullable<ExplainedRule['budget']>;
export type ExplainedCondition = ExplainedRule['conditions'][number];

/** Deeply frozen, because a memoized evaluation is returned to several callers. */
export interface Evaluation {
  readonly verdict: Verdict;
  /** By severity (DENY, ESCALATE, DEGRADE, ALLOW), then policy id, then rule name. Never empty. */
  readonly reasons: readonly Reason[];
  /** Non-empty only when the verdict is DEGRADE. */
  readonly obligations: readonly Obligation[];
  /** Of an ESCALATE whose rules name approvers or a lifetime; also when an approval has turned it into a permission. */
  readonly escalation?: Escalation;
  /** The budgets that a permission by these rules counts against; present only when there are any, and the verdict is not DENY. */
  readonly charges?: readonly BudgetCharge[];
}

/** The input of intake policies: all facts except the risk, which these policies compute. */
export type RiskFacts = Omit<Facts, 'intent'> & { intent: Omit<IntentFacts, 'risk'> };

/** A problem in a policy file, a lexicon or a stored set that prevents its use, with its position. */
export const FindingSchema = named('Finding', {
  file: Type.String({ description: 'The file, below the policy folder.' }),
  line: Type.Integer({ minimum: 1, description: 'From 1.' }),
  column: Type.Integer({ minimum: 1, description: 'From 1, in characters.' }),
  pointer: Type.String({ description: 'RFC 6901, into the file.' }),
  // A FindingCode, or a LintCode for findings of the linter.
  code: Type.String({ description: 'The kind of problem, for programs.' }),
  message: Type.String({ description: 'The problem, for people.' }),
  severity: Type.Optional(
    StringEnum(['error', 'warning'], { description: 'Absent: error. A set with an error is not activated.' }),
  ),
  hint: Type.Optional(Type.String({ description: 'How to fix it.' })),
  example: Type.Optional(Type.String({ description: 'A request that demonstrates it.' })),
});
export type Finding = Static<typeof FindingSchema>;

export type FindingCode =
  | 'TOO_LARGE'
  | 'DUPLICATE_RESOURCE'
  | 'NOT_JSON'
  | 'SCHEMA'
  | 'UNKNOWN_FACT'
  | 'UNKNOWN_OPERATOR'
  | 'OPERATOR_MISUSED'
  | 'BAD_VALUE'
  | 'BAD_RESOURCE'
  | 'DUPLICATE_RULE'
  | 'BUDGET_MISUSED'
  | 'BUDGET_CLASH'
  | 'DUPLICATE_ID'
  | 'ALLOW_OF_UNKNOWN'
  | 'BAD_TOOL_NAME'
  | 'BAD_TEMPLATE'
  | 'BAD_POINTER'
  | 'DUPLICATE_SERVER'
  | 'UNKNOWN_TERM'
  | 'TERM_CYCLE'
  | 'INSTALLATION_ONLY'
  | 'OTHER_ORGANISATION'
  | 'BAD_PATH'
  | 'SIGNATURE'
  | 'LEXICON';

export type { Effect };
