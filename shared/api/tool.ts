// Schemas of tool calls, in questions and in decisions.
import { Type } from 'typebox';
import {
  DEFINITION_DIGEST_PATTERN,
  MAX_ARGUMENTS_BYTES,
  MAX_ARGUMENTS_DEPTH,
  type ToolCall,
} from '../core/tools/call.ts';
import { MASK_REASONS } from '../core/tools/mask.ts';
import { ToolEntrySchema } from '../core/tools/schema.ts';
import { EFFECTS } from '../kernel/vocabulary.ts';
import { CallerId, closed, Cursor, JsonObject, listOf, named, Nullable, PAGE, StringEnum } from './common.ts';
import { PolicySetDigest } from './policy-set.ts';

const hint = (description: string) => Type.Optional(Type.Boolean({ description }));

/** The question of a guard in front of a tool. Other members of annotations are accepted, because servers may have more, and not kept. */
export const ToolCallSchema = Type.Unsafe<ToolCall>(
  closed(
    {
      server: {
        ...CallerId,
        description: 'The name that the operator gave the source of the tool: that of its catalogue.',
        examples: ['filesystem'],
      },
      name: { ...CallerId, description: 'The name of the tool.', examples: ['write_file'] },
      arguments: JsonObject({
        description: `As the tool gets them: at most ${MAX_ARGUMENTS_BYTES} bytes as JSON without white space, and ${MAX_ARGUMENTS_DEPTH} levels. Stored with the facts of the decision and erased with them; its record has only their digest.`,
        examples: [{ path: '/srv/app/report.txt', content: 'done' }],
      }),
      definition_digest: Type.Optional(
        Type.String({
          pattern: DEFINITION_DIGEST_PATTERN,
          description:
            'SHA-256 of the canonical JSON (RFC 8785) of {name, description, inputSchema, annotations} of the tool as the guard saw it, absent members left out. A pinned tool that comes without it counts as changed.',
          examples: [`sha256:${'0'.repeat(64)}`],
        }),
      ),
      annotations: Type.Optional(
        Type.Object(
          {
            title: Type.Optional(Type.String({ maxLength: 1_000, description: 'For people.' })),
            readOnlyHint: hint('It changes nothing.'),
            destructiveHint: hint('It may destroy something.'),
            idempotentHint: hint('A repeat changes nothing more.'),
            openWorldHint: hint('It reaches systems outside.'),
          },
          {
            additionalProperties: true,
            description: 'The hints of the server itself. They decide only where its catalogue has trustAnnotations.',
            examples: [{ readOnlyHint: true }],
          },
        ),
      ),
    },
    { $id: 'ToolCall', description: 'A tool call, in place of an intent.' },
  ),
);

/** What a decision says about the call. */
export const ToolAnswer = named(
  'ToolAnswer',
  {
    server: Type.String({ description: 'The source of the tool.' }),
    name: Type.String({ description: 'The name of the tool.' }),
    arguments_digest: Type.String({
      description: '`sha256:` and SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of the arguments.',
    }),
    known: Type.Boolean({
      description: 'Whether a catalogue says what the call does. Otherwise its action is `unknown`.',
    }),
    changed: Type.Boolean({
      description: 'Whether the catalogue pins another definition of the tool. Then the action is `unknown`, too.',
    }),
  },
  { description: 'The tool call that was asked about.' },
);

/** Arguments that are shown with a mask. */
export const MaskedArguments = Type.Array(
  closed({
    pointer: Type.String({ description: 'The masked value in the arguments: a JSON Pointer (RFC 6901).' }),
    reason: StringEnum(MASK_REASONS, {
      description:
        'name: its member is named like a secret. private_key: it holds a private key. credential: parts of it have the form of a credential, and only these are masked.',
    }),
  }),
);

export const ToolCatalogueListQuery = closed({
  ...PAGE,
  // The name of a server in base64url: 256 characters of up to 4 bytes.
  cursor: Type.Optional(Type.String({ ...Cursor, maxLength: 1_400 })),
});

const CataloguedTool = named('CataloguedTool', {
  name: Type.String({ description: 'The name of the tool.' }),
  ...ToolEntrySchema.properties,
  effect: StringEnum(EFFECTS, { description: 'Of the entry, or that of its action.' }),
});

const SeenTool = named('SeenTool', {
  name: Type.String({ description: 'The name of the tool.' }),
  state: StringEnum(['unknown', 'changed'], { description: 'Not understood by a catalogue, or not as pinned.' }),
  calls: Type.Integer({ minimum: 1, description: 'Such calls.' }),
  decisionId: Type.String({ description: 'That of the last one.' }),
});

export const ToolCatalogue = named('ToolCatalogue', {
  server: Type.String({ description: 'The name of the source of the tools, as calls name it.' }),
  description: Nullable(Type.String({ description: 'What the source is; null: it has no catalogue.' })),
  trustAnnotations: Type.Boolean({
    description: 'Whether the annotations of the server decide about its tools that are not listed here.',
  }),
  tools: Type.Array(CataloguedTool, { description: 'By name.' }),
  seen: Type.Array(SeenTool, {
    description: 'Tools that agents of the organisation and environment called in the last day, the last one first.',
  }),
});

export const ToolServerParams = closed({ server: CallerId });

/** A page with another digest than the one before it is of another policy set. */
export const ToolCatalogueList = closed(
  { digest: PolicySetDigest, ...listOf(ToolCatalogue, 'ToolCatalogueList').properties },
  { $id: 'ToolCatalogueList' },
);
