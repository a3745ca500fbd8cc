// The parts of the policy schema that typebox can not express (conditions, events and obligations), as plain JSON Schema.
import { DURATION_PATTERN } from '../../kernel/durations.ts';
import { LABEL, OBLIGATION_TYPE_PATTERN } from '../../kernel/vocabulary.ts';
import { MOST_APPROVERS, RULE_TTL } from './approvers.ts';
import { BUDGET_SCOPES, MAX_AMOUNT } from './budget-limits.ts';
import { ITEM_PATH } from './items.ts';
import { OPERATORS, OPERATOR_NAMES } from './operators.ts';
import { ARGUMENT_PATH, ATTRIBUTE_PATH, CONTEXT_PATH, FACT_NAMES, VOCABULARY, WITH_ATTRIBUTES } from './vocabulary.ts';

/**
 * Builds `if`, `then` and `else`. From pairs, because an object literal with a member `then` looks like a promise to linters and `await`.
 */
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

/** The paths of a fact; false for a fact without any. */
function pathSchema(fact: string, paths: readonly string[]): object | false {
  if (fact === 'context') return { pattern: CONTEXT_PATH.source };
  if (fact === 'tool') return { pattern: `^(?:${paths.join('|').replaceAll('.', '\\.')})$|${ARGUMENT_PATH.source}` };
  if (WITH_ATTRIBUTES.includes(fact)) {
    const attributes = { pattern: ATTRIBUTE_PATH.source };
    return paths.length === 0 ? attributes : { anyOf: [{ enum: paths }, attributes] };
  }
  return paths.length === 0 ? false : { enum: paths };
}

const comparisonPaths = FACT_NAMES.map((fact) => {
  const paths = VOCABULARY.filter((entry) => entry.fact === fact).flatMap((entry) => entry.path ?? []);
  const path = pathSchema(fact, paths);
  const when = { required: ['fact'], properties: { fact: { const: fact } } };
  return conditional(when, { ...(path === false ? {} : { required: ['path'] }), properties: { path } });
});

const cheap = { path: 'price', operator: 'lessThan', value: 100 };
const untrusted = { fact: 'trust', path: 'level', operator: 'lessThan', value: 4 };
const unregistered = { fact: 'agent', path: 'registered', operator: 'equal', value: false };
const list = (description: string): object => ({
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { $ref: '#/$defs/condition' },
  description,
  examples: [[untrusted, unregistered]],
});
const conditionMembers = {
  condition: {
    type: 'string',
    description: 'the name of a condition of terms.json, which stands here',
    examples: ['is-finance'],
  },
  all: list('holds when all of these hold'),
  any: list('holds when at least one of these holds'),
  not: {
    $ref: '#/$defs/condition',
    description: 'holds when this does not; a missing fact makes neither hold in ALLOW rules, and both in others',
    examples: [unregistered],
  },
};
const onlyMember = (name: string): object => ({ required: [name], maxProperties: 1 });
const JUNCTIONS = ['all', 'any', 'not'];
const junctionChoices = [...JUNCTIONS, 'condition'].map(onlyMember);

/** The operators whose value is a condition on the items of a list. */
const QUANTIFIERS = [...OPERATORS.values()].flatMap(({ name, quantifier }) => (quantifier === undefined ? [] : [name]));
const ofItems = conditional(
  { required: ['operator'], properties: { operator: { type: 'string', pattern: `^(?:${QUANTIFIERS.join('|')})$` } } },
  { properties: { value: { $ref: '#/$defs/itemCondition' } } },
);

