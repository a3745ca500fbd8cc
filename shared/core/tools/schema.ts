// The format of a tool catalogue: one typebox value gives the TypeScript type, the validator and the published JSON Schema.
import Type, { type Static, type TSchema } from 'typebox';
import {
  ACTION_CLASSES,
  type ActionClass,
  DATA_CLASSES,
  type Effect,
  EFFECTS,
  EXTENTS,
  TRAITS,
} from '../../kernel/vocabulary.ts';
import { effectOfAction } from '../intent/lexicon/effect.ts';
import { DEFINITION_DIGEST_PATTERN } from './call.ts';

/** Stable, because editors and catalogues refer to it, wherever the service runs. */
export const TOOLS_SCHEMA_ID = 'https://custos.dev/schemas/tools.json';

/** How an argument is read: code of a language, a text that is carried out, or content that is only stored or sent. */
export const READ_KINDS = ['shell', 'sql', 'http', 'python', 'javascript', 'text', 'content'] as const;
export type ReadKind = (typeof READ_KINDS)[number];

/** Published schemas show `type` and `enum` instead of a union of constants. */
const oneOf = <T extends string>(values: readonly T[], description: string, example: T): TSchema & { '~unsafe': T } =>
  Type.Unsafe<T>({ type: 'string', enum: values, description, examples: [example] });

const someOf = <T extends string>(values: readonly T[], description: string, example: T) =>
  Type.Array(Type.Unsafe<T>({ type: 'string', enum: values }), {
    uniqueItems: true,
    description,
    examples: [[example]],
  });

const TEMPLATE = `{path} takes an argument, a JSON Pointer without its first slash for a deeper one; {paths[]} each item of a list, {number:integer} a whole number`;

export const ToolEntrySchema = Type.Object(
  {
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'why it is read so', examples: ['overwrites'] }),
    ),
    action: oneOf<ActionClass>(ACTION_CLASSES, 'the action class of every call', 'update'),
    effect: Type.Optional(oneOf(EFFECTS, 'absent: the effect of the action', 'destructive')),
    extent: Type.Optional(oneOf(EXTENTS, 'how many objects a call touches; absent: one', 'many')),
    resource: Type.Optional(
      Type.String({
        minLength: 1,
        description: `what a call acts on: ${TEMPLATE}; absent: tools/<server>/<tool>`,
        examples: ['file/{path}', 'issues/{owner}/{repo}/{issue_number:integer}'],
      }),
    ),
    places: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description:
          'other resources that a call touches, as templates: no rule permits because of them, other rules match them',
        examples: [['file/{source}']],
      }),
    ),
    traits: Type.Optional(someOf(TRAITS, 'what else is true of every call', 'irreversible')),
    dataClasses: Type.Optional(someOf(DATA_CLASSES, 'classes of sensitive data that every call involves', 'pii')),
    reads: Type.Optional(
      Type.Unsafe<Record<string, ReadKind>>({
        type: 'object',
        minProperties: 1,
        maxProperties: 20,
        additionalProperties: { type: 'string', enum: READ_KINDS },
        description:
          'arguments that hold code or text, by JSON Pointer without its first slash, and how to read them: what is found counts too, the stricter wins',
        examples: [{ command: 'shell' }, { 'query/sql': 'sql' }, { code: 'python' }],
      }),
    ),
    definition: Type.Optional(
      Type.String({
        pattern: DEFINITION_DIGEST_PATTERN,
        description: 'the digest of the definition that was approved: a call under another one counts as changed',
        examples: [`sha256:${'0'.repeat(64)}`],
      }),
    ),
  },
  { additionalProperties: false, description: 'what a call of this tool does' },
);
export type ToolEntry = Static<typeof ToolEntrySchema>;

/** What an entry says, or else the default of its action. */
export function effectOfEntry({ action, effect }: Pick<ToolEntry, 'action' | 'effect'>): Effect {
  return effect ?? effectOfAction(action);
}

export interface ToolCatalogueFile {
  $schema?: string;
  server: string;
  description: string;
  trustAnnotations?: boolean;
  tools: Record<string, ToolEntry>;
}

const example: ToolCatalogueFile = {
  server: 'filesystem',
  description: 'Files below /srv/app.',
  trustAnnotations: false,
  tools: {
    read_text_file: { action: 'read', resource: 'file/{path}' },
    write_file: { action: 'update', effect: 'destructive', resource: 'file/{path}', traits: ['irreversible'] },
    move_file: {
      action: 'update',
      effect: 'destructive',
      resource: 'file/{destination}',
      places: ['file/{source}'],
    },
    run: { action: 'execute', reads: { command: 'shell' } },
  },
};

const MAX_TOOLS = 1_000;

/** The published schema of a catalogue (draft 2020-12), served at /schemas/tools.json and kept in policies/schema/. */
export const ToolCatalogueSchema: TSchema & { '~unsafe': ToolCatalogueFile } = Type.Unsafe<ToolCatalogueFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: TOOLS_SCHEMA_ID,
  title: 'Custos tool catalogue',
  description: 'What the tools of one server do. Every member that is not described here is refused.',
  type: 'object',
  additionalProperties: false,
  required: ['server', 'description', 'tools'],
  properties: {
    $schema: Type.String({
      description: 'where editors find this schema',
      examples: ['../schema/tools.schema.json', TOOLS_SCHEMA_ID],
    }),
    server: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'the name of the source of the tools, as calls name it; unique in the policy set',
      examples: ['filesystem'],
    }),
    description: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'what the server is for, in a sentence',
      examples: [example.description],
    }),
    trustAnnotations: Type.Boolean({
      description:
        'whether the annotations of the server decide about its tools that are not listed here; absent: false, and such tools are unknown',
      examples: [false],
    }),
    tools: {
      type: 'object',
      maxProperties: MAX_TOOLS,
      additionalProperties: ToolEntrySchema,
      description: 'the tools by name',
      examples: [example.tools],
    },
  },
  examples: [example],
});

/** The text of policies/schema/tools.schema.json. */
export function toolsSchemaText(): string {
  return `${JSON.stringify(ToolCatalogueSchema, null, 2)}\n`;
}
