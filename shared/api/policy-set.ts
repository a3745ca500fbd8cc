// Schemas of policy sets and findings.
import { Type } from 'typebox';
import { FindingSchema } from '../core/policy/types.ts';
import { ACTIVATION_SOURCES } from '../domain/policy-sets/activate.ts';
import { StringEnum } from '../kernel/schema.ts';
import { closed, JsonObject, named, Nullable, Timestamp } from './common.ts';

export const PolicySetDigest = Type.String({
  description:
    'SHA-256, lower-case hex, of the canonical JSON of {attributes, authzen, engine, lexicon, policies, resources, tools}; without such files there is no `attributes`, `authzen`, `resources` or `tools`.',
});
const Policies = Type.Array(JsonObject({ description: 'A policy: see /schemas/policy.json.' }));
const Tools = Type.Optional(Type.Array(JsonObject({ description: 'A tool catalogue: see /schemas/tools.json.' })));

const Authzen = Type.Optional(
  JsonObject({ description: 'The action names of AuthZEN requests: see /schemas/authzen.json.' }),
);

const Author = Type.String({
  description: '`folder`, the id of a key, or `cli:` and the name of a user of the shell.',
});
const Source = StringEnum(ACTIVATION_SOURCES, { description: 'Where the set comes from.' });
const Resources = Type.Optional(
  Type.Array(JsonObject({ description: 'A resource with its attributes: see /schemas/resource.json.' })),
);
const Attributes = Type.Optional(
  JsonObject({ description: 'The attributes of agents and resources: see /schemas/attributes.json.' }),
);

export const PolicySetStatus = named('PolicySetStatus', {
  digest: PolicySetDigest,
  activatedAt: Timestamp,
  author: Author,
  reason: Nullable(Type.String({ description: 'Why it was put into force; the folder gives no reason.' })),
  source: Source,
  attributes: Attributes,
  policies: Policies,
  resources: Resources,
  tools: Tools,
  lastRead: closed(
    {
      at: Nullable(Timestamp),
      ok: Type.Boolean({ description: 'Whether the folder was accepted.' }),
      findings: Type.Array(FindingSchema, { description: 'Problems and warnings.' }),
    },
    {
      description:
        'The result of the last reading of the policy folder. A refused folder leaves the active set in force. With ok the findings are warnings.',
    },
  ),
});

export const StoredPolicySet = named('StoredPolicySet', {
  digest: PolicySetDigest,
  createdAt: Timestamp,
  attributes: Attributes,
  authzen: Authzen,
  engine: Type.Integer({ description: 'The version of the rules of evaluation.' }),
  lexicon: JsonObject({ description: 'See /schemas/lexicon.json.' }),
  policies: Policies,
  resources: Resources,
  tools: Tools,
});

export const PolicyDigestParams = closed({
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the set: SHA-256, lower-case hex.' }),
});

export const ValidatePoliciesRequest = named('ValidatePoliciesRequest', {
  files: Type.Array(
    closed({
      path: Type.String({
        minLength: 1,
        maxLength: 300,
        description:
          'Shows in findings; one that begins with `tools/` is a tool catalogue, authzen.json has the action names of AuthZEN requests, one that begins with `resources/` has the attributes of a resource, and attributes.json declares attributes.',
      }),
      text: Type.String({ description: 'The text of the file.' }),
    }),
    {
      minItems: 1,
      maxItems: 1_000,
      description: 'lexicon.json may be among them; the active lexicon is used otherwise.',
    },
  ),
});

export const ValidatePoliciesResponse = named('ValidatePoliciesResponse', {
  valid: Type.Boolean({ description: 'Whether the files may come into force.' }),
  digest: Nullable(PolicySetDigest),
  findings: Type.Array(FindingSchema, { description: 'Problems and warnings, by file and position.' }),
});