/** The root of a rule's conditions: exactly one of all, any, not, condition. */
const junction = {
  type: 'object',
  additionalProperties: false,
  description: 'exactly one of all, any, not; or the name of a condition',
  properties: conditionMembers,
  oneOf: junctionChoices,
  examples: [{ all: [untrusted] }, { not: unregistered }],
};
const factMember = {
  type: 'string',
  enum: FACT_NAMES,
  description: 'the fact to look at',
  examples: ['trust', 'intent'],
};
const pathMember = {
  type: 'string',
  description: 'the dotted path below the fact; own members of objects only',
  examples: ['level', 'recorded.score'],
};
/** A fact as the value of a comparison. */
const factReference = {
  ...object({ fact: factMember, path: pathMember }, ['fact'], 'another fact, with whose value the fact is compared'),
  allOf: comparisonPaths,
  examples: [{ fact: 'agent', path: 'id' }],
};
const itemList = (description: string): object => ({
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { $ref: '#/$defs/itemCondition' },
  description,
  examples: [[cheap]],
});
/** A value that is another fact, or a constant of terms.json. */
const NAMED_VALUES = [
  conditional({ type: 'object', required: ['fact'] }, { $ref: '#/$defs/factReference' }),
  conditional({ type: 'object', required: ['constant'] }, { $ref: '#/$defs/constantUse' }),
];
/** The value of `some` and `every`: a condition on an item of the list. */
const itemCondition = {
  type: 'object',
  additionalProperties: false,
  description: 'exactly one of all, any, not; or a comparison of an item, or of a member of it, with a value',
  properties: {
    all: itemList('holds when all of these hold'),
    any: itemList('holds when at least one of these holds'),
    not: { $ref: '#/$defs/itemCondition', description: 'holds when this does not', examples: [cheap] },
    path: {
      type: 'string',
      pattern: ITEM_PATH.source,
      description: 'the dotted path below the item; absent: the item itself',
      examples: ['price', 'owner.team'],
    },
    operator: {
      type: 'string',
      enum: OPERATOR_NAMES,
      description: 'as in conditions; some and every for a list within the item, at most once',
      examples: ['greaterThan'],
    },
    value: {
      description: 'what it is compared with, as in conditions; its type depends on the operator',
      allOf: NAMED_VALUES,
      examples: [100, 'EUR', { fact: 'agent', path: 'id' }, { constant: 'limit' }],
    },
  },
  oneOf: [
    ...JUNCTIONS.map(onlyMember),
    { required: ['operator', 'value'], properties: { all: false, any: false, not: false } },
  ],
  allOf: [ofItems],
  examples: [cheap, { all: [cheap, { path: 'currency', operator: 'equal', value: 'EUR' }] }],
};
/** A constant as the value of a comparison. */
const constantUse = object(
  { constant: { type: 'string', description: 'its name in terms.json', examples: ['business-hours'] } },
  ['constant'],
  'a constant of terms.json, whose value stands here',
);
/** Any node of the conditions: a junction, or a comparison of a fact. */
const condition = {
  type: 'object',
  additionalProperties: false,
  description: 'exactly one of all, any, not; the name of a condition; or a comparison of a fact with a value',
  properties: {
    ...conditionMembers,
    fact: factMember,
    path: pathMember,
    operator: {
      type: 'string',
      enum: OPERATOR_NAMES,
      description: [...OPERATORS.values()].map((operator) => `${operator.name}: ${operator.description}.`).join(' '),
      examples: ['lessThan', 'containsAny'],
    },
    value: {
      description:
        'what the fact is compared with; its type depends on the operator. Or another fact: {"fact": "agent", "path": "id"}; or a constant of terms.json: {"constant": "business-hours"}',
      allOf: NAMED_VALUES,
      examples: [
        4,
        'destructive',
        ['pii', 'health'],
        '08:00-18:00',
        { hours: '08:00-18:00', zone: 'Europe/Berlin', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
        '24h',
        cheap,
        { fact: 'agent', path: 'id' },
      ],
    },
  },
  oneOf: [
    ...junctionChoices,
    { required: ['fact', 'operator', 'value'], properties: { all: false, any: false, not: false, condition: false } },
  ],
  allOf: [...comparisonPaths, ofItems],
  examples: [untrusted, { any: [untrusted, unregistered] }],
};

const count = (description: string, example: number, minimum: number, maximum: number): object => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  examples: [example],
});

