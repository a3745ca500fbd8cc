// The format of policies/authzen.json: the action class of each action name that AuthZEN requests use.
import Type, { type TSchema } from 'typebox';
import { ACTION_CLASSES, type ActionClass } from '../../kernel/vocabulary.ts';

const AUTHZEN_SCHEMA_ID = 'https://custos.dev/schemas/authzen.json';
const MAX_NAMES = 10_000;

export interface AuthzenFile {
  readonly $schema?: string;
  readonly description?: string;
  /** Compared exactly, code point by code point. */
  readonly actions: Readonly<Record<string, ActionClass>>;
}

const actions = { GET: 'read', POST: 'create', can_close_account: 'delete' } as const;

/** The published schema (draft 2020-12), served at /schemas/authzen.json and kept in policies/schema/. */
export const AuthzenSchema: TSchema & { '~unsafe': AuthzenFile } = Type.Unsafe<AuthzenFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: AUTHZEN_SCHEMA_ID,
  title: 'Custos action names of AuthZEN requests',
  description: 'What the action names of AuthZEN requests mean. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  required: ['actions'],
  properties: {
    $schema: Type.String({
      description: 'where editors find this schema',
      examples: ['schema/authzen.schema.json', AUTHZEN_SCHEMA_ID],
    }),
    description: Type.String({ maxLength: 1_000, description: 'what the names belong to', examples: ['our gateway'] }),
    actions: {
      type: 'object',
      maxProperties: MAX_NAMES,
      additionalProperties: { type: 'string', enum: ACTION_CLASSES },
      description:
        'the action class by name. Other names are read by the lexicon: `can_read_user` is `read`; a name that it does not know is `unknown`',
      examples: [actions],
    },
  },
  examples: [{ actions }],
});

/** The text of policies/schema/authzen.schema.json. */
export function authzenSchemaText(): string {
  return `${JSON.stringify(AuthzenSchema, null, 2)}\n`;
}
