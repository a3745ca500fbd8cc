// Policy sets and findings as the HTTP interface has them.
import { Type } from 'typebox';
import { JsonObject, Nullable, StringEnum, Timestamp } from './common.ts';

export const FindingSchema = Type.Object(
  {
    file: Type.String(),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    pointer: Type.String({ description: 'RFC 6901, into the file.' }),
    code: Type.String(),
    message: Type.String(),
    severity: Type.Optional(
      StringEnum(['error', 'warning'], { description: 'Absent: error. An error keeps the set out of force.' }),
    ),
    hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
    example: Type.Optional(Type.String({ description: 'A question that shows it.' })),
  },
  { $id: 'Finding', additionalProperties: false },
);

const Digest = Type.String({
  description:
    'SHA-256, lower-case hex, of the canonical JSON of {engine, lexicon, policies, tools}; without catalogues there is no `tools`.',
});
const Policies = Type.Array(JsonObject({ description: 'A policy: see /schemas/policy.json.' }));
const Tools = Type.Optional(Type.Array(JsonObject({ description: 'A tool catalogue: see /schemas/tools.json.' })));

export const PolicySetStatus = Type.Object(
  {
    digest: Digest,
    activatedAt: Timestamp,
    policies: Policies,
    tools: Tools,
    lastRead: Type.Object(
      { at: Nullable(Timestamp), ok: Type.Boolean(), findings: Type.Array(FindingSchema) },
      {
        additionalProperties: false,
        description:
          'How the last reading of the policy folder went; a refused one leaves the set in force. The findings of one that is ok are warnings.',
      },
    ),
  },
  { $id: 'PolicySetStatus', additionalProperties: false },
);

export const StoredPolicySet = Type.Object(
  {
    digest: Digest,
    createdAt: Timestamp,
    engine: Type.Integer(),
    lexicon: JsonObject(),
    policies: Policies,
    tools: Tools,
  },
  { $id: 'StoredPolicySet', additionalProperties: false },
);

export const PolicyDigestParams = Type.Object(
  { digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) },
  { additionalProperties: false },
);

export const ValidatePoliciesRequest = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          path: Type.String({
            minLength: 1,
            maxLength: 300,
            description: 'Shows in findings; one that begins with `tools/` is a tool catalogue.',
          }),
          text: Type.String({ description: 'The text of the file.' }),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: 1_000,
        description: 'lexicon.json may be among them; the active lexicon is used otherwise.',
      },
    ),
  },
  { $id: 'ValidatePoliciesRequest', additionalProperties: false },
);

export const ValidatePoliciesResponse = Type.Object(
  { valid: Type.Boolean(), digest: Nullable(Digest), findings: Type.Array(FindingSchema) },
  { $id: 'ValidatePoliciesResponse', additionalProperties: false },
);