/** The obligation types that the service merges when several rules demand them, with their members. */
const KNOWN_OBLIGATIONS: Record<string, { readonly description: string; readonly members: Record<string, object> }> = {
  redact_fields: {
    description:
      'leave these fields out, or make them unreadable, before anybody sees the result; several: all of them',
    members: {
      fields: {
        type: 'array',
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        items: { type: 'string', minLength: 1, maxLength: 256 },
        description: 'names of fields, as the caller knows them',
        examples: [['email', 'customer.ssn']],
      },
    },
  },
  max_rows: {
    description: 'return, or touch, at most so many; several: the smallest',
    members: { limit: count('how many rows, records or objects', 100, 0, 1_000_000_000) },
  },
  read_only: { description: 'change nothing: run it in a read-only transaction, or as a plan', members: {} },
  rate: {
    description: 'do it at most so often; several: the strictest, and when none is the strictest, a human decides',
    members: {
      limit: count('how often', 10, 1, 1_000_000_000),
      perSeconds: count('in how many seconds', 60, 1, 31_536_000),
    },
  },
};
export const OBLIGATION_KINDS: readonly string[] = Object.keys(KNOWN_OBLIGATIONS);
const ofType = (name: string): object => ({ required: ['type'], properties: { type: { const: name } } });
const kindsInWords = Object.entries(KNOWN_OBLIGATIONS).map(([name, { description }]) => `${name}: ${description}.`);
const obligation = {
  type: 'object',
  description: `what a caller must keep to. ${kindsInWords.join(' ')} Any other kind is the caller's own and carries its data in params.`,
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      pattern: OBLIGATION_TYPE_PATTERN,
      description: `${OBLIGATION_KINDS.join(', ')}, or a kind of your own that your callers know`,
      examples: [...OBLIGATION_KINDS, 'watermark'],
    },
  },
  allOf: [
    ...Object.entries(KNOWN_OBLIGATIONS).map(([name, { description, members }]) =>
      conditional(ofType(name), object({ type: true, ...members }, ['type', ...Object.keys(members)], description)),
    ),
    conditional(
      { required: ['type'], properties: { type: { enum: OBLIGATION_KINDS } } },
      true,
      object(
        {
          type: true,
          params: {
            type: 'object',
            description: 'what the kind needs; the answer holds it as it is',
            examples: [{ text: 'draft' }],
          },
        },
        ['type'],
      ),
    ),
  ],
  examples: [
    { type: 'redact_fields', fields: ['email'] },
    { type: 'max_rows', limit: 100 },
    { type: 'read_only' },
    { type: 'rate', limit: 10, perSeconds: 60 },
    { type: 'watermark', params: { text: 'draft' } },
  ],
};

/** `approvers` of a rule. */
export const APPROVERS = {
  ...object(
    {
      keys: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        items: { type: 'string', pattern: '^[0-9A-Za-z]{8}$' },
        description: 'ids of keys that may approve: these keys, not their successors by rotation',
        examples: [['4fZ0q9Lm']],
      },
      tags: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        items: { type: 'string', ...LABEL },
        description: 'keys with one of these tags may approve; with "keys" as well, either suffices',
        examples: [['finance']],
      },
      atLeast: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_APPROVERS,
        description: 'how many must approve, each in different hands; absent: 1',
        examples: [2],
      },
    },
    [],
    'of ESCALATE, and only of it: who may approve; absent: any admin key. Of several rules that hold, each must be satisfied',
  ),
  anyOf: [{ required: ['keys'] }, { required: ['tags'] }],
  examples: [{ tags: ['finance'], atLeast: 2 }],
};
const ttl = {
  type: 'string',
  pattern: DURATION_PATTERN,
  description: `of ESCALATE, and only of it: how long the approval lives, ${RULE_TTL.min} to ${RULE_TTL.max}; absent: CUSTOS_APPROVAL_TTL; of several rules that hold the shortest`,
  examples: ['4h', '3d'],
};

