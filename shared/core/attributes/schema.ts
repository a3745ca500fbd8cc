// The format of policies/attributes.json: the attributes of agents and resources, and the members of the context, each with its type.
import Type, { type TSchema } from 'typebox';
import { StringEnum } from '../../kernel/schema.ts';

const ATTRIBUTES_SCHEMA_ID = 'https://custos.dev/schemas/attributes.json';

/** `list` is a list of texts; `time` is an RFC 3339 time. */
export const ATTRIBUTE_TYPES = ['text', 'number', 'boolean', 'time', 'list'] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

export interface AttributeDeclaration {
  readonly type: AttributeType;
  readonly description?: string;
  /** The allowed texts, of a text or of each item of a list. Absent: any text. */
  readonly values?: readonly string[];
}
export interface ContextDeclaration extends AttributeDeclaration {
  /** Only keys with one of these tags may set the member; from other keys it counts as missing. Absent: every key may. */
  readonly onlyFrom?: readonly string[];
}
type Declared<T> = Readonly<Record<string, T>>;

export interface AttributesFile {
  readonly $schema?: string;
  readonly description?: string;
  readonly agent?: Declared<AttributeDeclaration>;
  readonly resource?: Declared<AttributeDeclaration>;
  /** By the dotted path of the member: `ticket`, `env.ticket`. */
  readonly context?: Declared<ContextDeclaration>;
}

/** A name without dots, because it is one segment of a path in a rule. It starts with a letter, so it is never `__proto__`. */
export const ATTRIBUTE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Dotted, each segment as above. */
const MEMBER_PATH = `${ATTRIBUTE_NAME.source.slice(0, -1)}(?:\\.[A-Za-z][A-Za-z0-9_-]{0,63}){0,7}$`;

/** The largest number of attributes of one kind. */
export const MAX_ATTRIBUTES = 100;
export const MAX_TEXT_LENGTH = 1_000;
export const MAX_LIST_ITEMS = 100;
/** The format of key tags. */
const TAG = { type: 'string', minLength: 1, maxLength: 100 };

const TYPE = StringEnum(ATTRIBUTE_TYPES, {
  description: 'text; number; boolean; time: an RFC 3339 time; list: a list of texts',
  examples: ['text'],
});

const members = {
  type: TYPE,
  description: Type.String({ maxLength: 1_000, description: 'what the value means', examples: ['the owning team'] }),
  values: {
    type: 'array',
    minItems: 1,
    maxItems: 1_000,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
    description: 'the only texts that the value, or an item of a list, may be; absent: any text',
    examples: [['finance', 'sales']],
  },
};
const onlyFrom = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: TAG,
  description: 'only keys with one of these tags may set the member; from other keys it counts as missing',
  examples: [['gateway']],
};

const declarations = (description: string, pattern: string, properties: object, example: object): object => ({
  type: 'object',
  maxProperties: MAX_ATTRIBUTES,
  propertyNames: { pattern },
  additionalProperties: { type: 'object', additionalProperties: false, required: ['type'], properties },
  description,
  examples: [example],
});

const example = {
  agent: { team: { type: 'text', description: 'the owning team', values: ['finance', 'sales'] } },
  resource: { region: { type: 'text', description: 'where the data is stored' } },
  context: { ticket: { type: 'text', description: 'the change ticket', onlyFrom: ['gateway'] } },
} as const;

/** The published schema (draft 2020-12), served at /schemas/attributes.json and kept in policies/schema/. */
export const AttributesSchema: TSchema & { '~unsafe': AttributesFile } = Type.Unsafe<AttributesFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: ATTRIBUTES_SCHEMA_ID,
  title: 'Custos attributes',
  description:
    'The attributes of agents and resources and the members of the context that rules may compare, with their types. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: Type.String({
      description: 'where editors find this schema',
      examples: ['schema/attributes.schema.json', ATTRIBUTES_SCHEMA_ID],
    }),
    description: Type.String({
      maxLength: 1_000,
      description: 'what the attributes are for',
      examples: ['who owns what'],
    }),
    agent: declarations(
      'attributes of agents by name, set by keys with agents:write; facts agent.attributes.<name>',
      ATTRIBUTE_NAME.source,
      members,
      example.agent,
    ),
    resource: declarations(
      'attributes of resources by name; facts resource.attributes.<name>. class and owner are texts without a declaration',
      ATTRIBUTE_NAME.source,
      members,
      example.resource,
    ),
    context: declarations(
      'members of the context by their dotted path; facts context.<path>. Members that are not declared here have any type',
      MEMBER_PATH,
      { ...members, onlyFrom },
      example.context,
    ),
  },
  examples: [example],
});

/** The text of policies/schema/attributes.schema.json. */
export function attributesSchemaText(): string {
  return `${JSON.stringify(AttributesSchema, null, 2)}\n`;
}
