// The parts of the policy schema that typebox has no words for: conditions, events and obligations, as plain JSON Schema.
import { OPERATORS, OPERATOR_NAMES } from './operators.ts';
import { CONTEXT_PATH, FACT_NAMES, VOCABULARY } from './vocabulary.ts';

/** `if`, `then` and `else`. Built from pairs, because an object literal with a member `then` looks like a promise. */
export function conditional(when: object, then: object | boolean, otherwise?: object): Record<string, unknown> {
  const keywords = [['if', when], ['then', then], ...(otherwise === undefined ? [] : [['else', otherwise]])];
  return Object.fromEntries(keywords);
}

const object = (properties: Record<string, unknown>, required: readonly string[], description?: string): object => ({
  type: 'object',
  additionalProperties: false,
  ...(description === undefined ? {} : { description }),
  required,
  properties,
});

const comparisonPaths = FACT_NAMES.map((fact) => {
  const paths = VOCABULARY.filter((entry) => entry.fact === fact).flatMap((entry) => entry.path ?? []);
  const path = fact === 'context' ? { pattern: CONTEXT_PATH.source } : paths.length === 0 ? false : { enum: paths };
  const when = { required: ['fact'], properties: { fact: { const: fact } } };
  return conditional(when, { ...(path === false ? {} : { required: ['path'] }), properties: { path } });
});

const conditionMembers = {
  all: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { $ref: '#/$defs/condition' },
    description: 'holds when all of these hold',
  },
  any: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { $ref: '#/$defs/condition' },
    description: 'holds when at least one of these holds',
  },
  not: {
    $ref: '#/$defs/condition',
    description: 'holds when this does not; a missing fact makes neither hold in ALLOW rules, and both in others',
  },
};
const junctionChoices = ['all', 'any', 'not'].map((name) => ({ required: [name], maxProperties: 1 }));

/** Root of a rule's conditions: exactly one of all, any, not. */
const junction = {
  type: 'object',
  additionalProperties: false,
  description: 'exactly one of all, any, not',
  properties: conditionMembers,
  oneOf: junctionChoices,
};
/** Any node: a junction, or a comparison of a fact. */
const condition = {
  type: 'object',
  additionalProperties: false,
  description: 'exactly one of all, any, not; or a comparison of a fact with a value',
  properties: {
    ...conditionMembers,
    fact: { type: 'string', enum: FACT_NAMES, description: 'the fact to look at' },
    path: { type: 'string', description: 'the dotted path below the fact; own members of objects only' },
    operator: {
      type: 'string',
      enum: OPERATOR_NAMES,
      description: [...OPERATORS.values()].map((operator) => `${operator.name}: ${operator.description}.`).join(' '),
    },
    value: { description: 'what the fact is compared with; its type depends on the operator' },
  },
  oneOf: [
    ...junctionChoices,
    { required: ['fact', 'operator', 'value'], properties: { all: false, any: false, not: false } },
  ],
  allOf: comparisonPaths,
  examples: [{ fact: 'trust', path: 'level', operator: 'lessThan', value: 4 }],
};

const KNOWN_OBLIGATIONS: Record<string, Record<string, object>> = {
  redact_fields: {
    fields: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: 256 },
    },
  },
  max_rows: { limit: { type: 'integer', minimum: 0, maximum: 1_000_000_000 } },
  read_only: {},
  rate: {
    limit: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
    perSeconds: { type: 'integer', minimum: 1, maximum: 31_536_000 },
  },
};
const ofType = (name: string): object => ({ required: ['type'], properties: { type: { const: name } } });
const obligation = {
  type: 'object',
  description:
    'what a caller must keep to; other kinds than redact_fields, max_rows, read_only and rate carry their data in params',
  required: ['type'],
  properties: { type: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' } },
  allOf: [
    ...Object.entries(KNOWN_OBLIGATIONS).map(([name, members]) =>
      conditional(ofType(name), object({ type: true, ...members }, ['type', ...Object.keys(members)])),
    ),
    conditional(
      { required: ['type'], properties: { type: { enum: Object.keys(KNOWN_OBLIGATIONS) } } },
      true,
      object({ type: true, params: { type: 'object' } }, ['type']),
    ),
  ],
  examples: [
    { type: 'redact_fields', fields: ['email'] },
    { type: 'max_rows', limit: 100 },
    { type: 'read_only' },
    { type: 'rate', limit: 10, perSeconds: 60 },
  ],
};

const code = {
  type: 'string',
  pattern: '^[A-Z][A-Z0-9_]{0,63}$',
  description: 'what programs see, such as TRUST_TOO_LOW',
};
const message = { type: 'string', minLength: 1, maxLength: 500, description: 'what people see' };

const enforceEvent = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'params'],
  description: 'the effect: DENY over ESCALATE over DEGRADE over ALLOW',
  properties: {
    type: { type: 'string', enum: ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] },
    params: object(
      {
        code,
        message,
        obligations: { type: 'array', minItems: 1, maxItems: 20, items: { $ref: '#/$defs/obligation' } },
      },
      ['code', 'message'],
    ),
  },
  ...conditional(
    ofType('DEGRADE'),
    { properties: { params: { required: ['obligations'] } } },
    { properties: { params: { properties: { obligations: false } } } },
  ),
};
const riskEvent = object(
  {
    type: { type: 'string', const: 'RISK' },
    params: object(
      {
        factor: {
          type: 'string',
          pattern: '^[a-z][a-z0-9_]{0,63}$',
          description: 'of several rules with one factor the highest score counts',
        },
        score: { type: 'integer', minimum: 1, maximum: 1_000 },
        message,
      },
      ['factor', 'score', 'message'],
    ),
  },
  ['type', 'params'],
  'a risk factor: the scores of distinct factors add up, to at most 1000',
);

/** What the schemas of policies refer to below `#/$defs/`. */
export const POLICY_DEFS = { condition, junction, obligation, enforceEvent, riskEvent };
