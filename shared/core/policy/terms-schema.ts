// The format of policies/terms.json: conditions and constants with names, which policies use.
import Type, { type TSchema } from 'typebox';
import { POLICY_DEFS } from './schema-parts.ts';
import type { WrittenCondition } from './schema.ts';

const TERMS_SCHEMA_ID = 'https://custos.dev/schemas/terms.json';

export interface NamedCondition {
  readonly description?: string;
  readonly condition: WrittenCondition;
}
export interface NamedConstant {
  readonly description?: string;
  readonly value: unknown;
}
export interface TermsFile {
  readonly $schema?: string;
  readonly description?: string;
  readonly conditions?: Readonly<Record<string, NamedCondition>>;
  readonly constants?: Readonly<Record<string, NamedConstant>>;
}

const MAX_TERMS = 1_000;

const description = Type.String({ maxLength: 1_000, description: 'what it means', examples: ['agents of finance'] });
const isFinance = { fact: 'agent', path: 'tags', operator: 'contains', value: 'finance' };
const scalar = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

function named(what: string, member: string, schema: object, example: object): object {
  return {
    type: 'object',
    maxProperties: MAX_TERMS,
    propertyNames: { pattern: '^[a-z][a-z0-9-]{0,63}$' },
    description: what,
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      required: [member],
      description: what,
      properties: { description, [member]: schema },
      examples: [Object.values(example)[0]],
    },
    examples: [example],
  };
}

const example: TermsFile = {
  description: 'Names that our policies use',
  conditions: { 'is-finance': { description: 'agents of finance', condition: isFinance } },
  constants: { 'business-hours': { description: 'in UTC', value: '08:00-18:00' } },
};

/** The published schema of the file (draft 2020-12), kept in policies/schema/. */
export const TermsSchema: TSchema & { '~unsafe': TermsFile } = Type.Unsafe<TermsFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: TERMS_SCHEMA_ID,
  title: 'Custos terms',
  description: 'Conditions and constants with names. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: Type.String({ description: 'where editors find this schema', examples: ['./schema/terms.schema.json'] }),
    description,
    conditions: named(
      'conditions by name; a policy uses one with {"condition": "is-finance"}',
      'condition',
      { $ref: '#/$defs/condition', description: 'the condition', examples: [isFinance] },
      { 'is-finance': { condition: isFinance } },
    ),
    constants: named(
      'values by name; a policy uses one with "value": {"constant": "business-hours"}',
      'value',
      {
        description:
          'the value: a text, a number, true or false, a list of these, a sum of money, or hours of a time zone',
        anyOf: [
          ...scalar.anyOf,
          { type: 'array', minItems: 1, maxItems: 1_000, items: scalar },
          {
            type: 'object',
            additionalProperties: false,
            required: ['amount', 'currency'],
            properties: {
              amount: Type.Number({ description: 'the amount', examples: [1_000] }),
              currency: Type.String({ description: 'an ISO 4217 currency', examples: ['EUR'] }),
            },
          },
          {
            type: 'object',
            required: ['hours'],
            properties: { hours: Type.String({ description: 'of withinHours', examples: ['08:00-18:00'] }) },
          },
        ],
        examples: ['08:00-18:00'],
      },
      { 'business-hours': { value: '08:00-18:00' } },
    ),
  },
  $defs: {
    condition: POLICY_DEFS.condition,
    factReference: POLICY_DEFS.factReference,
    constantUse: POLICY_DEFS.constantUse,
    itemCondition: POLICY_DEFS.itemCondition,
  },
  examples: [example],
});

/** The text of policies/schema/terms.schema.json. */
export function termsSchemaText(): string {
  return `${JSON.stringify(TermsSchema, null, 2)}\n`;
}
