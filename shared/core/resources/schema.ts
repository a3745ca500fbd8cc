// The format of policies/resources/*.json: the attributes of one resource, or of all resources that a pattern covers.
import Type, { type TSchema } from 'typebox';
import { MAX_ATTRIBUTES, MAX_TEXT_LENGTH } from '../attributes/schema.ts';

const RESOURCE_SCHEMA_ID = 'https://custos.dev/schemas/resource.json';

export interface ResourceFile {
  readonly $schema?: string;
  /** A resource, or a pattern with `*` as its whole last segment. */
  readonly name: string;
  readonly description?: string;
  readonly class?: string;
  readonly owner?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

const text = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description, examples: [example] });

/** The members of an entry beside its name; the API has the same. */
export const ENTRY_MEMBERS = {
  class: text('what kind of resource it is; the fact resource.attributes.class', 'confidential'),
  owner: text('who owns it; the fact resource.attributes.owner', 'finance'),
  attributes: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    maxProperties: MAX_ATTRIBUTES,
    additionalProperties: true,
    description: 'further attributes by name, each declared in attributes.json; facts resource.attributes.<name>',
    examples: [{ region: 'eu' }],
  }),
};

const example = { name: 'db/customers/*', class: 'confidential', owner: 'sales', attributes: { region: 'eu' } };

/** The published schema (draft 2020-12), served at /schemas/resource.json and kept in policies/schema/. */
export const ResourceSchema: TSchema & { '~unsafe': ResourceFile } = Type.Unsafe<ResourceFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: RESOURCE_SCHEMA_ID,
  title: 'Custos resource',
  description: 'What is known of a resource. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    $schema: Type.String({
      description: 'where editors find this schema',
      examples: ['../schema/resource.schema.json', RESOURCE_SCHEMA_ID],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'the resource, or a pattern with "*" as its whole last segment; not "*" alone',
      examples: ['db/customers/*', 'db/production/users'],
    }),
    description: Type.String({ maxLength: 1_000, description: 'what it is', examples: ['all tables of customers'] }),
    ...ENTRY_MEMBERS,
  },
  examples: [example],
});

/** The text of policies/schema/resource.schema.json. */
export function resourceSchemaText(): string {
  return `${JSON.stringify(ResourceSchema, null, 2)}\n`;
}
