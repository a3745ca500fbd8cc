// The format of a policy file: one typebox value gives the TypeScript type, the validator and the published JSON Schema.
import { POLICY_STAGES, type PolicyStage } from '../../kernel/vocabulary.ts';
import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import { ACTIONS, ENVIRONMENTS } from '../../kernel/vocabulary.ts';
import type { Action, Environment } from '../../kernel/vocabulary.ts';
import type { Approvers } from './approvers.ts';
import type { BudgetScope } from './budget-limits.ts';
import { conditional, POLICY_DEFS } from './schema-parts.ts';

/** Stable, because editors and policy files refer to it, wherever the service runs. */
export const POLICY_SCHEMA_ID = 'https://custos.dev/schemas/policy.json';
/** The policy id of reasons that the service itself gives (no match, an agent that is not active, a failed evaluation). */
export const BUILT_IN_POLICY = 'default';

/** A comparison in the notation of json-rules-engine. */
export interface Comparison {
  fact: string;
  path?: string;
  operator: string;
  value: unknown;
}
/** A comparison of an item of a list, or of a member of it. */
export interface ItemComparison {
  path?: string;
  operator: string;
  value: unknown;
}
/** The value of `some` and `every`. */
export type ItemCondition =
  | { all: ItemCondition[] }
  | { any: ItemCondition[] }
  | { not: ItemCondition }
  | ItemComparison;
/** A condition without names: as rules are evaluated. */
export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | Comparison;
/** The name of a condition of terms.json, in the notation of json-rules-engine. */
export interface ConditionUse {
  condition: string;
}
/** A condition as it is written in a file. */
export type WrittenCondition = Junction | Comparison;
/** The conditions of a rule as they are written. */
export type Junction =
  | { all: WrittenCondition[] }
  | { any: WrittenCondition[] }
  | { not: WrittenCondition }
  | ConditionUse;

/** A limit on what a rule permits within a sliding window. */
export interface Budget {
  name: string;
  /** Absent: one count for the whole organisation and environment. */
  per?: BudgetScope[];
  /** A number and a unit: m, h, d, w. */
  window: string;
  limit: number;
  /** Absent: each decision counts 1. */
  amount?: { fact: string; path?: string };
}

/** An obligation in a policy file; types that the service does not know carry their data in `params`. */
export type PolicyObligation =
  | { type: 'redact_fields'; fields: string[] }
  | { type: 'max_rows'; limit: number }
  | { type: 'read_only' }
  | { type: 'rate'; limit: number; perSeconds: number }
  | { type: string; params?: Record<string, unknown> };

export interface EventParams {
  code: string;
  message: string;
  obligations?: PolicyObligation[];
}
export type EnforceEvent =
  | { type: 'ALLOW' | 'DENY'; params: { code: string; message: string } }
  | { type: 'ESCALATE'; params: { code: string; message: string; approvers?: Approvers; ttl?: string } }
  | { type: 'DEGRADE'; params: { code: string; message: string; obligations: PolicyObligation[] } };
export interface RiskEvent {
  type: 'RISK';
  params: { factor: string; score: number; message: string };
}

/** A JSON Schema that typebox can not express, with the TypeScript type of its values. */
const raw = <T>(schema: object): TSchema & { '~unsafe': T } => Type.Unsafe<T>(schema);

const name = (description: string, pattern: string, example: string) =>
  Type.String({ pattern, description, examples: [example] });

export const TargetSchema = Type.Object(
  {
    actions: Type.Array(raw<Action | '*'>({ type: 'string', enum: [...ACTIONS, '*'] }), {
      minItems: 1,
      uniqueItems: true,
      description: 'action classes, or "*" for all; no ALLOW rule matches unknown, also not by "*"',
      examples: [['delete', 'update'], ['*']],
    }),
    resources: Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), {
      minItems: 1,
      maxItems: 1_000,
      uniqueItems: true,
      description: 'resources; "*" as the whole last segment stands for one or more segments',
      examples: [['db/production/*'], ['*']],
    }),
    environments: Type.Optional(
      Type.Array(raw<Environment>({ type: 'string', enum: ENVIRONMENTS }), {
        minItems: 1,
        uniqueItems: true,
        description: 'of the key that asks; absent: all',
        examples: [['live']],
      }),
    ),
    organisations: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        description: 'slugs; absent: all',
        examples: [['acme']],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'which requests the rules are for',
    examples: [{ actions: ['delete'], resources: ['db/production/*'], environments: ['live'] }],
  },
);