const code = {
  type: 'string',
  pattern: '^[A-Z][A-Z0-9_]{0,63}$',
  description: 'what programs see, such as TRUST_TOO_LOW',
  examples: ['TRUST_TOO_LOW', 'APPROVAL_NEEDED'],
};
const message = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description:
    'what people see. {fact.path} stands for the value of a fact, as in {agent.id}; secrets are masked, and a missing one reads (missing)',
  examples: ['needs trust level 4 or more, {agent.id} has {trust.level}'],
};
const denied = { code: 'TRUST_TOO_LOW', message: 'needs trust level 4 or more' };
const counted = { factor: 'production', score: 150, message: 'changes production' };

const enforceEvent = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'params'],
  description: 'the effect: DENY over ESCALATE over DEGRADE over ALLOW',
  properties: {
    type: {
      type: 'string',
      enum: ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'],
      description: 'ESCALATE asks a human; DEGRADE permits with obligations',
      examples: ['DENY', 'DEGRADE'],
    },
    params: {
      ...object(
        {
          code,
          message,
          obligations: {
            type: 'array',
            minItems: 1,
            maxItems: 20,
            items: { $ref: '#/$defs/obligation' },
            description: 'of DEGRADE, and only of it: what the caller must keep to',
            examples: [[{ type: 'max_rows', limit: 100 }]],
          },
          approvers: APPROVERS,
          ttl,
        },
        ['code', 'message'],
        'the reason that an answer gives',
      ),
      examples: [denied],
    },
  },
  examples: [{ type: 'DENY', params: denied }],
  allOf: [
    conditional(
      ofType('DEGRADE'),
      { properties: { params: { required: ['obligations'] } } },
      { properties: { params: { properties: { obligations: false } } } },
    ),
    conditional(ofType('ESCALATE'), true, { properties: { params: { properties: { approvers: false, ttl: false } } } }),
  ],
};
const riskEvent = {
  ...object(
    {
      type: { type: 'string', const: 'RISK', description: 'the only type of stage intake', examples: ['RISK'] },
      params: {
        ...object(
          {
            factor: {
              type: 'string',
              pattern: '^[a-z][a-z0-9_]{0,63}$',
              description: 'of several rules with one factor the highest score counts',
              examples: ['production'],
            },
            score: {
              type: 'integer',
              minimum: 1,
              maximum: 1_000,
              description: 'what it adds; medium begins at 400, high at 700',
              examples: [150],
            },
            message,
          },
          ['factor', 'score', 'message'],
          'the factor that an answer gives',
        ),
        examples: [counted],
      },
    },
    ['type', 'params'],
    'a risk factor: the scores of distinct factors add up, to at most 1000',
  ),
  examples: [{ type: 'RISK', params: counted }],
};

const budget = {
  ...object(
    {
      name: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
        description: 'rules with the same name share one budget, and must describe it alike',
        examples: ['refunds'],
      },
      per: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: BUDGET_SCOPES },
        description:
          'what has a count of its own; organisation and environment always have. key is the key with its rotations. Absent: one count for all',
        examples: [['agent']],
      },
      window: {
        type: 'string',
        pattern: DURATION_PATTERN,
        description: 'how long a permission counts: a number and m, h, d or w, from 1m to 366d; the window slides',
        examples: ['24h'],
      },
      limit: {
        type: 'number',
        minimum: 0,
        maximum: MAX_AMOUNT,
        description: 'what the permissions of one window may add up to; at most six decimals',
        examples: [500],
      },
      amount: {
        // Its path is checked with the declarations of the set (check.ts).
        ...object(
          { fact: factMember, path: pathMember },
          ['fact'],
          'the number that a permission counts; where it is missing, negative or no number, the rule permits nothing. Absent: each counts 1',
        ),
        examples: [{ fact: 'tool', path: 'arguments.amount' }],
      },
    },
    ['name', 'window', 'limit'],
    'what a rule may permit within a window',
  ),
  examples: [{ name: 'refunds', per: ['agent'], window: '24h', limit: 500 }],
};

/** Definitions that the policy schemas refer to below `#/$defs/`. */
export const POLICY_DEFS = {
  condition,
  junction,
  itemCondition,
  factReference,
  constantUse,
  obligation,
  budget,
  enforceEvent,
  riskEvent,
};