function ruleSchema<Event>(event: object) {
  return Type.Object(ruleMembers<Event>(event), {
    additionalProperties: false,
    description: 'one rule: when it holds, and what then',
  });
}

function ruleMembers<Event>(event: object) {
  return {
    name: name('unique within the policy', '^[a-z0-9][a-z0-9-]{0,99}$', 'untrusted-agents-may-not'),
    conditions: raw<Junction>({
      $ref: '#/$defs/junction',
      description: 'when the rule holds',
      examples: [{ all: [{ fact: 'trust', path: 'level', operator: 'lessThan', value: 4 }] }],
    }),
    event: raw<Event>(event),
  };
}
export const EnforceRuleSchema = Type.Object(
  {
    ...ruleMembers<EnforceEvent>({
      $ref: '#/$defs/enforceEvent',
      description: 'what the rule says of a request',
      examples: [{ type: 'DENY', params: { code: 'TRUST_TOO_LOW', message: 'needs trust level 4 or more' } }],
    }),
    budget: Type.Optional(
      raw<Budget>({
        $ref: '#/$defs/budget',
        description: 'of an ALLOW or DEGRADE: how much it permits within a window; without room it permits nothing',
        examples: [{ name: 'refunds', per: ['agent'], window: '24h', limit: 500 }],
      }),
    ),
  },
  { additionalProperties: false, description: 'one rule: when it holds, and what then' },
);
export const RiskRuleSchema = ruleSchema<RiskEvent>({
  $ref: '#/$defs/riskEvent',
  description: 'what the rule adds to the risk',
  examples: [{ type: 'RISK', params: { factor: 'production', score: 150, message: 'changes production' } }],
});
export type EnforceRule = Static<typeof EnforceRuleSchema>;
export type RiskRule = Static<typeof RiskRuleSchema>;
export type PolicyTarget = Static<typeof TargetSchema>;

interface PolicyHead {
  $schema?: string;
  id: string;
  description: string;
  target: PolicyTarget;
}
export type Policy =
  | (PolicyHead & { stage: 'enforce'; rules: EnforceRule[] })
  | (PolicyHead & { stage: 'intake'; rules: RiskRule[] });

const example: Policy = {
  id: 'production-data',
  description: 'Destructive work on production data needs an operational agent.',
  stage: 'enforce',
  target: { actions: ['delete', 'update'], resources: ['db/production/*'], environments: ['live'] },
  rules: [
    {
      name: 'untrusted-agents-may-not',
      conditions: { all: [{ fact: 'trust', path: 'level', operator: 'lessThan', value: 4 }] },
      event: { type: 'DENY', params: { code: 'TRUST_TOO_LOW', message: 'needs trust level 4 or more' } },
    },
  ],
};

/** The schema of a policy file (draft 2020-12), by which files are checked; schema-editors.ts extends it for editors. */
export const PolicySchema: TSchema & { '~unsafe': Policy } = raw<Policy>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: POLICY_SCHEMA_ID,
  title: 'Custos policy',
  description: 'A target and the rules for it. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'description', 'stage', 'target', 'rules'],
  properties: {
    $schema: Type.String({
      description: 'where editors find this schema',
      examples: ['./schema/policy.schema.json', POLICY_SCHEMA_ID],
    }),
    id: raw<string>({
      type: 'string',
      pattern: '^[a-z0-9][a-z0-9._-]{0,127}$',
      not: { const: BUILT_IN_POLICY },
      description: `unique in the policy set; "${BUILT_IN_POLICY}" is the service's own`,
      examples: ['production-data'],
    }),
    description: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'what the policy is for, in a sentence',
      examples: [example.description],
    }),
    stage: raw<PolicyStage>({
      type: 'string',
      enum: POLICY_STAGES,
      description: 'intake: risk of a parsed intent; enforce: the verdict',
      examples: ['enforce'],
    }),
    target: TargetSchema,
    rules: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'names are unique; their order means nothing',
      examples: [example.rules],
    },
  },
  ...conditional(
    { required: ['stage'], properties: { stage: { const: 'intake' } } },
    { properties: { rules: { items: RiskRuleSchema } } },
    { properties: { rules: { items: EnforceRuleSchema } } },
  ),
  $defs: POLICY_DEFS,
  examples: [example],
});
